/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PANEL_H
#define HPL_PANEL_H

#include "hpl_misc.h"

/*
 * A panel's life: new (or init of a used one), factor, broadcast, update,
 * free. Each returns HPL_SUCCESS or ends the job.
 */

/*
 * Allocate *PANEL and initialise it as HPL_pdpanel_init does.
 */
void HPL_pdpanel_new(HPL_T_grid *GRID, HPL_T_palg *ALGO, int M, int N, int JB,
                     HPL_T_pmat *A, int IA, int JA, int TAG,
                     HPL_T_panel **PANEL);

/*
 * Let PANEL describe columns JA .. JA + JB - 1 of A from row IA on; memory of
 * an earlier use is kept and grown.
 *
 * M, N  in      global rows and columns from (IA, JA) on, b included
 * JB    in      columns of the panel, 1 .. A->nb; they lie in one block
 * A     in      the distributed matrix; must outlive the panel
 * TAG   in      message tag: different for panels in flight together
 * PANEL in,out  zeroed or initialised before
 */
void HPL_pdpanel_init(HPL_T_grid *GRID, HPL_T_palg *ALGO, int M, int N, int JB,
                      HPL_T_pmat *A, int IA, int JA, int TAG,
                      HPL_T_panel *PANEL);

/* Free what PANEL holds, but not PANEL. */
int HPL_pdpanel_free(HPL_T_panel *PANEL);

/* Free *PANEL and what it holds; *PANEL becomes NULL. */
int HPL_pdpanel_disp(HPL_T_panel **PANEL);

#endif
