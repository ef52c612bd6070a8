/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PGESV_H
#define HPL_PGESV_H

#include "hpl_misc.h"

void HPL_pdgesv(HPL_T_grid *GRID, HPL_T_palg *ALGO, HPL_T_pmat *A);
void HPL_pdtrsv(HPL_T_grid *GRID, HPL_T_pmat *AMAT);
void HPL_pdupdateNN(HPL_T_panel *PBCST, int *IFLAG, HPL_T_panel *PANEL, const int NN);
void HPL_pdupdateNT(HPL_T_panel *PBCST, int *IFLAG, HPL_T_panel *PANEL, const int NN);
void HPL_pdupdateTN(HPL_T_panel *PBCST, int *IFLAG, HPL_T_panel *PANEL, const int NN);
void HPL_pdupdateTT(HPL_T_panel *PBCST, int *IFLAG, HPL_T_panel *PANEL, const int NN);

#endif
