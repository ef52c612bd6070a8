/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PANEL_H
#define HPL_PANEL_H

#include "hpl_misc.h"

int HPL_pdpanel_disp(HPL_T_panel **PANEL);
int HPL_pdpanel_free(HPL_T_panel *PANEL);
void HPL_pdpanel_init(HPL_T_grid *GRID, HPL_T_palg *ALGO, const int M, const int N, const int JB, HPL_T_pmat *A, const int IA, const int JA, const int TAG, HPL_T_panel *PANEL);
void HPL_pdpanel_new(HPL_T_grid *GRID, HPL_T_palg *ALGO, const int M, const int N, const int JB, HPL_T_pmat *A, const int IA, const int JA, const int TAG, HPL_T_panel **PANEL);

#endif
