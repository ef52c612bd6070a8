/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Units 0 .. count - 1 of some work, which any thread takes, does and settles;
 * once all are settled the next work may begin in the same place. A thread that
 * was slow to take a unit of the last work gets one of this, or none: what says
 * which units are left is also what is taken from, in one step.
 */
typedef struct {
    _Atomic int64_t left;    /* that nobody has taken */
    _Atomic int64_t settled; /* that are done */
    int64_t count;
} hyb_units_t;

/* All units of the last work are settled; what takers read is set up. */
static inline void hyb_units_begin(hyb_units_t *units, int64_t count)
{
    units->count = count;
    atomic_store(&units->settled, 0);
    atomic_store(&units->left, count);
}

static inline bool hyb_units_are_left(const hyb_units_t *units)
{
    return atomic_load(&units->left) > 0;
}

/* The next unit, or -1: there is none. */
static inline int64_t hyb_units_take(hyb_units_t *units)
{
    int64_t left = atomic_load(&units->left);

    while (left > 0)
        if (atomic_compare_exchange_weak(&units->left, &left, left - 1))
            return units->count - left;
    return -1;
}

/* A unit that was taken is done. */
static inline void hyb_units_settle(hyb_units_t *units)
{
    atomic_fetch_add(&units->settled, 1);
}

static inline bool hyb_units_are_settled(const hyb_units_t *units)
{
    return atomic_load(&units->settled) == units->count;
}
