/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: isa */
#include "testing/unit/unit.h"
#include "hpl.h"
#include "hpl/matgen/generator.h"
#include "base/sequence.h"

static const uint64_t seed = HPL_ISEED;

static FILE *open_reference(void)
{
    const char *source = getenv("TEST_XHPL_SOURCE");
    char path[4096];

    snprintf(path, sizeof(path), "%s/testing/data/reference/matgen.csv",
             source != NULL ? source : ".");
    return fopen(path, "r");
}

TEST(the_reference_matrices_come_out_bit_by_bit)
{
    FILE *file = open_reference();
    char value[64];
    int n, i, j, rows = 0, order = 0;
    double *a = NULL;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    while (fscanf(file, "%d,%d,%d,%63s", &n, &i, &j, value) == 4) {
        if (n != order) { /* rows of one order follow each other */
            free(a);
            order = n;
            a = malloc((size_t)n * (size_t)(n + 1) * sizeof(*a));
            HPL_dmatgen(n, n + 1, a, n, HPL_ISEED);
        }
        assert_true(a[i + j * n] == strtod(value, NULL));
        rows++;
    }
    free(a);
    assert_true(feof(file));
    assert_int_equal(rows, 91);
    fclose(file);
}

/* Generate all parts of an m x n matrix and compare each with the whole. */
static void check_grid(int m, int n, int nb, int nprow, int npcol)
{
    double whole[50 * 51], part[50 * 51];
    HPL_T_grid grid = {.nprow = nprow, .npcol = npcol};
    int ld = m + 1, covered = 0;

    HPL_dmatgen(m, n, whole, m, HPL_ISEED);
    for (int at = 0; at < nprow * npcol; at++) {
        grid.myrow = at / npcol;
        grid.mycol = at % npcol;
        HPL_pdmatgen(&grid, m, n, nb, part, ld, HPL_ISEED);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                if (HPL_indxg2p(i, nb, nb, 0, nprow) != grid.myrow ||
                    HPL_indxg2p(j, nb, nb, 0, npcol) != grid.mycol)
                    continue;
                covered++;
                assert_true(whole[i + j * m] ==
                            *Mptr(part, HPL_indxg2l(i, nb, nb, 0, nprow),
                                  HPL_indxg2l(j, nb, nb, 0, npcol), ld));
            }
    }
    assert_int_equal(covered, m * n);
}

TEST(every_grid_and_block_size_gives_the_same_matrix)
{
    static const int blocks[] = {1, 2, 7, 32, 33, 64};
    static const int orders[] = {1, 5, 33, 49};

    for (int k = 0; k < 4; k++)
        for (int b = 0; b < 6; b++)
            for (int p = 1; p <= 4; p++)
                for (int q = 1; q <= 3; q++)
                    check_grid(orders[k], orders[k] + 1, blocks[b], p, q);
}

/* Fill a block of the part of process (1, 1) and compare it with the part. */
static void check_block(const hpl_generator_t *g, hpl_submatrix_t block,
                        const double *part, int64_t ld)
{
    double a[31 * 31];

    for (int64_t i = 0; i < 31 * 31; i++)
        a[i] = 7.0;
    hpl_generator_fill(g, block, a, 31);
    for (int64_t j = 0; j < 31; j++)
        for (int64_t i = 0; i < 31; i++)
            if (i < block.rows && j < block.cols)
                assert_true(a[i + 31 * j] ==
                            part[block.row + i + (block.col + j) * ld]);
            else
                assert_true(a[i + 31 * j] == 7.0);
}

TEST(any_block_of_a_part_is_generated_alone)
{
    enum { M = 90, N = 75 };
    double part[90 * 75];

    for (int nb = 1; nb <= 40; nb += 3)
        for (int p = 1; p <= 3; p++) {
            hpl_map_t rows = hpl_map(nb, p, p / 2);
            hpl_map_t cols = hpl_map(nb, 4 - p, (4 - p) / 2);
            hpl_generator_t g = hpl_generator(M, seed, &rows, &cols);
            int64_t mp = hpl_map_count(&rows, M);
            int64_t nq = hpl_map_count(&cols, N);

            hpl_generator_fill(&g, (hpl_submatrix_t){.rows = mp, .cols = nq},
                               part, M);
            for (int i = 0; i <= 30 && i <= mp && i <= nq; i++)
                check_block(&g,
                            (hpl_submatrix_t){.row = mp - i,
                                              .rows = i,
                                              .col = (nq - i) / 2,
                                              .cols = i},
                            part, 90);
        }
}

