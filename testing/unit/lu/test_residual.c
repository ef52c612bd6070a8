/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 6 more; needs: blas */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hpl.h"
#include "hpl/pauxil/map.h"
#include "hpl/solver/system.h"
#include "testing/unit/lu/counted_kernel.h"
#include "testing/unit/cpu/kernels.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/system/residual.h"

/* My part of [ A | b ] of seed, with an x that is the same on any grid. */
static HPL_T_pmat system_of(const HPL_T_grid *grid, int n, int nb, int seed)
{
    size_t count = (size_t)n * ((size_t)n + 1);
    double *whole = malloc((count + 1) * sizeof(double));
    hpl_map_t columns = hpl_map_columns(grid, nb);
    HPL_T_pmat mat;

    if (whole == NULL)
        HPL_pabort(__LINE__, "system_of", "out of memory");
    HPL_dmatgen(n, n + 1, whole, Mmax(n, 1), seed);
    mat = small_distribute(grid, n, nb, whole);
    for (int j = 0; j < hpl_map_count(&columns, n); j++)
        mat.X[j] = sin((double)hpl_map_global(&columns, j) + 1.0);
    free(whole);
    return mat;
}

static bool differ(double x, double y)
{
    return !(fabs(x - y) <= 1e-13 * fabs(y));
}

/* With no matrix to read. */
static hpl_norms_t norms_by(const hyb_kernel_t *kernel, hyb_team_t *team,
                            const HPL_T_grid *grid, HPL_T_pmat mat, int seed)
{
    hyb_resources_t resources = {.team = team, .kernel = kernel};
    hpl_norms_t norms;

    mat.A = NULL;
    hyb_check_solution(&resources, grid, &mat, seed, &norms);
    return norms;
}

static int wrong_norms_by(const hyb_kernel_t *kernel, hyb_team_t *team,
                          HPL_T_grid *grid, int n, int nb)
{
    HPL_T_pmat mat = system_of(grid, n, nb, HPL_ISEED + n);
    hpl_norms_t is = norms_by(kernel, team, grid, mat, HPL_ISEED + n);
    hpl_norms_t should_be;
    int errors = 0;

    hpl_system_norms(grid, &mat, &should_be);
    errors += differ(is.a_inf, should_be.a_inf);
    errors += differ(is.a_one, should_be.a_one);
    errors += differ(is.b_inf, should_be.b_inf);
    errors += differ(is.x_inf, should_be.x_inf);
    errors += differ(is.x_one, should_be.x_one);
    errors += differ(is.r_inf, should_be.r_inf);
    small_release(&mat);
    return errors;
}

static int wrong_norms(hyb_team_t *team, HPL_T_grid *grid, int n, int nb)
{
    return wrong_norms_by(widest_kernel(), team, grid, n, nb);
}

TEST_EVERYWHERE(every_team_on_every_grid_finds_the_references_norms,
                wrong_norms, {100, 16}, {37, 5}, {161, 1}, {96, 32})
TEST_EVERYWHERE(a_member_may_have_nothing_to_do, wrong_norms, {0, 4}, {1, 1},
                {2, 8}, {5, INT_MAX})

/* More rows than a strip has; strips begin inside blocks. */
TEST(strips_make_up_the_whole_matrix)
{
    int nprow = unit_processes() >= 4 ? 2 : 1, errors = 0;
    hyb_team_t *one = small_team(1), *two = small_team(2);
    HPL_T_grid grid;

    if (small_grid_open(&grid, nprow, unit_processes() / nprow)) {
        errors += wrong_norms(one, &grid, 2500, 72);
        errors += wrong_norms(two, &grid, 1500, 500);
    }
    hyb_team_destroy(one);
    hyb_team_destroy(two);
    small_grid_close(&grid);
    assert_int_equal(errors, 0);
}

TEST(the_kernel_in_use_generates_again_and_multiplies)
{
    assert_int_equal(with_counted_kernel(wrong_norms_by, 100, 8), 0);
    assert_true(generations > 0);
    assert_true(sweeps > 0);
}

/* The norms of a generated system when one entry of x is replaced. */
static hpl_norms_t norms_with(double value)
{
    int nprow = unit_processes() >= 4 ? 2 : 1;
    hpl_norms_t norms = {.r_inf = 0.0};
    hyb_team_t *team = small_team(2);
    HPL_T_pmat mat;
    HPL_T_grid grid;

    if (small_grid_open(&grid, nprow, unit_processes() / nprow)) {
        mat = system_of(&grid, 130, 16, HPL_ISEED);
        if (grid.mycol == grid.npcol - 1)
            mat.X[1] = value;
        norms = norms_by(widest_kernel(), team, &grid, mat, HPL_ISEED);
        small_release(&mat);
    }
    small_grid_close(&grid);
    hyb_team_destroy(team);
    MPI_Bcast(&norms, sizeof(norms), MPI_BYTE, 0, MPI_COMM_WORLD);
    return norms;
}

TEST(a_nan_or_an_infinity_in_x_reaches_its_norms_and_the_residual)
{
    hpl_norms_t norms = norms_with(NAN);

    assert_true(isnan(norms.x_inf) && isnan(norms.x_one));
    assert_true(isnan(norms.r_inf));
    assert_true(isnan(hpl_scaled_residual(&norms, 130)));
    assert_true(isfinite(norms.a_inf) && isfinite(norms.a_one));
    assert_true(isfinite(norms.b_inf));
    norms = norms_with(-INFINITY);
    assert_true(isinf(norms.x_inf) && isinf(norms.x_one));
    assert_false(isfinite(norms.r_inf));
    assert_false(hpl_scaled_residual(&norms, 130) < 16.0);
}
