/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: blas */
#include "hybrid/lu/panel/l1_inverses.h"

#include <math.h>
#include <stdbool.h>
#include "testing/unit/unit.h"

enum { MOST = 200, LD = MOST + 3 };

static double l1[LD * MOST], to[LD * MOST];

static double *at(double *matrix, int64_t i, int64_t j)
{
    return &matrix[i + j * LD];
}

static double invert(int64_t nb)
{
    return hyb_l1_invert((xh_view_t){l1, nb, nb, LD},
                         (xh_view_t){to, nb, nb, LD});
}

/* Entries of at most size below the diagonal; elsewhere there are no numbers,
 * which nobody may read. */
static void fill(int64_t nb, double size)
{
    for (int64_t j = 0; j < MOST; j++)
        for (int64_t i = 0; i < LD; i++) {
            bool read = i < nb && j < i;

            *at(l1, i, j) = read ? size * (2.0 * rand() / RAND_MAX - 1.0) : NAN;
            *at(to, i, j) = -7.0;
        }
}

static bool is_diagonal_block(int64_t i, int64_t j)
{
    return i / HYB_L1_BLOCK == j / HYB_L1_BLOCK;
}

/* Element (i, j) of block L times its inverse. */
static double product(int64_t i, int64_t j)
{
    double sum = *at(to, i, j);

    for (int64_t k = i / HYB_L1_BLOCK * HYB_L1_BLOCK; k < i; k++)
        sum += *at(l1, i, k) * *at(to, k, j);
    return sum;
}

static void check(int64_t nb)
{
    for (int64_t j = 0; j < MOST; j++)
        for (int64_t i = 0; i < LD; i++) {
            if (i >= nb || j >= nb)
                assert_true(*at(to, i, j) == -7.0);
            else if (j > i && !is_diagonal_block(i, j))
                continue;
            else if (is_diagonal_block(i, j))
                assert_true(fabs(product(i, j) - (i == j)) < 1e-12);
            else
                assert_true(*at(to, i, j) == *at(l1, i, j));
            if (j > i && i < nb && j < nb && is_diagonal_block(i, j))
                assert_true(*at(to, i, j) == 0.0);
        }
}

TEST(diagonal_blocks_become_their_inverses)
{
    static const int64_t orders[] = {0, 1, 2, 17, 63, 64, 65, 128, 130, MOST};

    srand(11);
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        fill(orders[i], 0.2);
        assert_true(invert(orders[i]) < 100.0);
        check(orders[i]);
    }
}

/* |L| |Y| is known for all -1 below the diagonal: row i of Y sums to 2^i. */
TEST(growth_is_the_largest_row_sum)
{
    for (int64_t nb = 1; nb <= HYB_L1_BLOCK; nb++) {
        double expected = exp2((double)nb - 1.0);

        fill(nb, 0.0);
        for (int64_t j = 0; j < nb; j++)
            for (int64_t i = j + 1; i < nb; i++)
                *at(l1, i, j) = -1.0;
        for (int64_t k = 0; k < nb - 1; k++)
            expected += exp2((double)k);
        assert_true(fabs(invert(nb) / expected - 1.0) < 1e-12);
    }
}

/* The last of several blocks counts, too; a NaN has no inverse. */
TEST(growth_and_nan_are_found_in_any_block)
{
    fill(MOST, 0.0);
    assert_true(invert(MOST) == 1.0);
    *at(l1, MOST - 1, MOST - 2) = -1e6;
    assert_true(invert(MOST) > HYB_L1_MOST_GROWTH);
    fill(130, 0.1);
    *at(l1, 40, 12) = NAN;
    assert_false(invert(130) <= HYB_L1_MOST_GROWTH);
}

/* The elements of the inverse grow by a tenth from row to row. */
TEST(growth_across_blocks_is_found)
{
    fill(MOST, 0.0);
    for (int64_t j = 0; j < MOST; j++)
        for (int64_t i = j + 1; i < MOST; i++)
            *at(l1, i, j) = -0.1;
    assert_true(invert(HYB_L1_BLOCK) <= HYB_L1_MOST_GROWTH);
    assert_true(fabs(invert(MOST) / pow(1.1, MOST - 1) - 1.0) < 1e-9);
}
