/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl_solver.h"

static const hpl_solver_t *installed = &hpl_reference_solver;

const hpl_solver_t *hpl_solver(void)
{
    return installed;
}

void hpl_solver_install(const hpl_solver_t *solver)
{
    installed = solver != NULL ? solver : &hpl_reference_solver;
}

void HPL_pdgesv(HPL_T_grid *GRID, HPL_T_palg *ALGO, HPL_T_pmat *A)
{
    installed->solve_array(GRID, ALGO, A);
}

double hpl_scaled_residual(const hpl_norms_t *norms, int n)
{
    double eps = HPL_dlamch(HPL_MACH_EPS);

    if (n == 0)
        return 0.0;
    return norms->r_inf /
           (eps * (norms->a_inf * norms->x_inf + norms->b_inf) * (double)n);
}
