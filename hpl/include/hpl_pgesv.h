/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PGESV_H
#define HPL_PGESV_H

#include "hpl_misc.h"

/*
 * Solve A x = b: factor P A = L U with row pivoting, applied to b as it goes,
 * then U x = y. Runs in the solver in use (hpl_solver.h).
 *
 * GRID, ALGO  in      the same on all processes of the grid
 * A           in,out  [ A | b ] on entry; U and L's columns, unpermuted to the
 *                     left of each panel, on exit; A->X out: x; A->info out
 */
void HPL_pdgesv(HPL_T_grid *GRID, HPL_T_palg *ALGO, HPL_T_pmat *A);

/*
 * Solve U x = y, where y is column n of AMAT. x is left in AMAT->X, laid out
 * as the columns of A and equal on all process rows.
 */
void HPL_pdtrsv(HPL_T_grid *GRID, HPL_T_pmat *AMAT);

/*
 * Apply PANEL, known on this process, to its next NN local columns that it has
 * not been applied to: interchange rows, U := L1^-1 U, C := C - L2 U.
 * Collective over the process column.
 *
 * PBCST  in,out  a panel whose broadcast is to be polled meanwhile, or NULL
 * IFLAG  in,out  its state, as from HPL_bcast; NULL if PBCST is
 * NN     in      at most PANEL->nq
 *
 * The names: the form of L1, then that of U; T is transposed.
 */
hpl_update_fn_t HPL_pdupdateNN, HPL_pdupdateNT, HPL_pdupdateTN, HPL_pdupdateTT;

#endif
