/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Words of kernels, hybrid/device/kernels/dialect.cl, for their text on
 * threads. Who includes it says what a thread is: ON_CHIP, GROUP, GROUPS, ITEM,
 * BARRIER.
 */
#include <sched.h>
#include <stdint.h>
#include <string.h>

static inline double as_double(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

#define KERNEL(x, y) __attribute__((unused)) static void
#define FUNCTION static
#define GLOBAL
#define CHIP
#define AS_DOUBLE(bits) as_double(bits)
/* These order memory by themselves. */
#define TELL(p, x) __atomic_store_n(p, x, __ATOMIC_RELEASE)
#define LOOK(p) (sched_yield(), __atomic_load_n(p, __ATOMIC_ACQUIRE))
#define GRID_FENCE()

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
