/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/parts.h"

#include "hybrid/lu/checkpoint/format.h"

int64_t hyb_part_most(const hyb_lu_t *lu)
{
    return hyb_piece_columns(lu->mat->mp) * Mmax(lu->mat->mp, 1);
}

/* Is block one of columns that are finished? Its panel then. */
static bool is_finished(const hyb_lu_t *lu, int first, int64_t block,
                        int *panel_p)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);

    *panel_p = (int)hpl_map_block_global(&map, block);
    return block < lu->ledger.b && *panel_p < first;
}

bool hyb_part_next(const hyb_lu_t *lu, int first, hyb_part_t *p)
{
    int64_t block, end;
    int panel;

    p->column += p->columns;
    if (p->column >= lu->ledger.columns_of_ab)
        return false;
    block = hyb_ledger_block(&lu->ledger, p->column);
    end = hyb_ledger_first(&lu->ledger, block + 1);
    p->rows = is_finished(lu, first, block, &panel)
                  ? hyb_lu_rows_above(lu, panel + 1)
                  : lu->mat->mp;
    p->columns = Mmin(hyb_piece_columns(lu->mat->mp), end - p->column);
    return true;
}

/* Its rows from this one on. */
static void move_rows(hyb_place_t *place, const hyb_part_t *p, int64_t from,
                      int way, double *elements)
{
    if (from < p->rows)
        place->copy(
            place, from, p->column, way,
            (xh_view_t){elements + from, p->rows - from, p->columns, p->rows});
}

/* The host has the diagonal blocks of all finished panels. */
void hyb_part_move(const hyb_lu_t *lu, int first, const hyb_part_t *p, int way,
                   double *elements)
{
    int64_t block = hyb_ledger_block(&lu->ledger, p->column);
    hyb_place_t *host = lu->homes.place[0];
    hyb_place_t *home = hyb_home_of(&lu->homes, block);
    int panel;

    move_rows(home, p, 0, way, elements);
    if (home != host && is_finished(lu, first, block, &panel))
        move_rows(host, p, hyb_lu_rows_above(lu, panel), way, elements);
}
