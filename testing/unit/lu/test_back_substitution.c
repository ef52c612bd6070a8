/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 6 more; needs: mpi */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hpl.h"
#include "testing/unit/lu/counted_kernel.h"
#include "testing/unit/cpu/kernels.h"
#include "hybrid/lu/places/places.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/system/back_substitution.h"

enum { MOST = 900 };

/* A well conditioned U and y; below U NaN, which nobody may read. */
static const double *whole_of(int n)
{
    static double whole[MOST * (MOST + 1)];
    uint64_t random = 11;

    small_fill(&random, whole, (size_t)n * ((size_t)n + 1));
    for (int j = 0; j < n; j++) {
        *Mptr(whole, j, j, n) += 3.0;
        for (int i = j + 1; i < n; i++)
            *Mptr(whole, i, j, n) = NAN;
    }
    return whole;
}

/* Entries of x, local to the columns of A, that are not the reference's. */
static int wrong_x(const HPL_T_pmat *mat, const HPL_T_pmat *reference, int nq)
{
    double largest = 0.0;
    int errors = 0;

    for (int j = 0; j < nq; j++)
        largest = fmax(largest, fabs(reference->X[j]));
    for (int j = 0; j < nq; j++)
        errors += !(fabs(mat->X[j] - reference->X[j]) <= 1e-12 * largest);
    return errors;
}

/* Processes that hold other bits of x than process row 0. */
static int unequal_x(const HPL_T_grid *grid, const HPL_T_pmat *mat, int nq)
{
    double first[MOST];

    memcpy(first, mat->X, (size_t)nq * sizeof(double));
    MPI_Bcast(first, nq, MPI_DOUBLE, 0, grid->col_comm);
    return memcmp(first, mat->X, (size_t)nq * sizeof(double)) != 0;
}

static int solve_by(const hyb_kernel_t *kernel, hyb_team_t *team,
                    HPL_T_grid *grid, int n, int nb)
{
    const double *whole = whole_of(n);
    HPL_T_pmat mat = small_distribute(grid, n, nb, whole);
    HPL_T_pmat reference = small_distribute(grid, n, nb, whole);
    int nq = HPL_numroc(n, nb, nb, grid->mycol, 0, grid->npcol), errors;
    hyb_lu_t lu = {.grid = grid,
                   .mat = &mat,
                   .resources.team = team,
                   .resources.kernel = kernel};

    assert_ok(hyb_ledger_create(nq, mat.nq > nq, nb, 0, &lu.ledger));
    lu.homes.host = hyb_place_host;
    lu.homes.host.lu = &lu;
    lu.homes.place[0] = &lu.homes.host;
    hyb_back_substitution(&lu);
    hyb_ledger_destroy(&lu.ledger);
    HPL_pdtrsv(grid, &reference);
    errors = wrong_x(&mat, &reference, nq) + unequal_x(grid, &mat, nq);
    small_release(&mat);
    small_release(&reference);
    return errors;
}

static int solve(hyb_team_t *team, HPL_T_grid *grid, int n, int nb)
{
    return solve_by(widest_kernel(), team, grid, n, nb);
}

TEST_EVERYWHERE(every_team_on_every_grid_solves_as_the_reference, solve,
                {50, 4}, {47, 7}, {31, 1}, {50, 24})
TEST_EVERYWHERE(n_may_be_smaller_than_nb, solve, {0, 8}, {1, 2}, {7, 8},
                {6, INT_MAX})

/*
 * Products large enough for all members, on the squarest grid. The sums of a
 * block are over 2048 bytes, which MPICH adds up in another way.
 */
TEST(members_share_large_products)
{
    int nprow = unit_processes() >= 4 ? 2 : 1, members, errors = 0;
    hyb_team_t *team;
    HPL_T_grid grid;

    if (small_grid_open(&grid, nprow, unit_processes() / nprow))
        for (members = 1; members <= MOST_TEAM; members++) {
            team = small_team(members);
            errors += solve(team, &grid, MOST, 260);
            hyb_team_destroy(team);
        }
    small_grid_close(&grid);
    assert_int_equal(errors, 0);
}

TEST(the_kernel_in_use_multiplies)
{
    assert_int_equal(with_counted_kernel(solve_by, 200, 8), 0);
    assert_true(sweeps > 0);
}
