/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/tiling.h"

#include "base/integers.h"

enum { ALIGNMENT = 16 }; /* of tile sizes and depths that are free to choose */

/* ---- planning ------------------------------------------------------------ */
/* Numbers of elements are doubles: no product of dimensions overflows. */

/* Tiles of size, <= extent, that extent is cut into; *most_p: the largest. */
static int64_t cut_extent(int64_t extent, int64_t size, int64_t *most_p)
{
    int64_t whole = extent / size, rest = extent % size;

    if (rest >= size - rest) {
        *most_p = size;
        return whole + 1;
    }
    *most_p = size + rest;
    return whole;
}

static void cut(hyb_tiling_t *t, int64_t tile_rows, int64_t tile_cols)
{
    t->tile_rows = xh_smaller(tile_rows, t->m);
    t->tile_cols = xh_smaller(tile_cols, t->n);
    t->rows = cut_extent(t->m, t->tile_rows, &t->most_rows);
    t->cols = cut_extent(t->n, t->tile_cols, &t->most_cols);
}

/* Elements that c_slots tiles of C leave for A and B; may be negative. */
static double left_for_strips(const hyb_tiling_t *t, double elements)
{
    return elements -
           (double)t->c_slots * (double)t->most_rows * (double)t->most_cols;
}

/* Whole strips: all of A's stay if they fit, else as many of B's as fit. */
static bool keep_strips(hyb_tiling_t *t, double elements)
{
    double left = left_for_strips(t, elements);
    double a = (double)t->most_rows * (double)t->k;
    double b = (double)t->most_cols * (double)t->k;
    int64_t two_a = xh_smaller(2, t->rows), two_b = xh_smaller(2, t->cols);
    double fits;

    if (left < (double)two_a * a + b)
        return false;
    t->depth = t->k;
    t->chunks = 1;
    if (left >= (double)t->rows * a + (double)two_b * b) {
        fits = (left - (double)t->rows * a) / b;
        t->a_pieces = t->rows;
        t->b_pieces = xh_smaller(t->cols, xh_larger(2, t->c_slots));
        t->b_pieces = fits < (double)t->b_pieces ? (int64_t)fits : t->b_pieces;
        t->group = 1;
        return true;
    }
    fits = (left - (double)two_a * a) / b;
    t->group = fits < (double)t->cols ? (int64_t)fits : t->cols;
    t->group = xh_units(t->cols, xh_units(t->cols, t->group));
    t->a_pieces = two_a;
    t->b_pieces = t->group;
    return true;
}

/* A size, <= most, that cuts extent evenly, or nearly so but aligned. */
static int64_t even_part(int64_t extent, int64_t most)
{
    int64_t even = xh_units(extent, xh_units(extent, most));
    int64_t aligned = xh_whole_units(even, ALIGNMENT);

    return aligned <= most ? aligned : even;
}

static int64_t shrink(int64_t extent, int64_t size)
{
    return even_part(extent, size - xh_larger(1, size / 8));
}

/* The deepest chunk, up to k, of which two of A and two of B fit. */
static int64_t deepest_chunk(const hyb_tiling_t *t, double elements)
{
    double depth = left_for_strips(t, elements) /
                   (2.0 * ((double)t->most_rows + (double)t->most_cols));

    return depth >= (double)t->k ? t->k : depth < 0.0 ? 0 : (int64_t)depth;
}

/* A tile that stays while chunks pass by: the largest that fits so. */
static bool keep_tile(hyb_tiling_t *t, double elements)
{
    for (;;) {
        int64_t length = xh_larger(t->most_rows, t->most_cols);
        int64_t deepest = deepest_chunk(t, elements);

        if (deepest == t->k)
            return keep_strips(t, elements);
        if (deepest >= xh_smaller(t->k, xh_larger(1, length / 4))) {
            t->depth = even_part(t->k, deepest);
            t->chunks = xh_units(t->k, t->depth);
            t->group = 1;
            t->a_pieces = t->b_pieces = 2;
            return true;
        }
        if (length == 1)
            return false;
        if (t->most_rows >= t->most_cols)
            cut(t, shrink(t->m, t->tile_rows), t->tile_cols);
        else
            cut(t, t->tile_rows, shrink(t->n, t->tile_cols));
    }
}

