/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

#include <stdlib.h>

/* Columns are compared with the sums that were carried. */

/* ---- columns that land in tiles -------------------------------------------
 *
 * Tiles are summed up before they land and as they do, while they are in cache:
 * by column and strip of rows.
 */

static hyb_check_sums_t *sums_of(const hyb_lu_t *lu, int moment, int64_t strip,
                                 int64_t col)
{
    const hyb_tiling_t *tiling = &lu->carried->tiles.tiling;

    return lu->carried->tiles.sums +
           (moment * tiling->rows + strip) * tiling->n + col;
}

/* Of the product's first row. */
static const double *tile_weights(const hyb_lu_t *lu)
{
    return hyb_row_weights(lu, lu->carried->tiles.k + 1) +
           lu->carried->tiles.from;
}

static void sum(const hyb_lu_t *lu, int moment, const hyb_tile_t *tile,
                int64_t col, const double *column)
{
    lu->means.kernel->sum_column(column, tile_weights(lu) + tile->part.row,
                                 tile->part.rows,
                                 sums_of(lu, moment, tile->row, col));
}

static void sum_before(void *lu, const hyb_tile_t *tile, int64_t col,
                       const double *column)
{
    sum(lu, HYB_TILE_BEFORE, tile, col, column);
}

static void sum_landed(void *lu, const hyb_tile_t *tile, int64_t col,
                       const double *column)
{
    sum(lu, HYB_TILE_AFTER, tile, col, column);
}

/* Room for so many sums; without memory there is none. */
static void reserve(struct hyb_carried *c, size_t count)
{
    if (count <= c->tiles.room)
        return;
    free(c->tiles.sums);
    c->tiles.sums = malloc(count * sizeof(*c->tiles.sums));
    c->tiles.room = c->tiles.sums != NULL ? count : 0;
}

hyb_product_watch_t hyb_carried_watch(hyb_lu_t *lu, int k,
                                      const xh_gemm_t *product,
                                      const hyb_tiling_t *tiling,
                                      int64_t column)
{
    struct hyb_carried *c = lu->carried;
    size_t count = (size_t)(2 * tiling->rows * tiling->n);

    if (c == NULL)
        return (hyb_product_watch_t){NULL, NULL, NULL};
    reserve(c, count);
    c->tiles.k = k;
    c->tiles.product = product;
    c->tiles.tiling = *tiling;
    c->tiles.column = column;
    c->tiles.from = lu->mat->mp - tiling->m;
    if (c->tiles.sums == NULL) {
        hyb_forget_columns(lu, column, tiling->n);
        return (hyb_product_watch_t){NULL, NULL, NULL};
    }
    memset(c->tiles.sums, 0, count * sizeof(*c->tiles.sums));
    return (hyb_product_watch_t){sum_before, sum_landed, lu};
}

void hyb_carried_sum_tile(hyb_lu_t *lu, const hyb_tile_t *tile, int moment,
                          xh_view_t c)
{
    if (lu->carried == NULL || lu->carried->tiles.sums == NULL)
        return;
    for (int64_t j = 0; j < c.cols; j++)
        sum(lu, moment, tile, tile->part.col + j, c.data + j * c.ld);
}

/* Of column col of the product, of all its tiles, as they are. */
static hyb_check_sums_t landed_sums(const hyb_lu_t *lu, int64_t col)
{
    hyb_check_sums_t all = {0.0, 0.0, 0.0};

    for (int64_t strip = 0; strip < lu->carried->tiles.tiling.rows; strip++) {
        const hyb_check_sums_t *one = sums_of(lu, HYB_TILE_AFTER, strip, col);

        all.plain += one->plain;
        all.weighted += one->weighted;
        all.squares += one->squares;
    }
    return all;
}

/* By how much a tile's column is wrong: what it has more than C - L2 U. */
static double excess(const hyb_lu_t *lu, const hyb_tile_t *tile, int64_t col)
{
    static const double part = 1e-14; /* of huge numbers: rounding */
    const xh_gemm_t *product = lu->carried->tiles.product;
    const hyb_check_sums_t *before =
        sums_of(lu, HYB_TILE_BEFORE, tile->row, col);
    const hyb_check_sums_t *after = sums_of(lu, HYB_TILE_AFTER, tile->row, col);
    const double *u = product->b.data + col * product->b.ld;
    double plain = after->plain - before->plain;
    double weighted = after->weighted - before->weighted, size;
    double all = fabs(before->plain) + fabs(after->plain);

    for (int64_t p = 0; p < lu->carried->tiles.tiling.k; p++) {
        hyb_check_sums_t l;

        lu->means.kernel->sum_column(
            product->a.data + tile->part.row + p * product->a.ld,
            tile_weights(lu) + tile->part.row, tile->part.rows, &l);
        plain += l.plain * u[p];
        weighted += l.weighted * u[p];
        all += fabs(l.plain * u[p]);
    }
    size = hyb_size_of(plain, weighted);
    if (!(isfinite(plain) && isfinite(weighted)))
        return isfinite(before->plain) ? INFINITY : 0.0;
    return size > part * all ? size : 0.0;
}

