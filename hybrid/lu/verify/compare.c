/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

/* Columns are compared with the sums that were carried. */

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
        .a = Mptr(lu->mat->A, hyb_rows_before(lu, k), column, lu->mat->ld)};
}

static void compare_sums(comparison_t *c)
{
    const hyb_carried_column_t *carried = &c->lu->carried->column[c->column];
    int64_t rows = c->lu->mat->mp - hyb_rows_before(c->lu, c->k);
    double squares;

    squares = c->sum.squares;
    if (!(squares < HYB_MOST_SQUARES) && carried->huge > 0.0)
        squares = 0.0;
    c->plain = c->sum.plain - carried->plain;
    c->weighted = c->sum.weighted - carried->weighted;
    c->bound = hyb_column_bound(
        carried, 2.0 * hyb_noise_sum(HYB_SUMS_OF_HOST, rows, squares));
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
    int64_t from = hyb_rows_before(c->lu, c->k), rows = c->lu->mat->mp - from;

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
    hyb_carry_on(lu, column, &c.sum, lu->mat->mp - hyb_rows_before(lu, k));
    return row;
}

static void raise_at(comparison_t *c)
{
    hyb_alarm_t alarm =
        hyb_alarm_at(c->lu, HYB_FOUND_UPDATE, c->k - 1, c->column);
    hyb_repair_t repaired = HYB_NOT_REPAIRED;
    int64_t row = wrong_row(c), from = hyb_rows_before(c->lu, c->k);
    int64_t block = hyb_ledger_block(&c->lu->ledger, c->column);

    alarm.device =
        (c->landed ? hyb_tile_owner(&c->lu->carried->tiles, c->column, c->bound)
                   : hyb_home_number(&c->lu->homes, block)) -
        1;
    alarm.row = hyb_global_row(c->lu, row < 0 ? -1 : from + row);
    alarm.size = fabs(c->plain);
    alarm.expected = c->bound;
    if (row >= 0 && c->lu->carried->repairs && repair(c, row))
        repaired = HYB_REPAIRED;
    hyb_alarm_raise(&c->lu->carried->alarms, &alarm, repaired);
}

/* What is carried on are the sums of the column, as it is now. */
static void judge(comparison_t *c)
{
    int64_t rows = c->lu->mat->mp - hyb_rows_before(c->lu, c->k);

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
    atomic_fetch_add(&lu->carried->alarms.compared, run.count);
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

/* ---- columns that landed in tiles ----------------------------------------
 */

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
    hyb_tile_sums_t *t;

    if (lu->carried == NULL || lu->carried->tiles.sums == NULL)
        return;
    t = &lu->carried->tiles;
    t->owner = owner;
    for (int64_t j = run.from; j < run.from + run.count; j++) {
        hyb_check_sums_t all = hyb_tile_sums(t, j - t->column);

        compare_landed(lu, j, t->k + 1, &all);
    }
    atomic_fetch_add(&lu->carried->alarms.compared, run.count);
}

/* ---- the end -------------------------------------------------------------
 */

void hyb_carried_end(hyb_lu_t *lu)
{
    hyb_run_t run;

    if (lu->carried == NULL)
        return;
    hyb_carried_open(lu, lu->panels); /* of the last panel */
    if (lu->grid->nprow > 1)
        hyb_finish_left_over(lu);
    run = hyb_ledger_columns(&lu->ledger, hyb_lu_trailing(lu, lu->panels - 1));
    compare_columns(lu, run, lu->panels);
}
