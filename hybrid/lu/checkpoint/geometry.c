/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/geometry.h"

/* The first row of a piece that the host has beside the columns' device: those
 * of diagonal blocks of finished panels; behind its rows: none. */
static int64_t first_kept(const hyb_lu_t *lu, const hyb_piece_t *p, int first)
{
    int panel = hyb_block_panel(lu, hyb_ledger_block(&lu->ledger, p->col));

    return panel < first ? Mmax(hyb_lu_rows_above(lu, panel) - p->row, 0)
                         : p->rows;
}

/* Its rows from this one on. */
static void move_rows(hyb_place_t *place, const hyb_piece_t *p, int64_t from,
                      int way, double *elements)
{
    int64_t rows = p->rows - from;

    if (rows > 0)
        place->copy(place, p->row + from, p->col, way,
                    (xh_view_t){elements + from, rows, p->cols, p->rows});
}

void hyb_piece_move(const hyb_lu_t *lu, const hyb_piece_t *p, int first,
                    int64_t skip, int way, double *elements)
{
    const hyb_homes_t *homes = &lu->homes;
    hyb_place_t *host = homes->place[0];
    hyb_place_t *home =
        hyb_home_of(homes, hyb_ledger_block(&lu->ledger, p->col));

    move_rows(home, p, skip, way, elements);
    if (home != host)
        move_rows(host, p, first_kept(lu, p, first), way, elements);
}