/* The executor whose tile of column is wrong by more than bound; 0, cores, if
 * none is: then it was wrong before. Where a tile is not seen as it was, this
 * says nothing. */
static int tile_owner(const hyb_lu_t *lu, int64_t column, double bound)
{
    const hyb_tiling_t *tiling = &lu->carried->tiles.tiling;
    int64_t col = column - lu->carried->tiles.column;
    double most = isfinite(bound) ? bound : 0.0;
    int owner = 0;

    for (int64_t i = 0; i < hyb_tiling_count(tiling); i++) {
        const hyb_tile_t tile = hyb_tiling_tile(tiling, i);
        bool is_here =
            tile.part.col <= col && col < tile.part.col + tile.part.cols;
        double wrong = is_here ? excess(lu, &tile, col) : 0.0;

        if (!(wrong > most))
            continue;
        most = wrong;
        owner = lu->carried->tiles.owner[i];
    }
    return owner;
}

/* ---- one column ---------------------------------------------------------- */

typedef struct { /* one column, once it has met panels 0 .. k - 1 */
    hyb_lu_t *lu;
    int64_t column;
    int k;
    double *a;                     /* its trailing rows */
    hyb_check_sums_t sum;          /* as it is */
    double plain, weighted, bound; /* by how much it differs */
    bool landed;                   /* in tiles */
} comparison_t;

static comparison_t comparison(hyb_lu_t *lu, int64_t column, int k)
{
    return (comparison_t){
        .lu = lu,
        .column = column,
        .k = k,
        .a = Mptr(lu->mat->A, hyb_lu_rows_above(lu, k), column, lu->mat->ld)};
}

static void compare_sums(comparison_t *c)
{
    const hyb_carried_column_t *carried = &c->lu->carried->column[c->column];
    int64_t rows = c->lu->mat->mp - hyb_lu_rows_above(c->lu, c->k);
    double squares;

    squares = c->sum.squares;
    if (!(squares < HYB_MOST_SQUARES) && carried->huge > 0.0)
        squares = 0.0;
    c->plain = c->sum.plain - carried->plain;
    c->weighted = c->sum.weighted - carried->weighted;
    c->bound = hyb_column_bound(carried, 2.0 * hyb_noise_sum(rows, squares));
}

static void compare(comparison_t *c)
{
    c->sum = hyb_sums_now(c->lu, c->a, c->k);
    compare_sums(c);
}

/* Of the largest element, or one that is no number. */
static int64_t largest_row(const double *a, int64_t rows)
{
    int64_t row = 0;

    for (int64_t i = 1; i < rows && !isnan(a[row]); i++)
        if (!(fabs(a[i]) <= fabs(a[row])))
            row = i;
    return row;
}

/* The trailing row of the single wrong element, or -1. */
static int64_t wrong_row(const comparison_t *c)
{
    int64_t from = hyb_lu_rows_above(c->lu, c->k), rows = c->lu->mat->mp - from;

    if (!isfinite(c->plain) || !isfinite(c->bound))
        return rows > 0 ? largest_row(c->a, rows) : -1;
    return hyb_sums_row(hyb_row_weights(c->lu, c->k) + from, rows, c->plain,
                        c->weighted, c->bound);
}

/* Give the element the value that the sums ask for, if both ask for one. */
static bool repair(comparison_t *c, int64_t row)
{
    double *element = c->a + row, was = *element;

    *element = 0.0;
    compare(c);
    *element = -c->plain;
    compare(c);
    if (!hyb_sums_differ(c->plain, c->weighted, c->bound))
        return true;
    *element = was;
    compare(c);
    return false;
}

int64_t hyb_repair_column(hyb_lu_t *lu, int64_t column, int k, double *a)
{
    comparison_t c = {.lu = lu, .column = column, .k = k, .a = a};
    int64_t row;

    compare(&c);
    row = wrong_row(&c);
    if (row < 0 || !repair(&c, row))
        return -1;
    hyb_carry_on(lu, column, &c.sum, lu->mat->mp - hyb_lu_rows_above(lu, k));
    return row;
}

