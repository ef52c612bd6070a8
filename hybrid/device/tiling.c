/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/tiling.h"

#include <math.h>
#include "base/integers.h"

enum { ALIGNMENT = 16 }; /* chosen tile sizes and depths are multiples */

/* ---- cutting ------------------------------------------------------------- */
/* Numbers of elements are doubles, so that products of dimensions do not
 * overflow. */

/* Number of tiles of at most `size`, <= extent, into which `extent` is cut;
 * *most_p is the size of the largest. */
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

/* Number of doubles in `memory` bytes less c_slots tiles; may be negative. */
static double left_of(const hyb_tiling_t *t, uint64_t memory)
{
    return (double)(memory / sizeof(double)) -
           (double)t->c_slots * (double)t->most_rows * (double)t->most_cols;
}

/*
 * Choose pieces of whole depth: all strips of A if they fit, else as many
 * strips of B as fit, in equal groups. Returns false if two strips of A and one
 * of B do not fit.
 */
static bool keep_strips(hyb_tiling_t *t, uint64_t memory)
{
    double left = left_of(t, memory);
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

/* The size, at most `most`, that cuts `extent` into equal parts; rounded up to
 * the alignment if that is at most `most`, too. */
static int64_t even_size(int64_t extent, int64_t most)
{
    int64_t even = xh_units(extent, xh_units(extent, most));
    int64_t aligned = xh_whole_units(even, ALIGNMENT);

    return aligned <= most ? aligned : even;
}

/* Shrink the tile by an eighth of its longer side. Returns false if it has only
 * one element. */
static bool shrink(hyb_tiling_t *t)
{
    bool by_rows = t->most_rows >= t->most_cols;
    int64_t extent = by_rows ? t->m : t->n;
    int64_t size = by_rows ? t->tile_rows : t->tile_cols;

    if (xh_larger(t->most_rows, t->most_cols) == 1)
        return false;
    size = even_size(extent, size - xh_larger(1, size / 8));
    cut(t, by_rows ? size : t->tile_rows, by_rows ? t->tile_cols : size);
    return true;
}

/* The deepest chunk, up to k, such that two chunks of A and two of B fit. */
static int64_t deepest_chunk(const hyb_tiling_t *t, uint64_t memory)
{
    double depth = left_of(t, memory) /
                   (2.0 * ((double)t->most_rows + (double)t->most_cols));

    return depth >= (double)t->k ? t->k : depth < 0.0 ? 0 : (int64_t)depth;
}

/* Choose the largest tile that can stay on the device while chunks pass by. */
static bool keep_tile(hyb_tiling_t *t, uint64_t memory)
{
    do {
        int64_t length = xh_larger(t->most_rows, t->most_cols);
        int64_t deepest = deepest_chunk(t, memory);

        if (deepest == t->k)
            return keep_strips(t, memory);
        if (deepest >= xh_smaller(t->k, xh_larger(1, length / 4))) {
            t->depth = even_size(t->k, deepest);
            t->chunks = xh_units(t->k, t->depth);
            t->group = 1;
            t->a_pieces = t->b_pieces = 2;
            return true;
        }
    } while (shrink(t));
    return false;
}

xh_status_t hyb_tiling_plan(const hyb_tiling_request_t *r,
                            hyb_tiling_t *tiling_p)
{
    hyb_tiling_t t = {.m = r->m, .n = r->n, .k = r->k, .c_slots = r->c_slots};

    if (r->m < 1 || r->n < 1 || r->k < 1 || r->tile_rows < 1 ||
        r->tile_cols < 1 || r->c_slots < 1)
        return XH_ERR_ARG;
    cut(&t, r->tile_rows, r->tile_cols);
    if (!keep_strips(&t, r->memory) && !keep_tile(&t, r->memory))
        return XH_ERR_MEMORY;
    if (t.rows > INT64_MAX / t.cols)
        return XH_ERR_ARG;
    *tiling_p = t;
    return XH_OK;
}

/* ---- queries ------------------------------------------------------------- */

int64_t hyb_tiling_count(const hyb_tiling_t *tiling)
{
    return tiling->rows * tiling->cols;
}

hyb_tile_t hyb_tiling_tile(const hyb_tiling_t *t, int64_t index)
{
    int64_t in_group = t->rows * t->group;
    int64_t first = index / in_group * t->group;
    int64_t width = xh_smaller(t->group, t->cols - first);
    hyb_tile_t tile = {.index = index,
                       .row = index % in_group / width,
                       .col = first + index % in_group % width};
    xh_rectangle_t *p = &tile.part;

    p->row = tile.row * t->tile_rows;
    p->col = tile.col * t->tile_cols;
    p->rows = tile.row + 1 == t->rows ? t->m - p->row : t->tile_rows;
    p->cols = tile.col + 1 == t->cols ? t->n - p->col : t->tile_cols;
    return tile;
}

uint64_t hyb_tiling_memory(const hyb_tiling_t *tiling)
{
    return sizeof(double) *
           (uint64_t)(tiling->a_pieces * tiling->most_rows * tiling->depth +
                      tiling->b_pieces * tiling->most_cols * tiling->depth +
                      tiling->c_slots * tiling->most_rows * tiling->most_cols);
}

/* ---- the size of a tile -------------------------------------------------- */

static const double call_seconds = 5e-5; /* of one tile's calls */

double hyb_tile_model_seconds(const hyb_tile_model_t *model,
                              const hyb_rate_table_t *rates, int64_t size)
{
    int64_t rows = xh_smaller(size, model->m);
    int64_t cols = xh_smaller(size, model->n);
    double elements = (double)rows * (double)cols;
    double bytes = sizeof(double) * elements;
    double tiles =
        (double)model->m * (double)model->n / model->executors / elements;
    double multiply = 2.0 * (double)model->k * elements /
                      hyb_rate_table_rate(rates, rows, cols, model->k);
    double copy = bytes / rates->link_rate; /* each way */
    double way = multiply + 2.0 * copy + call_seconds, pace;

    if (rates->link_rate == 0.0)
        return (tiles + 1.0) * multiply;
    pace = fmax(fmax(multiply, copy), way / model->slots) + call_seconds;
    tiles += 1.0 - 1.0 / model->executors;
    return tiles * pace + way;
}

int64_t hyb_tile_model_best(const hyb_tile_model_t *model,
                            const hyb_rate_table_t *rates, int64_t fallback)
{
    int64_t best = fallback;
    double least = INFINITY;

    for (int s = 0; s < HYB_RATE_SIZES && rates->rate[0][s] > 0.0; s++) {
        double time = hyb_tile_model_seconds(model, rates, hyb_rate_size(s));

        if (time < least) {
            least = time;
            best = hyb_rate_size(s);
        }
    }
    return xh_smaller(best, xh_larger(model->m, model->n));
}
