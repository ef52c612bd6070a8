/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Two sums over a column's elements as integers: plain, and with the weights 1,
 * 3, 5, ... by row. Both are mod 2^64, so the order of the terms does not
 * matter. Any change of one element changes both sums. Exchanging two elements
 * changes the second sum, unless they differ in high bits only.
 */
static inline void xh_checksum(const double *column, int64_t rows,
                               uint64_t sums_p[2])
{
    uint64_t bits;

    sums_p[0] = sums_p[1] = 0;
    for (int64_t i = 0; i < rows; i++) {
        memcpy(&bits, &column[i], sizeof(bits));
        sums_p[0] += bits;
        sums_p[1] += (uint64_t)(2 * i + 1) * bits;
    }
}

/* A hash of bytes (FNV-1a) that continues the hash of the bytes before them, or
 * XH_HASH_START. */
#define XH_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t xh_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Mix the bits of x. Source: Steele, Lea, Flood, Fast splittable pseudorandom
 * number generators, 2014. */
static inline uint64_t xh_mixed(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
