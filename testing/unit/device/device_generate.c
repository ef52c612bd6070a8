/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/device/device_frames.h"

/* The random matrix, as a device fills its part of it. */

enum { ORDER = 61 };

/* Entry (i, j) of the matrix, which is generated in a row at the first call. */
static double entry(int64_t i, int64_t j)
{
    static double entries[ORDER * (ORDER + 1)];
    static bool known;
    uint64_t x = 100;

    for (int64_t t = 0; !known && t < ORDER * (ORDER + 1); t++) {
        x = UINT64_C(6364136223846793005) * x + 1;
        entries[t] = 0.5 - (double)x / 18446744073709551616.0;
    }
    known = true;
    return entries[i + j * ORDER];
}

static int64_t global_of(hyb_dealt_t dealt, int64_t i)
{
    int64_t block = (dealt.first + i) / dealt.nb;

    return (block * dealt.processes + dealt.process) * dealt.nb +
           (dealt.first + i) % dealt.nb;
}

/* As many of the n rows or columns as there are from dealt.first on. */
static int64_t count_of(hyb_dealt_t dealt, int64_t n)
{
    int64_t count = 0;

    while (count < 45 && global_of(dealt, count) < n)
        count++;
    return count;
}

static void check_generated(const device_fixture_t *f, hyb_dealt_t rows,
                            hyb_dealt_t cols)
{
    int64_t m = count_of(rows, ORDER), n = count_of(cols, ORDER + 1), i, j;
    const hyb_generate_t generate = {100, ORDER, rows, cols,
                                     part(&a, 1, 2, m, n)};

    assert_ok(hyb_queue_generate(f->queue, &generate));
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++)
            *entry_of(&a, 1 + i, 2 + j) =
                entry(global_of(rows, i), global_of(cols, j));
    check_all(f, 0);
}

DEVICE_CASE_WITH(a_generated_part_has_the_matrixs_bits, HYB_OP_GENERATE)
{
    open_frames(f);
    for (int64_t nb = 1; nb < 80; nb = 2 * nb + 1)
        for (int64_t p = 1; p < 4; p++) {
            const hyb_dealt_t rows = {nb / 2, nb, p - 1, p},
                              cols = {3 * nb % 5, nb, 0, 4 - p};

            check_generated(f, rows, cols);
            check_generated(f, (hyb_dealt_t){0, nb, 0, 1}, rows);
        }
    close_frames();
}

/* Member t of the sequence: steps taken 1, 2, 4, ... at a time. */
static uint64_t member(uint64_t t)
{
    uint64_t x = 100, mul = UINT64_C(6364136223846793005), add = 1;

    for (; t > 0; t >>= 1) {
        if (t & 1)
            x = mul * x + add;
        add += mul * add;
        mul *= mul;
    }
    return x;
}

/* Far from its first entry, across the end of a block; of a 3 x 2 grid. */
DEVICE_CASE_WITH(a_part_of_a_large_matrix_is_generated, HYB_OP_GENERATE)
{
    enum { N = 1234567, NB = 384, SIDE = 40, FAR = N / 6 / NB * NB + NB - 11 };
    const hyb_dealt_t rows = {FAR, NB, 1, 3}, cols = {FAR, NB, 1, 2};

    open_frames(f);
    assert_ok(hyb_queue_generate(
        f->queue,
        &(hyb_generate_t){100, N, rows, cols, part(&a, 5, 3, SIDE, SIDE)}));
    for (int64_t j = 0; j < SIDE; j++)
        for (int64_t i = 0; i < SIDE; i++)
            *entry_of(&a, 5 + i, 3 + j) =
                0.5 - (double)member((uint64_t)(global_of(rows, i) +
                                                global_of(cols, j) * N + 1)) *
                          0x1p-64;
    check_all(f, 0);
    close_frames();
}
