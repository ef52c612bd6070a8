/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/solver/self_test.h"

#include <math.h>
#include "base/arithmetic.h"
#include "base/blas_library.h"
#include "base/log.h"
#include "hpl.h"
#include "hpl/grid/agree.h"
#include "hpl/solver/system.h"

hpl_self_test_size_t hpl_self_test_size(int n, int nb, int processes,
                                        int members, double flop)
{
    enum { PANELS = 3 };
    double share = ceil(n * sqrt((double)members / processes));
    double quick = ceil(cbrt(1.5 * flop * members));
    int small = (int)fmin(share, quick);

    return (hpl_self_test_size_t){
        .n = small, .nb = Mmin(nb, (Mmax(small, 1) + PANELS - 1) / PANELS)};
}

bool hpl_self_test_is_small(const hpl_norms_t *norms, int n)
{
    const double threshold = 16.0;

    return hpl_scaled_residual(norms, n) <= threshold; /* not if it is NaN */
}

void hpl_self_test_judge(hpl_system_t *system, hpl_norms_t *norms_p,
                         char *why_p)
{
    int n = system->mat.n;

    hpl_reference_solver.check(system, HPL_ISEED, norms_p);
    why_p[0] = '\0';
    if (!hpl_self_test_is_small(norms_p, n))
        snprintf(why_p, HPL_SELF_TEST_WHY, "the scaled residual is %g",
                 hpl_scaled_residual(norms_p, n));
}

/* One process of grid logs what is wrong. */
static bool solve(HPL_T_grid *grid, const HPL_T_palg *algo,
                  hpl_self_test_size_t size, const char *executor)
{
    HPL_T_palg form = *algo;
    hpl_system_t *system;
    hpl_norms_t norms;
    char why[HPL_SELF_TEST_WHY];
    int info;

    if (hpl_reference_solver.create(grid, &form, size.n, size.nb, &system) !=
        XH_OK)
        HPL_pabort(__LINE__, "hpl_self_test", "out of memory");
    hpl_reference_solver.generate(system, HPL_ISEED);
    hpl_reference_solver.solve(system, &info);
    hpl_self_test_judge(system, &norms, why);
    hpl_reference_solver.destroy(system);
    if (why[0] == '\0' || grid->iam > 0)
        return true;
    xh_log_error("trust: wrong result of %s: N = %d, NB = %d: %s", executor,
                 size.n, size.nb, why);
    return false;
}

static bool solve_alone(const HPL_T_palg *algo, hpl_self_test_size_t size)
{
    xh_blas_library_t blas = xh_blas_library_identify();
    char executor[2 * XH_BLAS_LIBRARY_TEXT];
    HPL_T_grid alone;
    bool right;

    snprintf(executor, sizeof(executor), "BLAS library %s %s", blas.name,
             blas.version);
    HPL_grid_init(MPI_COMM_SELF, HPL_ROW_MAJOR, 1, 1, &alone);
    right = solve(&alone, algo, size, executor);
    HPL_grid_exit(&alone);
    return right;
}

bool hpl_self_test(HPL_T_grid *grid, const HPL_T_palg *algo, int n, int nb)
{
    const double flop = 2e8;
    int all = grid->nprocs;
    _Atomic int wrong = 0;
    bool right = xh_arithmetic_is_right(&wrong) &&
                 solve_alone(algo, hpl_self_test_size(n, nb, all, 1, flop));

    if (hpl_agree(grid->all_comm, right ? XH_OK : XH_ERR_INTERNAL) != XH_OK ||
        all == 1)
        return right;
    return solve(grid, algo, hpl_self_test_size(n, nb, all, all, flop),
                 "messages of the grid");
}
