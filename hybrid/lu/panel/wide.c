/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/panel/wide.h"

#include <stdlib.h>
#include <string.h>
#include "hpl/panel/pivots.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/lu.h"

static int64_t most_rows(const hyb_lu_t *lu)
{
    return (int64_t)lu->groups.width * lu->mat->nb;
}

xh_status_t hyb_wide_create(hyb_lu_t *lu)
{
    hyb_wide_t *w = &lu->wide;
    int64_t each = most_rows(lu);

    if (lu->groups.width == 1)
        return XH_OK;
    w->rows = calloc(HYB_WIDE_SLOTS * (size_t)each, sizeof(*w->rows));
    if (w->rows == NULL)
        return XH_ERR_MEMORY;
    for (int i = 0; i < HYB_WIDE_SLOTS; i++)
        w->panel[i].DPIV = w->rows + i * each;
    return XH_OK;
}

void hyb_wide_destroy(hyb_lu_t *lu)
{
    for (int i = 0; i < HYB_WIDE_SLOTS; i++)
        free(lu->wide.panel[i].pivots);
    free(lu->wide.rows);
}

/*
 * Make `wide` of the panels in `before`, if there are any, and panel `last`.
 * All pivots are known to be rows of the wide panel, so no owner has to vouch
 * for them.
 */
static void join(hyb_wide_t *w, HPL_T_panel *wide, const HPL_T_panel *before,
                 const HPL_T_panel *last)
{
    HPL_T_panel joined = before != NULL ? *before : *last;
    int jb = before != NULL ? before->jb : 0;

    joined.DPIV = wide->DPIV;
    joined.DINFO = &w->info;
    joined.pcol = joined.grid->mycol;
    joined.jb = jb + last->jb;
    joined.pivots = NULL;
    if (before != NULL)
        memmove(joined.DPIV, before->DPIV, (size_t)jb * sizeof(double));
    memcpy(joined.DPIV + jb, last->DPIV, (size_t)last->jb * sizeof(double));
    free(wide->pivots);
    *wide = joined;
    hpl_panel_pivots(wide);
}

void hyb_wide_join(hyb_lu_t *lu, int k)
{
    hyb_wide_t *w = &lu->wide;
    hyb_group_t group = lu->groups.of[k];
    const HPL_T_panel *last = hyb_lu_panel(lu, k)->hpl, *before = NULL;

    if (group.end == group.first + 1)
        return;
    if (k > group.first)
        before = &w->panel[hyb_groups_slot(&lu->groups, group.first, k)];
    join(w, &w->panel[hyb_groups_slot(&lu->groups, group.first, k + 1)], before,
         last);
}

HPL_T_panel *hyb_wide_panel(hyb_lu_t *lu, int from, int to)
{
    return to == from + 1
               ? hyb_lu_panel(lu, from)->hpl
               : &lu->wide.panel[hyb_groups_slot(&lu->groups, from, to)];
}
