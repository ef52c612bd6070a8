/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PFACT_H
#define HPL_PFACT_H

#include "hpl_misc.h"

/*
 * Factor the panel with the variants of its algorithm: on every process of the
 * panel's process column, collectively. Afterwards L1 (unit lower L and upper
 * U, in the form of algo->rffun) and DPIV are equal on all of them, L2 is
 * ready to be broadcast, and the factors are in the matrix too.
 */
void HPL_pdfact(HPL_T_panel *PANEL);

/*
 * Factor columns ICOFF .. ICOFF + N - 1 of PANEL.
 *
 * M     in  local rows from the first column's diagonal on: the panel's mp,
 *           less ICOFF on the owner of its top
 * WORK  scratch  4 + 2 * PANEL->jb doubles
 *
 * The names: pan factors one column at a time; rpan recursively, cutting N
 * columns in algo->nbdiv parts until at most algo->nbmin wide, then calls
 * algo->pffun. ll, cr and rl are left-looking, Crout and right-looking; with T,
 * L1 is stored transposed.
 */
hpl_factor_fn_t HPL_pdpancrN, HPL_pdpancrT, HPL_pdpanllN, HPL_pdpanllT,
    HPL_pdpanrlN, HPL_pdpanrlT, HPL_pdrpancrN, HPL_pdrpancrT, HPL_pdrpanllN,
    HPL_pdrpanllT, HPL_pdrpanrlN, HPL_pdrpanrlT;

#endif
