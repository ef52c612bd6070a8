/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/gemm.h"

#include "base/integers.h"

/* ---- planning ------------------------------------------------------------ */
/* Numbers of elements are doubles: no product of dimensions overflows. */

/* The deepest chunk, up to k, of which two of A and two of B fit. */
static int64_t deepest_chunk(const hyb_tiling_t *t, uint64_t memory)
{
    double depth = hyb_tiling_left(t, memory) /
                   (2.0 * ((double)t->most_rows + (double)t->most_cols));

    return depth >= (double)t->k ? t->k : depth < 0.0 ? 0 : (int64_t)depth;
}

/* A tile that stays while chunks pass by: the largest that fits so. */
static bool keep_tile(hyb_tiling_t *t, uint64_t memory)
{
    do {
        int64_t length = xh_larger(t->most_rows, t->most_cols);
        int64_t deepest = deepest_chunk(t, memory);

        if (deepest == t->k)
            return hyb_tiling_keep_strips(t, memory);
        if (deepest >= xh_smaller(t->k, xh_larger(1, length / 4))) {
            t->depth = hyb_tiling_even(t->k, deepest);
            t->chunks = xh_units(t->k, t->depth);
            t->group = 1;
            t->a_pieces = t->b_pieces = 2;
            return true;
        }
    } while (hyb_tiling_shrink(t));
    return false;
}

xh_status_t xdg_c_stationary(const hyb_tiling_request_t *request,
                             hyb_tiling_t *tiling_p)
{
    hyb_tiling_t t;

    if (hyb_tiling_begin(request, &t) != XH_OK)
        return XH_ERR_ARG;
    if (!hyb_tiling_keep_strips(&t, request->memory) &&
        !keep_tile(&t, request->memory))
        return XH_ERR_MEMORY;
    if (t.rows > INT64_MAX / t.cols)
        return XH_ERR_ARG;
    *tiling_p = t;
    return XH_OK;
}

/* ---- asking -------------------------------------------------------------- */

/* The part of C of tile rows row .. row_end - 1, columns col .. col_end - 1. */
static xh_rectangle_t rectangle(const hyb_tiling_t *t, int64_t row,
                                int64_t row_end, int64_t col, int64_t col_end)
{
    xh_rectangle_t part = {.row = row * t->tile_rows,
                           .col = col * t->tile_cols};

    part.rows = (row_end == t->rows ? t->m : row_end * t->tile_rows) - part.row;
    part.cols = (col_end == t->cols ? t->n : col_end * t->tile_cols) - part.col;
    return part;
}

/*
 * The largest rectangle that begins at tile first and has no tile from end on,
 * with its tiles next to each other in the order. Returns the tile behind it.
 */
static int64_t run_of(const hyb_tiling_t *t, int64_t first, int64_t end,
                      xh_rectangle_t *part_p)
{
    hyb_tile_t at = hyb_tiling_tile(t, first);
    int64_t col = at.col - at.col % t->group; /* of the group */
    int64_t width = xh_smaller(t->group, t->cols - col);
    int64_t in_group = t->rows * t->group;
    int64_t behind =
        end == hyb_tiling_count(t) ? t->cols : end / in_group * t->group;
    int64_t count = xh_smaller(end - first, col + width - at.col);
    int64_t row_end =
        at.row + xh_smaller((end - first) / width, t->rows - at.row);

    if (at.row == 0 && at.col == col && behind > col) { /* whole groups */
        *part_p = rectangle(t, 0, t->rows, col, behind);
        return first + t->rows * (behind - col);
    }
    if (at.col == col && row_end > at.row) { /* whole rows of one */
        *part_p = rectangle(t, at.row, row_end, col, col + width);
        return first + (row_end - at.row) * width;
    }
    *part_p = rectangle(t, at.row, at.row + 1, at.col, at.col + count);
    return first + count;
}

int xdg_tiles_cover(const hyb_tiling_t *tiling, int64_t first, int64_t count,
                    xh_rectangle_t parts_p[XDG_COVER])
{
    int64_t end = first + count;
    int parts = 0;

    while (first < end)
        first = run_of(tiling, first, end, &parts_p[parts++]);
    return parts;
}

int64_t xdg_tiles_of(const hyb_tiling_t *tiling, int64_t end, double share)
{
    const double rounding = 1e-9; /* (1 - 2 / 3) of three tiles is one */
    double area = share * (double)tiling->m * (double)tiling->n;
    int64_t tile;

    area *= 1.0 + rounding;
    for (tile = end; tile > 0; tile--) {
        xh_rectangle_t part = hyb_tiling_tile(tiling, tile - 1).part;

        area -= (double)part.rows * (double)part.cols;
        if (area < 0.0)
            break;
    }
    return end - tile;
}
