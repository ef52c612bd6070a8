/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/gemm.h"

#include "base/integers.h"

/* The part of C in tile rows row .. row_end - 1 and tile columns col .. col_end
 * - 1. */
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
 * Find the largest rectangle of consecutive tiles that begins at tile first and
 * ends before tile end. Returns the tile after it.
 */
static int64_t run_of(const hyb_tiling_t *t, int64_t first, int64_t end,
                      xh_rectangle_t *part_p)
{
    hyb_tile_t at = hyb_tiling_tile(t, first);
    int64_t col = at.col - at.col % t->group; /* first column of the group */
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
    if (at.col == col && row_end > at.row) { /* whole rows of one group */
        *part_p = rectangle(t, at.row, row_end, col, col + width);
        return first + (row_end - at.row) * width;
    }
    *part_p = rectangle(t, at.row, at.row + 1, at.col, at.col + count);
    return first + count;
}

int xdg_tiles_cover(const hyb_tiling_t *tiling, int64_t first, int64_t count,
                    xh_rectangle_t parts_p[XDG_COVER_MOST])
{
    int64_t end = first + count;
    int parts = 0;

    while (first < end)
        first = run_of(tiling, first, end, &parts_p[parts++]);
    return parts;
}

int64_t xdg_tiles_last_share(const hyb_tiling_t *tiling, int64_t end,
                             double share)
{
    const double rounding =
        1e-9; /* so that (1 - 2 / 3) of three tiles is one */
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
