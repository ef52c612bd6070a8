/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/geometry.h"
#include "hybrid/lu/verify/carried_private.h"

/* U that stays in the matrix until the back-substitution reads it. A word's
 * number is that of its row, so that all may be read in any pieces. */

static uint64_t words(const hyb_lu_t *lu, int64_t row, int64_t column,
                      int64_t rows)
{
    return lu->means.kernel->sum_words(
        Mptr(lu->mat->A, row, column, lu->mat->ld), rows, (uint32_t)row);
}

uint64_t hyb_words_of_u(const hyb_lu_t *lu, int64_t column, int64_t rows)
{
    return words(lu, 0, column, rows);
}

/* ---- of columns on devices -------------------------------------------------
 *
 * What devices subtract from y must be A x by their sums
 * of A, and these, of all columns that they have kept, what they were when the
 * columns were last met.
 */

hyb_check_sums_t hyb_carried_sum_y(const hyb_lu_t *lu, const double *y,
                                   int64_t row, int64_t rows)
{
    hyb_check_sums_t sum = {0.0, 0.0, 0.0};

    for (int64_t i = 0; i < rows; i++) {
        sum.plain += y[i];
        sum.weighted += hyb_place_weight(lu, row + i) * y[i];
        sum.squares += y[i] * y[i];
    }
    return sum;
}

/* Is what y lost A x? */
static void compare_y(hyb_lu_t *lu, const hpl_product_t *p, int64_t row,
                      int device, const hyb_check_sums_t *before,
                      const double *sums)
{
    hyb_check_sums_t after = hyb_carried_sum_y(lu, p->y, row, p->m);
    double plain = before->plain - after.plain, squares = 0.0;
    double weighted = before->weighted - after.weighted;
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_U, lu->range.panels - 1, -1);

    for (int64_t j = 0; j < p->n; j++, sums += HYB_SUMS_OF_C) {
        plain -= sums[HYB_SUM_PLAIN] * p->x[j];
        weighted -= sums[HYB_SUM_WEIGHTED] * p->x[j];
        squares += p->x[j] * p->x[j];
    }
    if (!(squares < HYB_MOST_SQUARES && before->squares < HYB_MOST_SQUARES))
        return; /* who made x or y so has said it */
    squares *= p->m * lu->carried->square;
    squares = 2.0 * squares + before->squares + after.squares;
    alarm.device = device;
    alarm.size = hyb_size_of(plain, weighted);
    alarm.expected =
        hyb_noise_bound(hyb_noise_device_sum(p->m + p->n, 2.0 * squares));
    if (hyb_sums_differ(plain, weighted, alarm.expected))
        hyb_alarm_raise(lu, &alarm);
}

void hyb_carried_subtracted(hyb_lu_t *lu, const hpl_product_t *product,
                            int device, const hyb_check_sums_t *before,
                            const double *sums)
{
    int64_t at = product->a - lu->mat->A;
    int64_t column = at / lu->mat->ld;
    struct hyb_carried *c = lu->carried;

    compare_y(lu, product, at % lu->mat->ld, device, before, sums);
    for (int64_t j = column; j < column + product->n; j++) {
        c->kept[j].read += sums[HYB_SUM_PLAIN];
        c->kept[j].read_weighted += sums[HYB_SUM_WEIGHTED];
        c->kept[j].variance +=
            hyb_noise_device_sum(product->m, (double)product->m * c->square);
        sums += HYB_SUMS_OF_C;
    }
}

/* Column, b, has come down from one. */
static void read_kept(hyb_lu_t *lu, int64_t column)
{
    hyb_check_sums_t sum = hyb_carried_sum_y(
        lu, Mptr(lu->mat->A, 0, column, lu->mat->ld), 0, lu->mat->mp);

    lu->carried->kept[column].read = sum.plain;
    lu->carried->kept[column].read_weighted = sum.weighted;
    lu->carried->kept[column].variance +=
        hyb_noise_device_sum(lu->mat->mp, sum.squares);
}

/* All is read. */
static void check_kept(hyb_lu_t *lu)
{
    const struct hyb_carried *c = lu->carried;

    for (int64_t j = 0; j < lu->ledger.columns; j++) {
        double plain = c->kept[j].read - c->kept[j].plain;
        double weighted = c->kept[j].read_weighted - c->kept[j].weighted;
        hyb_alarm_t alarm =
            hyb_alarm_at(lu, HYB_FOUND_U, lu->range.panels - 1, j);
        int64_t block = hyb_ledger_block(&lu->ledger, j);

        alarm.size = hyb_size_of(plain, weighted);
        alarm.expected = hyb_noise_bound(c->kept[j].variance);
        alarm.device = hyb_home_number(&lu->homes, block) - 1;
        /* with no bound, who made what has none has said it */
        if (hyb_is_on_device(lu, j) && lu->carried->column[j].is_known &&
            isfinite(alarm.expected) &&
            hyb_sums_differ(plain, weighted, alarm.expected))
            hyb_alarm_raise(lu, &alarm);
    }
}

