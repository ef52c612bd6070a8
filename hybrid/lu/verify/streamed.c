/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

#include <stdlib.h>

/* Tiles are summed up before they land and as they do, while they are in cache:
 * by column and strip of rows. */

typedef enum { BEFORE, AFTER } moment_t;

static hyb_check_sums_t *sums_of(const hyb_tile_sums_t *t, moment_t moment,
                                 int64_t strip, int64_t col)
{
    return t->sums + (moment * t->tiling.rows + strip) * t->tiling.n + col;
}

/* Of the product's first row. */
static const double *weights(const hyb_tile_sums_t *t)
{
    return hyb_row_weights(t->lu, t->k + 1) + t->from;
}

static void sum(const hyb_tile_sums_t *t, moment_t moment,
                const hyb_tile_t *tile, int64_t col, const double *column)
{
    t->lu->means.kernel->sum_column(column, weights(t) + tile->part.row,
                                    tile->part.rows,
                                    sums_of(t, moment, tile->row, col));
}

static void sum_before(void *tiles, const hyb_tile_t *tile, int64_t col,
                       const double *column)
{
    sum(tiles, BEFORE, tile, col, column);
}

static void sum_landed(void *tiles, const hyb_tile_t *tile, int64_t col,
                       const double *column)
{
    sum(tiles, AFTER, tile, col, column);
}

/* Room for so many sums; without memory there is none. */
static void reserve(hyb_tile_sums_t *t, size_t count)
{
    if (count <= t->room)
        return;
    free(t->sums);
    t->sums = malloc(count * sizeof(*t->sums));
    t->room = t->sums != NULL ? count : 0;
}

hyb_product_watch_t hyb_carried_watch(hyb_lu_t *lu, int k,
                                      const xh_gemm_t *product,
                                      const hyb_tiling_t *tiling,
                                      int64_t column)
{
    hyb_tile_sums_t *t;
    size_t count = (size_t)(2 * tiling->rows * tiling->n);

    if (lu->carried == NULL)
        return (hyb_product_watch_t){NULL, NULL, NULL};
    t = &lu->carried->tiles;
    reserve(t, count);
    t->lu = lu;
    t->k = k;
    t->product = product;
    t->tiling = *tiling;
    t->column = column;
    t->from = lu->mat->mp - tiling->m;
    if (t->sums == NULL) {
        hyb_forget_columns(lu, column, tiling->n);
        return (hyb_product_watch_t){NULL, NULL, NULL};
    }
    memset(t->sums, 0, count * sizeof(*t->sums));
    return (hyb_product_watch_t){sum_before, sum_landed, t};
}

static void sum_tile(hyb_lu_t *lu, moment_t moment, const hyb_tile_t *tile,
                     xh_view_t c)
{
    if (lu->carried == NULL || lu->carried->tiles.sums == NULL)
        return;
    for (int64_t j = 0; j < c.cols; j++)
        sum(&lu->carried->tiles, moment, tile, tile->part.col + j,
            c.data + j * c.ld);
}

void hyb_carried_begin_tile(hyb_lu_t *lu, const hyb_tile_t *tile, xh_view_t c)
{
    sum_tile(lu, BEFORE, tile, c);
}

void hyb_carried_end_tile(hyb_lu_t *lu, const hyb_tile_t *tile, xh_view_t c)
{
    sum_tile(lu, AFTER, tile, c);
}

hyb_check_sums_t hyb_tile_sums(const hyb_tile_sums_t *t, int64_t col)
{
    hyb_check_sums_t all = {0.0, 0.0, 0.0};

    for (int64_t strip = 0; strip < t->tiling.rows; strip++) {
        const hyb_check_sums_t *one = sums_of(t, AFTER, strip, col);

        all.plain += one->plain;
        all.weighted += one->weighted;
        all.squares += one->squares;
    }
    return all;
}

/* ---- whose tile is wrong -------------------------------------------------
 */

/* By how much a tile's column is: what it has more than C - L2 U. */
static double excess(const hyb_tile_sums_t *t, const hyb_tile_t *tile,
                     int64_t col)
{
    static const double part = 1e-14; /* of huge numbers: rounding */
    const hyb_check_sums_t *before = sums_of(t, BEFORE, tile->row, col);
    const hyb_check_sums_t *after = sums_of(t, AFTER, tile->row, col);
    const double *u = t->product->b.data + col * t->product->b.ld;
    double plain = after->plain - before->plain;
    double weighted = after->weighted - before->weighted, size;
    double all = fabs(before->plain) + fabs(after->plain);

    for (int64_t p = 0; p < t->tiling.k; p++) {
        hyb_check_sums_t l;

        t->lu->means.kernel->sum_column(
            t->product->a.data + tile->part.row + p * t->product->a.ld,
            weights(t) + tile->part.row, tile->part.rows, &l);
        plain += l.plain * u[p];
        weighted += l.weighted * u[p];
        all += fabs(l.plain * u[p]);
    }
    size = fmax(fabs(plain), 0.5 * fabs(weighted));
    if (!(isfinite(plain) && isfinite(weighted)))
        return isfinite(before->plain) ? INFINITY : 0.0;
    return size > part * all ? size : 0.0;
}

/* Where a tile is not seen as it was, this says nothing. */
int hyb_tile_owner(const hyb_tile_sums_t *t, int64_t column, double bound)
{
    int64_t col = column - t->column;
    double most = isfinite(bound) ? bound : 0.0;
    int owner = 0;

    for (int64_t i = 0; i < hyb_tiling_count(&t->tiling); i++) {
        const hyb_tile_t tile = hyb_tiling_tile(&t->tiling, i);
        bool is_here =
            tile.part.col <= col && col < tile.part.col + tile.part.cols;
        double wrong = is_here ? excess(t, &tile, col) : 0.0;

        if (!(wrong > most))
            continue;
        most = wrong;
        owner = t->owner[i];
    }
    return owner;
}
