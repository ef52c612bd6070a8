/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_MAGNITUDE_H
#define HPL_MAGNITUDE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * |x| as an integer: ordered as |x| is, infinity above every number and NaN
 * above infinity. The largest magnitude is thus the norm that does not lose a
 * NaN, without a branch, and whatever -ffast-math lets a compiler assume.
 */
static inline uint64_t hpl_magnitude(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits & INT64_MAX;
}

/* The double, >= 0, +infinity or NaN, that has this magnitude. */
static inline double hpl_magnitude_value(uint64_t magnitude)
{
    double x;

    memcpy(&x, &magnitude, sizeof(x));
    return x;
}

static inline bool hpl_is_nan(double x)
{
    return hpl_magnitude(x) > (uint64_t)0x7ff << 52;
}

#endif
