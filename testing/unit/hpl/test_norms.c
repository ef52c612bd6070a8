/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4 */
#include <math.h>
#include "testing/unit/unit_mpi.h"
#include "hpl.h"

/* Entries are small multiples of 1/8, so every sum is exact in any order. */
enum { MOST = 12 };

static const HPL_T_NORM norms[] = {HPL_NORM_A, HPL_NORM_1, HPL_NORM_I};

typedef struct {
    int m, n;
    double value[MOST][MOST + 1];
} matrix_t;

static matrix_t matrix(int m, int n)
{
    matrix_t x = {.m = m, .n = n};

    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            x.value[i][j] = ((i * 7 + j * 11) % 13 - 6) / 8.0;
    return x;
}

static double largest_sum(const matrix_t *x, int by_rows)
{
    double sum, largest = 0.0;
    int outer = by_rows ? x->m : x->n, inner = by_rows ? x->n : x->m;

    for (int i = 0; i < outer; i++) {
        sum = 0.0;
        for (int j = 0; j < inner; j++)
            sum += fabs(by_rows ? x->value[i][j] : x->value[j][i]);
        largest = fmax(largest, sum);
    }
    return largest;
}

static double norm_of(const matrix_t *x, HPL_T_NORM norm)
{
    double largest = 0.0;

    if (norm != HPL_NORM_A)
        return largest_sum(x, norm == HPL_NORM_I);
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++)
            largest = fmax(largest, fabs(x->value[i][j]));
    return largest;
}

static double local_norm(const matrix_t *x, HPL_T_NORM norm)
{
    enum { LDA = MOST + 2 };
    double a[LDA * (MOST + 1)];

    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < LDA; i++)
            a[i + j * LDA] = i < x->m ? x->value[i][j] : NAN;
    return HPL_dlange(norm, x->m, x->n, a, LDA);
}

static double distributed_norm(const matrix_t *x, HPL_T_NORM norm,
                               const HPL_T_grid *grid, int nb)
{
    enum { LDA = MOST + 1 };
    double a[LDA * (MOST + 1)];
    int p = grid->nprow, q = grid->npcol;

    for (int i = 0; i < LDA * (MOST + 1); i++)
        a[i] = NAN;
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < x->m; i++)
            if (HPL_indxg2p(i, nb, nb, 0, p) == grid->myrow &&
                HPL_indxg2p(j, nb, nb, 0, q) == grid->mycol)
                *Mptr(a, HPL_indxg2l(i, nb, nb, 0, p),
                      HPL_indxg2l(j, nb, nb, 0, q), LDA) = x->value[i][j];
    return HPL_pdlange(grid, norm, x->m, x->n, nb, a, LDA);
}

/* All grids of all processes of this run. */
static void for_all_grids(void (*check)(const HPL_T_grid *))
{
    int size = unit_processes();
    HPL_T_grid grid;

    for (int p = 1; p <= size; p++) {
        HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, p, size / p, &grid);
        if (grid.myrow >= 0)
            check(&grid);
        HPL_grid_exit(&grid);
    }
}

TEST(norms_are_those_of_the_definition)
{
    matrix_t x;

    for (int m = 0; m <= MOST; m++)
        for (int n = 0; n <= MOST + 1; n++)
            for (int k = 0; k < 3; k++) {
                x = matrix(m, n);
                assert_true(local_norm(&x, norms[k]) == norm_of(&x, norms[k]));
            }
}

TEST(long_matrices_lose_no_row_or_column)
{
    enum { LONG = 1100 };
    double a[LONG];

    for (int i = 0; i < LONG; i++) {
        memset(a, 0, sizeof(a));
        a[i] = -3.0;
        assert_true(HPL_dlange(HPL_NORM_I, LONG, 1, a, LONG) == 3.0);
        assert_true(HPL_dlange(HPL_NORM_1, 1, LONG, a, 1) == 3.0);
        assert_true(HPL_dlange(HPL_NORM_A, 1, LONG, a, 1) == 3.0);
    }
}

TEST(infinity_anywhere_is_an_infinite_norm_and_a_nan_a_nan)
{
    matrix_t x;

    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++)
            for (int k = 0; k < 3; k++) {
                x = matrix(MOST, MOST);
                x.value[i ^ 1][j] = -INFINITY;
                assert_true(local_norm(&x, norms[k]) == INFINITY);
                x.value[i][j] = (i + j) % 2 == 0 ? NAN : -NAN;
                assert_true(isnan(local_norm(&x, norms[k])));
            }
}

static void check_distributed(const HPL_T_grid *grid)
{
    matrix_t x;

    for (int n = 0; n <= MOST; n++)
        for (int nb = 1; nb <= 5; nb++)
            for (int k = 0; k < 6; k++) {
                x = matrix(n, n + k % 2);
                assert_true(distributed_norm(&x, norms[k / 2], grid, nb) ==
                            norm_of(&x, norms[k / 2]));
            }
}

TEST_CALL(distribution_changes_no_norm, for_all_grids(check_distributed))

static void check_nan(const HPL_T_grid *grid)
{
    matrix_t x;

    for (int i = 0; i < MOST; i++)
        for (int j = 0; j <= MOST; j++)
            for (int k = 0; k < 3; k++) {
                x = matrix(MOST, MOST + 1);
                x.value[i][j] = NAN;
                assert_true(isnan(distributed_norm(&x, norms[k], grid, 2)));
            }
}

TEST_CALL(a_nan_on_any_process_is_a_nan_norm_on_all, for_all_grids(check_nan))