/* Room for more of B's strips than come next is of no use then. */
static void set_one_column(hyb_tiling_t *t)
{
    t->b_pieces = xh_smaller(t->b_pieces, xh_larger(2, t->c_slots));
    t->group = 1;
}

static bool is_in_range(const hyb_tiling_request_t *r)
{
    return r->m >= 1 && r->n >= 1 && r->k >= 1 && r->tile_rows >= 1 &&
           r->tile_cols >= 1 && r->c_slots >= 1;
}

xh_status_t hyb_tiling_plan(const hyb_tiling_request_t *request,
                            hyb_tiling_t *tiling_p)
{
    double elements = (double)(request->memory / sizeof(double));
    hyb_tiling_t t = {
        .m = request->m,
        .n = request->n,
        .k = request->k,
        .c_slots = request->c_slots,
    };

    if (!is_in_range(request))
        return XH_ERR_ARG;
    cut(&t, request->tile_rows, request->tile_cols);
    if (!keep_strips(&t, elements) && !keep_tile(&t, elements))
        return XH_ERR_MEMORY;
    if (t.rows > INT64_MAX / t.cols)
        return XH_ERR_ARG;
    *tiling_p = t;
    return XH_OK;
}

xh_status_t hyb_tiling_plan_by_columns(const hyb_tiling_request_t *request,
                                       hyb_tiling_t *tiling_p)
{
    xh_status_t status = hyb_tiling_plan(request, tiling_p);

    if (status == XH_OK)
        set_one_column(tiling_p);
    return status;
}

/* ---- asking -------------------------------------------------------------- */

int64_t hyb_tiling_count(const hyb_tiling_t *tiling)
{
    return tiling->rows * tiling->cols;
}

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

hyb_tile_t hyb_tiling_tile(const hyb_tiling_t *tiling, int64_t index)
{
    int64_t in_group = tiling->rows * tiling->group;
    int64_t first = index / in_group * tiling->group;
    int64_t width = xh_smaller(tiling->group, tiling->cols - first);
    hyb_tile_t tile = {.row = index % in_group / width,
                       .col = first + index % in_group % width};

    tile.part =
        rectangle(tiling, tile.row, tile.row + 1, tile.col, tile.col + 1);
    return tile;
}

void hyb_tiling_chunk(const hyb_tiling_t *tiling, int64_t z, int64_t *first_p,
                      int64_t *depth_p)
{
    *first_p = z * tiling->depth;
    *depth_p = xh_smaller(tiling->depth, tiling->k - *first_p);
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

int hyb_tiling_cover(const hyb_tiling_t *tiling, int64_t first, int64_t count,
                     xh_rectangle_t parts_p[HYB_TILING_COVER])
{
    int64_t end = first + count;
    int parts = 0;

    while (first < end)
        first = run_of(tiling, first, end, &parts_p[parts++]);
    return parts;
}

int64_t hyb_tiling_tiles_of(const hyb_tiling_t *tiling, int64_t end,
                            double share)
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

uint64_t hyb_tiling_memory(const hyb_tiling_t *tiling)
{
    int64_t a = tiling->most_rows * tiling->depth;
    int64_t b = tiling->depth * tiling->most_cols;
    int64_t c = tiling->most_rows * tiling->most_cols;

    return sizeof(double) *
           (uint64_t)(tiling->a_pieces * a + tiling->b_pieces * b +
                      tiling->c_slots * c);
}

/* How often each piece of A crosses the link. */
static int64_t a_crossings(const hyb_tiling_t *t)
{
    if (t->rows * t->chunks <= t->a_pieces)
        return 1;
    return t->chunks <= t->a_pieces ? xh_units(t->cols, t->group) : t->cols;
}

hyb_traffic_t hyb_tiling_traffic(const hyb_tiling_t *tiling, bool reads_c)
{
    int64_t b_crossings =
        tiling->group * tiling->chunks <= tiling->b_pieces ? 1 : tiling->rows;
    uint64_t m = (uint64_t)tiling->m, n = (uint64_t)tiling->n;
    uint64_t k = (uint64_t)tiling->k, element = sizeof(double);

    return (hyb_traffic_t){
        .a_in = element * m * k * (uint64_t)a_crossings(tiling),
        .b_in = element * k * n * (uint64_t)b_crossings,
        .c_in = reads_c ? element * m * n : 0,
        .c_out = element * m * n,
    };
}
