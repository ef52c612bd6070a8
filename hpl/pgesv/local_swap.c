/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/panel/panel.h"
#include "hpl/panel/pivots.h"
#include "hpl/pgesv/local_swap.h"

/* One column: every row read is independent of the others, so misses overlap.
 */
static void permute_column(const hpl_pivots_t *p, int jb, double *column,
                           double *u)
{
    int k, displaced = p->displace_offset[1];

    for (k = 0; k < jb; k++)
        u[p->gather[k].to] = column[p->gather[k].from];
    for (k = 0; k < displaced; k++)
        column[p->displace[k].to] = column[p->displace[k].from];
    memcpy(column, u, (size_t)jb * sizeof(double));
}

void hpl_local_swap(HPL_T_panel *panel, int columns)
{
    const hpl_pivots_t *pivots = hpl_panel_pivots(panel);
    int j;

    hpl_panel_reserve_u(panel, (size_t)panel->jb);
    for (j = 0; j < columns; j++)
        permute_column(pivots, panel->jb, Mptr(panel->A, 0, j, panel->lda),
                       panel->U);
}
