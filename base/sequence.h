/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * The random sequence x(t+1) = 6364136223846793005 x(t) + 1 mod 2^64, whose
 * members are the entries of HPL's matrices. Any number of steps is again one
 * such map, so members far apart cost little.
 */
typedef struct {
    uint64_t mul, add; /* x becomes mul * x + add */
} xh_jump_t;

/* One step of the sequence. */
static const xh_jump_t xh_jump_step = {.mul = 6364136223846793005, .add = 1};

static inline uint64_t xh_jump_apply(xh_jump_t jump, uint64_t x)
{
    return jump.mul * x + jump.add;
}

static inline xh_jump_t xh_jump_after(xh_jump_t first, xh_jump_t second)
{
    return (xh_jump_t){.mul = second.mul * first.mul,
                       .add = xh_jump_apply(second, first.add)};
}

/*
 * Combine `count` times `jump` into one jump.
 * Cost: log2(count) squarings
 */
static inline xh_jump_t xh_jump_power(xh_jump_t jump, uint64_t count)
{
    xh_jump_t power = {.mul = 1, .add = 0};

    for (; count > 0; count /= 2) {
        if (count % 2 == 1)
            power = xh_jump_after(power, jump);
        jump = xh_jump_after(jump, jump);
    }
    return power;
}

/*
 * Fill the table with which a device's kernel takes any number of steps, one
 * digit at a time: jumps[256 d + s] takes s 256^d steps.
 */
enum { XH_JUMP_DIGITS = sizeof(uint64_t), XH_JUMP_VALUES = 256 };

static inline void
xh_jump_digits(xh_jump_t jumps[XH_JUMP_DIGITS * XH_JUMP_VALUES])
{
    xh_jump_t digit = xh_jump_step;

    for (int d = 0; d < XH_JUMP_DIGITS; d++) {
        for (int s = 0; s < XH_JUMP_VALUES; s++)
            jumps[XH_JUMP_VALUES * d + s] = xh_jump_power(digit, (uint64_t)s);
        digit = xh_jump_power(digit, XH_JUMP_VALUES);
    }
}

/*
 * Matrix entry of a member: 0.5 - x * 2^-64, conversion and subtraction each
 * rounded. The halves of x become mantissa bits of 2^84 and 2^52, which makes
 * them doubles without a branch; only their sum is rounded.
 */
static inline double xh_sequence_entry(uint64_t x)
{
    union {
        uint64_t bits;
        double value;
    } high = {.bits = (x >> 32) | 0x4530000000000000},
      low = {.bits = (x & 0xffffffff) | 0x4330000000000000};

    high.value -= 0x1p84 + 0x1p52;
    return 0.5 - (high.value + low.value) * 0x1p-64;
}

/*
 * Entries of consecutive members. XH_LANES independent streams, each taking
 * every XH_LANES-th member, hide the latency of the multiplication and fill
 * vector registers.
 */
enum { XH_LANES = 32 };

typedef struct {
    xh_jump_t round;        /* XH_LANES steps */
    uint64_t mul[XH_LANES]; /* lane l starts l steps ahead: */
    uint64_t add[XH_LANES]; /* at mul[l] * x + add[l] */
} xh_lanes_t;

xh_lanes_t xh_lanes(void);

/* a[i] := entry of the member i steps after x, i = 0 .. count - 1. */
typedef void (*xh_sequence_run_t)(const xh_lanes_t *lanes, uint64_t x,
                                  int64_t count, double *a);

/* The version for any processor. */
void xh_sequence_run(const xh_lanes_t *lanes, uint64_t x, int64_t count,
                     double *a);

/*
 * The same, to be compiled into a function for some instruction set: always
 * the same bits.
 */
static inline __attribute__((always_inline)) void
xh_sequence_run_here(const xh_lanes_t *lanes, uint64_t first, int64_t count,
                     double *a)
{
    const xh_jump_t round = lanes->round;
    uint64_t x[XH_LANES];
    int64_t done;

    for (int l = 0; l < XH_LANES; l++)
        x[l] = lanes->mul[l] * first + lanes->add[l];
    for (done = 0; done + XH_LANES <= count; done += XH_LANES) {
        for (int l = 0; l < XH_LANES; l++)
            a[done + l] = xh_sequence_entry(x[l]);
        for (int l = 0; l < XH_LANES; l++)
            x[l] = xh_jump_apply(round, x[l]);
    }
    for (int l = 0; done + l < count; l++)
        a[done + l] = xh_sequence_entry(x[l]);
}
