/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4; 9 more */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hpl.h"
#include "hpl/pauxil/map.h"
#include "testing/unit/small_system.h"

enum { MOST = 50 };

typedef struct {
    int n, nb;
    double whole[MOST * (MOST + 1)]; /* U in its upper triangle, then y */
    double x[MOST];
} setting_t;

/* A well conditioned U; below it NaN, which nobody may read. */
static void fill(setting_t *s, uint64_t *random)
{
    int n = s->n;

    small_fill(random, s->whole, (size_t)n * ((size_t)n + 1));
    for (int j = 0; j < n; j++) {
        *Mptr(s->whole, j, j, n) += 3.0;
        for (int i = j + 1; i < n; i++)
            *Mptr(s->whole, i, j, n) = NAN;
    }
}

static void solve_by_the_book(setting_t *s)
{
    int n = s->n;

    memcpy(s->x, Mptr(s->whole, 0, n, n), (size_t)n * sizeof(double));
    for (int j = n - 1; j >= 0; j--) {
        s->x[j] /= *Mptr(s->whole, j, j, n);
        for (int i = 0; i < j; i++)
            s->x[i] -= *Mptr(s->whole, i, j, n) * s->x[j];
    }
}

/* Wrong entries of x, of which this process holds those of its columns. */
static int wrong_x(const setting_t *s, const HPL_T_grid *grid,
                   const HPL_T_pmat *mat)
{
    hpl_map_t columns = hpl_map_columns(grid, s->nb);
    int j, nq = (int)hpl_map_count(&columns, s->n), errors = 0;

    for (j = 0; j < nq; j++)
        errors +=
            !(fabs(mat->X[j] - s->x[hpl_map_global(&columns, j)]) <= 1e-11);
    return errors;
}

/* Processes that hold other bits of x than process row 0. */
static int unequal_x(const HPL_T_grid *grid, const HPL_T_pmat *mat)
{
    double first[MOST + 1];

    memcpy(first, mat->X, (size_t)mat->nq * sizeof(double));
    MPI_Bcast(first, mat->nq, MPI_DOUBLE, 0, grid->col_comm);
    return memcmp(first, mat->X, (size_t)mat->nq * sizeof(double)) != 0;
}

static int solve(setting_t *s, HPL_T_grid *grid)
{
    HPL_T_pmat mat = small_distribute(grid, s->n, s->nb, s->whole);
    int errors;

    HPL_pdtrsv(grid, &mat);
    solve_by_the_book(s);
    errors = wrong_x(s, grid, &mat) + unequal_x(grid, &mat);
    small_release(&mat);
    return errors;
}

/* On every P x Q grid of the job's processes. */
static void solve_everywhere(const int (*shapes)[2], size_t count)
{
    static setting_t s;
    uint64_t random = 6;
    int errors = 0;
    HPL_T_grid grid;

    for (int p = 1; p <= unit_processes(); p++)
        for (int q = 1; p * q <= unit_processes(); q++) {
            bool inside = small_grid_open(&grid, p, q);

            for (size_t i = 0; i < count; i++) {
                s.n = shapes[i][0];
                s.nb = shapes[i][1];
                fill(&s, &random);
                if (inside)
                    errors += solve(&s, &grid);
            }
            small_grid_close(&grid);
        }
    assert_int_equal(errors, 0);
}

#define TEST_SOLVE(sentence, ...)                                              \
    TEST(sentence)                                                             \
    {                                                                          \
        static const int shapes[][2] = {__VA_ARGS__};                          \
        solve_everywhere(shapes, COUNT_OF(shapes));                            \
    }

TEST_SOLVE(any_grid_solves_as_the_textbook, {MOST, 4}, {47, 7}, {31, 1},
           {50, 24})
TEST_SOLVE(b_may_have_a_block_of_its_own, {48, 4}, {48, 16}, {5, 1}, {20, 20})
TEST_SOLVE(n_may_be_smaller_than_nb, {1, 2}, {7, 8}, {5, 1000}, {6, INT_MAX})
TEST_SOLVE(nothing_is_solved_for_n_0, {0, 1}, {0, 8}, {0, INT_MAX})

TEST_MPI_MAIN()
