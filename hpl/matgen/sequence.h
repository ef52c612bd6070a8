/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_SEQUENCE_H
#define HPL_SEQUENCE_H

#include <stdint.h>

/*
 * The random sequence x(t+1) = 6364136223846793005 x(t) + 1 mod 2^64. Any
 * number of steps is again one such map, so members far apart cost little.
 */
typedef struct {
    uint64_t mul, add; /* x becomes mul * x + add */
} hpl_jump_t;

/* one step of the sequence */
extern const hpl_jump_t hpl_jump_step;

static inline uint64_t hpl_jump_apply(hpl_jump_t jump, uint64_t x)
{
    return jump.mul * x + jump.add;
}

/*
 * jump, count times over.
 * Cost: log2(count) squarings
 */
hpl_jump_t hpl_jump_power(hpl_jump_t jump, uint64_t count);

/*
 * Matrix entry of a member: 0.5 - x * 2^-64, conversion and subtraction each
 * rounded. The halves of x are set into the mantissas of 2^84 and 2^52, which
 * makes them doubles without a branch; their sum is the one rounding.
 */
static inline double hpl_entry(uint64_t x)
{
    union {
        uint64_t bits;
        double value;
    } high = {.bits = (x >> 32) | 0x4530000000000000},
      low = {.bits = (x & 0xffffffff) | 0x4330000000000000};

    high.value -= 0x1p84 + 0x1p52;
    return 0.5 - (high.value + low.value) * 0x1p-64;
}

#endif