TEST(an_empty_part_is_not_touched)
{
    HPL_T_grid beyond = {.nprow = 3, .npcol = 1, .myrow = 2, .mycol = 0};
    double a = 7.0;

    HPL_dmatgen(0, 1, &a, 1, HPL_ISEED);
    HPL_dmatgen(1, 0, &a, 1, HPL_ISEED);
    HPL_pdmatgen(&beyond, 2, 3, 1, &a, 1, HPL_ISEED);
    assert_true(a == 7.0);
}

TEST(a_jump_ends_where_single_steps_end)
{
    uint64_t x = seed;

    for (uint64_t count = 0; count < 3000; count++) {
        assert_true(x ==
                    xh_jump_apply(xh_jump_power(xh_jump_step, count), seed));
        x = xh_jump_apply(xh_jump_step, x);
    }
}

TEST(conversion_rounds_as_the_compilers_own)
{
    uint64_t x;

    for (int bit = 0; bit < 64; bit++)
        for (int around = -5; around <= 5; around++) {
            x = (UINT64_C(1) << bit) + (uint64_t)around;
            assert_true(xh_sequence_entry(x) == 0.5 - (double)x * 0x1p-64);
            x = x * 0x9e3779b97f4a7c15;
            assert_true(xh_sequence_entry(x) == 0.5 - (double)x * 0x1p-64);
        }
}

TEST(a_run_of_any_length_is_the_sequence)
{
    xh_lanes_t lanes = xh_lanes();
    double a[101];
    uint64_t x;
    int count, i;

    for (count = 0; count <= 100; count++) {
        a[count] = 7.0;
        xh_sequence_run(&lanes, seed, count, a);
        for (i = 0, x = seed; i < count; i++) {
            assert_true(a[i] == xh_sequence_entry(x));
            x = xh_jump_apply(xh_jump_step, x);
        }
        assert_true(a[count] == 7.0);
    }
}

/* upstream's names */

static int mult[2] = {HPL_MULT0, HPL_MULT1}, iadd[2] = {HPL_IADD0, HPL_IADD1};
static int start[2] = {HPL_ISEED, 0};

TEST(the_random_function_walks_down_the_columns)
{
    int first[2], i, iam[2], icm[2];
    double a[70];

    HPL_dmatgen(10, 7, a, 10, HPL_ISEED);
    HPL_xjumpm(1, mult, iadd, start, first, iam, icm);
    HPL_setran(0, first);
    HPL_setran(1, mult);
    HPL_setran(2, iadd);
    for (i = 0; i < 70; i++)
        assert_true(HPL_rand() == a[i]);
}

TEST(a_jump_of_pairs_is_that_many_single_jumps)
{
    int x[2] = {HPL_ISEED, 0}, next[2], far[2], iam[2], icm[2], now[2], count;

    for (count = 0; count < 200; count++) {
        HPL_xjumpm(count, mult, iadd, start, far, iam, icm);
        assert_memory_equal(far, x, sizeof(x));
        HPL_jumpit(iam, icm, start, far);
        assert_memory_equal(far, x, sizeof(x));
        HPL_jumpit(mult, iadd, x, next);
        HPL_setran(3, now);
        assert_memory_equal(now, next, sizeof(x));
        memcpy(x, next, sizeof(x));
    }
}

TEST(pairs_carry_into_their_high_half)
{
    int ones[2] = {-1, 0}, one[2] = {1, 0}, all[2] = {-1, -1}, r[2];

    HPL_ladd(ones, one, r);
    assert_true(r[0] == 0 && r[1] == 1);
    HPL_lmul(ones, ones, r); /* (2^32 - 1)^2 = 2^64 - 2^33 + 1 */
    assert_true(r[0] == 1 && r[1] == -2);
    HPL_ladd(all, one, r);
    assert_true(r[0] == 0 && r[1] == 0);
    HPL_lmul(all, all, all);
    assert_true(all[0] == 1 && all[1] == 0);
}
