/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include "hpl.h"
#include "hpl/panel/panel.h"
#include "hpl/pauxil/map.h"

/* -DHPL_COPY_L: L2 moves to contiguous memory even if it is not sent. */
#ifdef HPL_COPY_L
static const bool always_copy_l = true;
#else
static const bool always_copy_l = false;
#endif

static bool copies_l(int npcol)
{
    return npcol > 1 || always_copy_l;
}

size_t hpl_panel_doubles(int64_t mp, int jb, int npcol)
{
    size_t l2 = copies_l(npcol) ? (size_t)mp * (size_t)jb : 0;

    return l2 + (size_t)jb * (size_t)jb + (size_t)jb + 1;
}

int hpl_panel_top_rows(const HPL_T_panel *panel)
{
    int nprow = panel->grid->nprow;
    hpl_map_t rows = hpl_map(
        panel->nb, nprow, (panel->grid->myrow - panel->prow + nprow) % nprow);

    return (int)hpl_map_count(&rows, panel->jb);
}

/* Set the panel's position in the grid and in the local matrix. */
static void locate(HPL_T_panel *panel)
{
    const HPL_T_grid *grid = panel->grid;
    const HPL_T_pmat *mat = panel->pmat;
    hpl_map_t rows = hpl_map(mat->nb, grid->nprow, grid->myrow);
    hpl_map_t columns = hpl_map_columns(grid, mat->nb);
    int jj = (int)hpl_map_count(&columns, panel->ja);

    panel->prow = hpl_map_owner(&rows, panel->ia);
    panel->pcol = hpl_map_owner(&columns, panel->ja);
    panel->ii = (int)hpl_map_count(&rows, panel->ia);
    panel->mp = mat->mp - panel->ii;
    panel->lda = mat->ld;
    panel->top = Mptr(mat->A, panel->ii, jj, mat->ld);
    panel->jj = jj + (grid->mycol == panel->pcol ? panel->jb : 0);
    panel->nq = mat->nq - panel->jj;
    panel->A = Mptr(mat->A, panel->ii, panel->jj, mat->ld);
}

void HPL_pdpanel_init(HPL_T_grid *GRID, HPL_T_palg *ALGO, int M, int N, int JB,
                      HPL_T_pmat *A, int IA, int JA, int TAG,
                      HPL_T_panel *PANEL)
{
    bool copies = copies_l(GRID->npcol);
    int top, below;

    free(PANEL->pivots);
    PANEL->pivots = NULL; /* all other memory is kept for this panel */
    PANEL->grid = GRID;
    PANEL->algo = ALGO;
    PANEL->pmat = A;
    PANEL->nb = A->nb;
    PANEL->jb = JB;
    PANEL->m = M;
    PANEL->n = N;
    PANEL->ia = IA;
    PANEL->ja = JA;
    PANEL->msgid = TAG;
    locate(PANEL);
    top = hpl_panel_top_rows(PANEL);
    below = PANEL->mp - top;
    hpl_panel_lay_out(PANEL, copies ? (size_t)below * (size_t)JB : 0);
    if (!copies) /* L2 stays in the matrix */
        PANEL->L2 = PANEL->top + top;
    PANEL->ldl2 = copies ? Mmax(below, 1) : PANEL->lda;
}

void HPL_pdpanel_new(HPL_T_grid *GRID, HPL_T_palg *ALGO, int M, int N, int JB,
                     HPL_T_pmat *A, int IA, int JA, int TAG,
                     HPL_T_panel **PANEL)
{
    HPL_T_panel *panel = calloc(1, sizeof(*panel));

    if (panel == NULL)
        HPL_pabort(__LINE__, "HPL_pdpanel_new", "out of memory");
    HPL_pdpanel_init(GRID, ALGO, M, N, JB, A, IA, JA, TAG, panel);
    *PANEL = panel;
}

int HPL_pdpanel_free(HPL_T_panel *PANEL)
{
    free(PANEL->pivots);
    PANEL->pivots = NULL;
    hpl_panel_release(PANEL);
    return HPL_SUCCESS;
}

int HPL_pdpanel_disp(HPL_T_panel **PANEL)
{
    HPL_pdpanel_free(*PANEL);
    free(*PANEL);
    *PANEL = NULL;
    return HPL_SUCCESS;
}