static void raise_at(comparison_t *c)
{
    hyb_alarm_t alarm =
        hyb_alarm_at(c->lu, HYB_FOUND_UPDATE, c->k - 1, c->column);
    int64_t row = wrong_row(c), from = hyb_lu_rows_above(c->lu, c->k);
    int64_t block = hyb_ledger_block(&c->lu->ledger, c->column);

    alarm.device = (c->landed ? tile_owner(c->lu, c->column, c->bound)
                              : hyb_home_number(&c->lu->homes, block)) -
                   1;
    alarm.row = hyb_global_row(c->lu, row < 0 ? -1 : from + row);
    alarm.size = fabs(c->plain);
    alarm.expected = c->bound;
    alarm.is_repaired = row >= 0 && c->lu->carried->repairs && repair(c, row);
    hyb_alarm_raise(c->lu, &alarm);
}

/* What is carried on are the sums of the column, as it is now. */
static void judge(comparison_t *c)
{
    int64_t rows = c->lu->mat->mp - hyb_lu_rows_above(c->lu, c->k);

    if (hyb_begins_late(c->lu, c->column, c->k)) {
        hyb_begin_column(c->lu, c->column, &c->sum, rows);
        return;
    }
    hyb_note_closeness(c->lu, c->plain, c->weighted, c->bound);
    if (hyb_sums_differ(c->plain, c->weighted, c->bound))
        raise_at(c);
    hyb_carry_on(c->lu, c->column, &c->sum, rows);
}

static bool can_compare(const hyb_lu_t *lu, int64_t column, int k)
{
    return lu->carried->column[column].is_known ||
           hyb_begins_late(lu, column, k);
}

static void compare_column(hyb_lu_t *lu, int64_t column, int k)
{
    comparison_t c = comparison(lu, column, k);

    if (!can_compare(lu, column, k))
        return;
    compare(&c);
    judge(&c);
}

static void compare_columns(hyb_lu_t *lu, hyb_run_t run, int k)
{
    for (int64_t j = run.from; j < run.from + run.count; j++)
        compare_column(lu, j, k);
    atomic_fetch_add(&lu->carried->found.compared, run.count);
}

bool hyb_carried_repairs(const hyb_lu_t *lu)
{
    return lu->carried != NULL && lu->carried->repairs;
}

bool hyb_carried_is_due(const hyb_lu_t *lu, const hyb_step_t *step,
                        int64_t block)
{
    const struct hyb_carried *c = lu->carried;

    return c != NULL &&
           ((c->repairs && hyb_step_is_next(step, block)) ||
            (block + step->k) % c->every == 0 ||
            hyb_begins_late(lu, hyb_ledger_first(&lu->ledger, block),
                            step->k + 1));
}

void hyb_carried_compare(hyb_lu_t *lu, const hyb_step_t *step, hyb_run_t run)
{
    if (hyb_carried_is_due(lu, step, hyb_ledger_block(&lu->ledger, run.from)))
        compare_columns(lu, run, step->k + 1);
}

static void compare_landed(hyb_lu_t *lu, int64_t column, int k,
                           const hyb_check_sums_t *sum)
{
    comparison_t c = comparison(lu, column, k);

    c.sum = *sum;
    c.landed = true;
    if (!can_compare(lu, column, k))
        return;
    compare_sums(&c);
    judge(&c);
}

void hyb_carried_compare_tiles(hyb_lu_t *lu, hyb_run_t run,
                               const int16_t *owner)
{
    struct hyb_carried *c = lu->carried;

    if (c == NULL || c->tiles.sums == NULL)
        return;
    c->tiles.owner = owner;
    for (int64_t j = run.from; j < run.from + run.count; j++) {
        hyb_check_sums_t all = landed_sums(lu, j - c->tiles.column);

        compare_landed(lu, j, c->tiles.k + 1, &all);
    }
    atomic_fetch_add(&c->found.compared, run.count);
}

/* ---- the end ------------------------------------------------------------- */

void hyb_carried_end(hyb_lu_t *lu)
{
    hyb_run_t run;

    if (lu->carried == NULL)
        return;
    hyb_carried_open(lu, lu->range.panels); /* of the last panel */
    if (lu->grid->nprow > 1)
        hyb_finish_left_over(lu);
    run = hyb_ledger_columns(&lu->ledger,
                             hyb_lu_trailing(lu, lu->range.panels - 1));
    compare_columns(lu, run, lu->range.panels);
}
