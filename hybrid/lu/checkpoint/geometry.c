/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/geometry.h"

enum { OUT, IN }; /* of the matrix in host memory */

/* Rows of a piece from this one on, between elements and host memory. */
static void copy_rows(const hyb_lu_t *lu, const hyb_piece_t *p, int64_t from,
                      double *elements, int way)
{
    const HPL_T_pmat *mat = lu->mat;
    int64_t rows = p->row + p->rows - from;

    for (int64_t j = 0; j < p->cols && rows > 0; j++) {
        double *here = Mptr(mat->A, from, p->col + j, mat->ld);
        double *there = elements + j * p->rows + (from - p->row);

        memcpy(way == OUT ? there : here, way == OUT ? here : there,
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

static hyb_place_t *home_of(const hyb_lu_t *lu, const hyb_piece_t *p)
{
    return hyb_home_of(&lu->homes, hyb_ledger_block(&lu->ledger, p->col));
}

static xh_rectangle_t part_of(const hyb_piece_t *p)
{
    return (xh_rectangle_t){p->row, p->rows, p->col, p->cols};
}

void hyb_piece_gather(const hyb_lu_t *lu, const hyb_piece_t *p, int first,
                      double *elements_p)
{
    hyb_place_t *home = home_of(lu, p);
    xh_rectangle_t part = part_of(p);

    if (home->save == NULL) {
        copy_rows(lu, p, p->row, elements_p, OUT);
        return;
    }
    home->save(home, hyb_ledger_block(&lu->ledger, p->col), &part, elements_p);
    copy_rows(lu, p, first_kept(lu, p, first), elements_p, OUT);
}

void hyb_piece_scatter(const hyb_lu_t *lu, const hyb_piece_t *p, int first,
                       double *elements)
{
    hyb_place_t *home = home_of(lu, p);
    xh_rectangle_t part = part_of(p);

    if (home->restore == NULL) {
        copy_rows(lu, p, p->row, elements, IN);
        return;
    }
    home->restore(home, hyb_ledger_block(&lu->ledger, p->col), &part, elements);
    copy_rows(lu, p, first_kept(lu, p, first), elements, IN);
}
