/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl_solver.h"

void HPL_pdgesv(HPL_T_grid *GRID, HPL_T_palg *ALGO, HPL_T_pmat *A)
{
    hpl_solver()->solve_array(GRID, ALGO, A);
}
