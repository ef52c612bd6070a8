/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HPL's random matrix. Its entries are members of the sequence
 * x(t + 1) = 6364136223846793005 x(t) + 1 mod 2^64.
 */

/* How rows or columns are dealt to processes; global index of local index i. */
typedef struct {
    i64 first, nb, process, processes;
} dealt_t;

FUNCTION i64 global_of(dealt_t d, i64 i)
{
    const i64 local_index = d.first + i;

    return (local_index / d.nb * d.processes + d.process) * d.nb +
           local_index % d.nb;
}

/*
 * 0.5 - x 2^-64, conversion and subtraction each rounded. The halves of x
 * become mantissa bits of 2^84 and 2^52; only their sum is rounded, and the
 * product is exact, so contraction changes nothing.
 */
FUNCTION double entry(u64 x)
{
    const double high = AS_DOUBLE((x >> 32) | 0x4530000000000000UL);
    const double low = AS_DOUBLE((x & 0xffffffffUL) | 0x4330000000000000UL);

    return 0.5 - ((high - (0x1p84 + 0x1p52)) + low) * 0x1p-64;
}

/*
 * Fill a block with its part of the matrix with `order` rows. An item jumps to
 * the member for its entry: jumps[256 d + s] advances by s 256^d steps, as
 * factor and summand.
 */
KERNEL(ITEMS, 1)
generate(GLOBAL double *a, block_t b, u64 seed, i64 order, dealt_t rows,
         dealt_t cols, GLOBAL const u64 *jumps)
{
    const i64 i = GROUP(0) * ITEMS + ITEM(0);

    if (i >= b.rows)
        return;
    for (i64 j = GROUP(1); j < b.cols; j += GROUPS(1)) {
        u64 steps = global_of(cols, j) * order + global_of(rows, i) + 1;
        u64 x = seed;

        for (i64 d = 0; steps != 0; d++, steps >>= 8) {
            const u64 jump = 2 * (256 * d + (steps & 255));

            x = jumps[jump] * x + jumps[jump + 1];
        }
        a[AT(b, i, j)] = entry(x);
    }
}
