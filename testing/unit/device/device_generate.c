/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sequence.h"
#include "testing/unit/device/device_frames.h"

/* The random matrix, as a device fills its part of it. */

enum { ORDER = 61, SEED = 100 };

/* Entry (i, j) of a matrix of n rows. */
static double entry(int64_t i, int64_t j, int64_t n)
{
    xh_jump_t way = xh_jump_power(xh_jump_step, (uint64_t)(i + j * n + 1));

    return xh_sequence_entry(xh_jump_apply(way, SEED));
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
    const hyb_generate_t generate = {SEED, ORDER, rows, cols,
                                     part(&a, 1, 2, m, n)};

    assert_ok(hyb_queue_generate(f->queue, &generate));
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++)
            *entry_of(&a, 1 + i, 2 + j) =
                entry(global_of(rows, i), global_of(cols, j), ORDER);
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

/* Far from its first entry, across the end of a block; of a 3 x 2 grid. */
DEVICE_CASE_WITH(a_part_of_a_large_matrix_is_generated, HYB_OP_GENERATE)
{
    enum { N = 1234567, NB = 384, SIDE = 40, FAR = N / 6 / NB * NB + NB - 11 };
    const hyb_dealt_t rows = {FAR, NB, 1, 3}, cols = {FAR, NB, 1, 2};

    open_frames(f);
    assert_ok(hyb_queue_generate(
        f->queue,
        &(hyb_generate_t){SEED, N, rows, cols, part(&a, 5, 3, SIDE, SIDE)}));
    for (int64_t j = 0; j < SIDE; j++)
        for (int64_t i = 0; i < SIDE; i++)
            *entry_of(&a, 5 + i, 3 + j) =
                entry(global_of(rows, i), global_of(cols, j), N);
    check_all(f, 0);
    close_frames();
}
