/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/geometry.h"

/* Rows of a piece from this one on, between elements and host memory. */
static void copy_rows(const hyb_lu_t *lu, const hyb_piece_t *p, int64_t from,
                      double *elements, int way)
{
    const HPL_T_pmat *mat = lu->mat;
    int64_t rows = p->row + p->rows - from;

    for (int64_t j = 0; j < p->cols && rows > 0; j++) {
        double *here = Mptr(mat->A, from, p->col + j, mat->ld);
        double *there = elements + j * p->rows + (from - p->row);

        memcpy(way == HYB_SAVE ? there : here, way == HYB_SAVE ? here : there,
               (size_t)rows * sizeof(double));
    }
}

/* The first row of a piece that the host has beside the columns' device: those
 * of diagonal blocks of finished panels; behind its rows: none. */
static int64_t first_kept(const hyb_lu_t *lu, const hyb_piece_t *p, int first)
{
    int panel = hyb_block_panel(lu, hyb_ledger_block(&lu->ledger, p->col));

    return panel < first ? Mmax(hyb_lu_rows_above(lu, panel), p->row)
                         : p->row + p->rows;
}

/* Where the columns live, and of some rows on the host. */
void hyb_piece_move(const hyb_lu_t *lu, const hyb_piece_t *p, int first,
                    int64_t skip, int way, double *elements)
{
    int64_t b = hyb_ledger_block(&lu->ledger, p->col);
    hyb_place_t *home = hyb_home_of(&lu->homes, b);
    xh_rectangle_t part = {p->row, p->rows, p->col, p->cols};
    bool is_here = home->copy == NULL;

    if (!is_here)
        home->copy(home, b, &part, way, elements);
    copy_rows(lu, p, is_here ? p->row + skip : first_kept(lu, p, first),
              elements, way);
}