/* ---- as it is read ------------------------------------------------------- */

/* The panel that a local column is of, and its rows here before that. */
static int64_t rows_above(const hyb_lu_t *lu, int64_t column, int64_t *end_p)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);
    int panel = (int)(hpl_map_global(&map, column) / lu->mat->nb);

    *end_p = hyb_lu_rows_above(lu, panel + 1);
    return hyb_lu_rows_above(lu, panel);
}

/* b, and the diagonal blocks, which are read otherwise. */
void hyb_carried_begin_read(hyb_lu_t *lu)
{
    int64_t from, end;

    if (lu->carried == NULL)
        return;
    for (int64_t j = 0; j < lu->ledger.columns; j++) {
        if (hyb_is_on_device(lu, j)) {
            if (j >= lu->ledger.columns_of_a)
                read_kept(lu, j);
            continue;
        }
        from = rows_above(lu, j, &end);
        if (j >= lu->ledger.columns_of_a) {
            from = 0;
            end = lu->mat->mp;
        }
        atomic_store(&lu->carried->read[j], words(lu, from, j, end - from));
    }
}

void hyb_carried_read(hyb_lu_t *lu, const double *a, int64_t rows, int64_t cols)
{
    int64_t at = a - lu->mat->A;
    int64_t row = at % lu->mat->ld, column = at / lu->mat->ld;

    for (int64_t j = column; j < column + cols; j++)
        atomic_fetch_add(&lu->carried->read[j], words(lu, row, j, rows));
}

void hyb_carried_end_read(hyb_lu_t *lu)
{
    if (lu->carried == NULL)
        return;
    for (int64_t j = 0; j < lu->ledger.columns; j++) {
        hyb_alarm_t alarm =
            hyb_alarm_at(lu, HYB_FOUND_U, lu->range.panels - 1, j);

        if (!hyb_is_on_device(lu, j) && lu->carried->column[j].is_known &&
            atomic_load(&lu->carried->read[j]) != lu->carried->column[j].stored)
            hyb_alarm_raise(lu, &alarm);
    }
    check_kept(lu);
}

/* ---- as it is saved ------------------------------------------------------ */

void hyb_carried_keep(hyb_lu_t *lu, int k)
{
    struct hyb_carried *c = lu->carried;
    hyb_run_t run;

    if (c == NULL)
        return;
    run = hyb_panel_run(lu, k);
    c->panel.k = k;
    memcpy(c->panel.column, &c->column[run.from],
           (size_t)run.count * sizeof(*c->column));
    memcpy(c->panel.weight, hyb_row_weights(lu, k),
           (size_t)lu->mat->mp * sizeof(*c->panel.weight));
}

/* Of a panel that is factored meanwhile: as they were. */
static const hyb_carried_column_t *sums_of(const hyb_lu_t *lu, int64_t column,
                                           int k, const double **weight_p)
{
    const struct hyb_carried *c = lu->carried;
    int64_t block = hyb_ledger_block(&lu->ledger, column);

    *weight_p = hyb_row_weights(lu, k);
    if (c->panel.k != k || hyb_block_panel(lu, block) != k)
        return &c->column[column];
    *weight_p = c->panel.weight;
    return &c->panel.column[column - hyb_ledger_first(&lu->ledger, block)];
}

static bool has_right_u(const hyb_lu_t *lu, int64_t column,
                        const hyb_carried_column_t *c, int64_t rows)
{
    return hyb_is_on_device(lu, column) ||
           hyb_words_of_u(lu, column, rows) == c->stored;
}

bool hyb_carried_is_right(const hyb_lu_t *lu, int64_t column, int k,
                          const double *a)
{
    int64_t from = hyb_lu_rows_above(lu, k), rows = lu->mat->mp - from;
    const hyb_carried_column_t *c;
    const double *weight;
    hyb_check_sums_t sum;
    double squares;

    if (lu->carried == NULL)
        return true;
    c = sums_of(lu, column, k, &weight);
    if (!c->is_known)
        return true;
    lu->means.kernel->sum_column(a, weight + from, rows, &sum);
    squares =
        sum.squares < HYB_MOST_SQUARES || c->huge == 0.0 ? sum.squares : 0.0;
    return has_right_u(lu, column, c, from) &&
           !hyb_sums_differ(
               sum.plain - c->plain, sum.weighted - c->weighted,
               hyb_column_bound(c, 2.0 * hyb_noise_sum(rows, squares)));
}
