/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

static inline int64_t xh_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t xh_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The number of units in a, rounded up; and a rounded up to a multiple of unit.
 * a >= 0, unit > 0. */
static inline int64_t xh_units(int64_t a, int64_t unit)
{
    return a / unit + (a % unit != 0);
}

static inline int64_t xh_whole_units(int64_t a, int64_t unit)
{
    return xh_units(a, unit) * unit;
}
