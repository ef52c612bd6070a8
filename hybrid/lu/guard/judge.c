/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include "base/median.h"
#include "hybrid/lu/guard/alarm.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/guard/differences.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"

/* ---- what rounding explains ---------------------------------------------- */

/*
 * Return the standard deviation of c - A w in a row after `pivots` columns of
 * panels have been eliminated, up to a factor of two or three, which `learn`
 * measures. The deviation grows faster than a sum of independent errors, since
 * errors are eliminated like all elements, and elements grow. The formula was
 * fitted to runs with N of 200 to 16000 and NB of 8 to 256, which had 0.3 to 2
 * times its value.
 */
static double expected(const hyb_lu_t *lu, int place, int64_t pivots)
{
    double nb = Mmax(Mmin(lu->mat->nb, lu->mat->n), 8);
    double columns = (double)lu->ledger.columns_of_ab;

    return 0x1p-53 * lu->check->place[place].scale *
           (0.5 * sqrt(columns) + (double)pivots * sqrt(nb / 64.0));
}

enum { SAMPLE = 255, ENOUGH = 16 };

/* Set the place's ratio from `size`, the expected deviation of the rows, and
 * the median of their magnitudes, which a few wrong rows do not change. With
 * fewer than ENOUGH rows the ratio stays as it was. */
static void learn(hyb_lu_t *lu, int place, const double *z, int64_t rows,
                  double size)
{
    static const double median = 0.6745, least = 0.5, most = 3.0;
    double value[SAMPLE], ratio;
    int64_t step = xh_units(rows, SAMPLE);
    int count = 0;

    if (rows < ENOUGH || !(size > 0.0))
        return;
    for (int64_t i = 0; i < rows; i += step)
        value[count++] = isnan(z[i]) ? INFINITY : fabs(z[i]);
    ratio = xh_median(value, count) / (median * size);
    lu->check->place[place].ratio = fmin(fmax(ratio, least), most);
}

/* Return the largest difference that rounding explains in rows after `pivots`
 * columns have been eliminated. First learn from `z`, unless it is NULL. */
static double bound_of(hyb_lu_t *lu, int place, const double *z, int64_t rows,
                       int64_t pivots)
{
    static const double deviations = 20.0;
    double size = expected(lu, place, pivots);

    if (z != NULL)
        learn(lu, place, z, rows, size);
    return deviations * size * lu->check->place[place].ratio;
}

/* If exactly one element of the row is wrong, z2 / z1 is the weight of its
 * column. Return this column, or -1 if no column has this weight or rounding
 * hides it. */
static int64_t wrong_column(const hyb_lu_t *lu, double z1, double z2,
                            double bound)
{
    double n = Mmax(lu->mat->n, 1), at = (z2 / z1 - 1.0) * n;
    double slack = n * 0.25 * bound / fabs(z1);

    return isfinite(at) && slack < 0.25 && fabs(at - round(at)) < 0.25 &&
                   at > -0.5 && at < n + 0.5
               ? (int64_t)round(at)
               : -1;
}

static int64_t global_row(const hyb_lu_t *lu, int64_t row)
{
    hpl_map_t map = hpl_map(lu->mat->nb, lu->grid->nprow, lu->grid->myrow);

    return row < 0 ? -1 : hpl_map_global(&map, row);
}

/* Return the magnitude of a row's differences, or 0 if rounding explains both.
 */
static double excess(hyb_lu_t *lu, double z1, double z2, double bound)
{
    double size = fmax(fabs(z1), 0.5 * fabs(z2));

    if (isnan(z1) || isnan(z2) || !isfinite(bound))
        return INFINITY;
    if (size > bound)
        return size;
    hyb_alarm_note(lu, size, bound);
    return 0.0;
}

/* Raise the alarm that row number `at` of `r` is wrong. */
static void raise(hyb_lu_t *lu, const hyb_compared_t *r, int64_t at,
                  double bound)
{
    double z1 = r->z[at], z2 = r->z[at + r->ld];
    hyb_alarm_t alarm = {
        .kind = HYB_FOUND_ROW,
        .first_iteration = Mmin(lu->check->place[r->place].right_until, r->k),
        .iteration = r->k,
        .row = global_row(lu, r->row != NULL ? r->row[at] : r->first + at),
        .column = wrong_column(lu, z1, z2, bound),
        .sender = -1,
        .device = r->place - 1,
        .size = fmax(fabs(z1), 0.5 * fabs(z2)),
        .expected = bound};

    if (r->by_panel) {
        alarm.kind = HYB_FOUND_PANEL;
        alarm.first_iteration = r->k;
        alarm.device = hyb_lu_panel(lu, r->k)->by_device ? r->place - 1 : -1;
        if (r->process_row != lu->grid->myrow)
            alarm.sender = HPL_pnum(lu->grid, r->process_row, lu->grid->mycol);
    }
    lu->check->place[r->place].has_alarm = true;
    hyb_alarm_raise(lu, &alarm);
}

/* Return the index of the row with the largest excess, or -1 if all rows are
 * correct. */
static int64_t worst(hyb_lu_t *lu, const hyb_compared_t *r, double bound)
{
    double most = 0.0;
    int64_t at = -1;

    for (int64_t i = 0; i < r->rows; i++) {
        double size = excess(lu, r->z[i], r->z[i + r->ld], bound);

        if (size > most) {
            most = size;
            at = i;
        }
    }
    return at;
}

void hyb_check_columns_judge(hyb_lu_t *lu, const hyb_compared_t *r)
{
    struct hyb_check_columns *c = lu->check;
    int64_t pivots = Mmin((int64_t)(r->k + 1) * lu->mat->nb, lu->mat->n), at;
    double bound;

    if (c->place[r->place].has_alarm || c->has_nan || r->rows == 0 ||
        (!r->by_panel && pivots >= c->place[r->place].end))
        return;
    bound = bound_of(lu, r->place, r->by_panel ? NULL : r->z, r->rows, pivots);
    if (r->by_panel && !isfinite(bound)) /* the sums had a NaN from the start */
        return;
    at = worst(lu, r, bound);
    atomic_fetch_add(&c->alarms.compared, r->rows);
    if (at >= 0)
        raise(lu, r, at, bound);
    else if (r->row == NULL)
        c->place[r->place].right_until = r->k + 1;
}

void hyb_check_columns_open(hyb_lu_t *lu, int k)
{
    int over = k - HYB_SWEEPS;
    const double *z = hyb_check_columns_swept(lu, over);
    int64_t mp = lu->mat->mp, from;

    if (z == NULL)
        return;
    from = hyb_lu_rows_above(lu, over + 1);
    hyb_check_columns_judge(lu, &(hyb_compared_t){.place = 0,
                                                  .k = over,
                                                  .first = from,
                                                  .rows = mp - from,
                                                  .z = z + from,
                                                  .ld = mp});
}

/* ---- all rows, while nothing moves --------------------------------------- */

typedef struct { /* the first wrong row of a place */
    int place;
    int64_t row; /* -1: all rows are correct */
    double bound, z[HYB_CHECK_COLUMNS];
} wrong_row_t;

/* Find the first wrong row of `place`. Rows are compared from the top, as a
 * wrong row makes rows below it wrong. */
static wrong_row_t compare_place(hyb_lu_t *lu, int place, int panels)
{
    enum { ROWS = 64 };
    int64_t mp = lu->mat->mp, rows, columns, at = -1;
    double *z = lu->check->work, bound = 0.0;

    hyb_check_columns_difference(lu, place, panels, z);
    for (int64_t i = 0; i < mp && at < 0; i += rows) {
        rows = mp - i < ROWS + ENOUGH ? mp - i : ROWS;
        columns = Mmin(global_row(lu, i + rows - 1) + 1,
                       Mmin((int64_t)panels * lu->mat->nb, lu->mat->n));
        bound = bound_of(lu, place, z + i, rows, columns);
        for (int64_t j = i; j < i + rows && at < 0; j++)
            if (global_row(lu, j) < lu->check->place[place].end &&
                excess(lu, z[j], z[j + mp], bound) > 0.0)
                at = j;
    }
    atomic_fetch_add(&lu->check->alarms.compared, mp);
    return at < 0 ? (wrong_row_t){place, -1, bound, {0.0, 0.0}}
                  : (wrong_row_t){place, at, bound, {z[at], z[at + mp]}};
}

/* Is row `a` to be blamed rather than row `b`? The upper row is, as it makes
 * lower rows wrong; in the same row, the place with the larger difference is.
 */
static bool is_before(const wrong_row_t *a, const wrong_row_t *b)
{
    if (a->row < 0 || b->row < 0)
        return b->row < 0 && a->row >= 0;
    return a->row < b->row ||
           (a->row == b->row && !(fabs(a->z[0]) <= fabs(b->z[0])));
}

void hyb_check_columns_compare(hyb_lu_t *lu, int panels)
{
    wrong_row_t first = {.row = -1}, found;

    if (lu->check == NULL || lu->check->has_nan || lu->check->alarms.count > 0)
        return;
    for (int i = 0; i < lu->homes.places; i++) {
        if (lu->homes.check[i] < 0)
            continue;
        found = compare_place(lu, i, panels);
        if (is_before(&found, &first))
            first = found;
    }
    if (first.row >= 0)
        raise(lu,
              &(hyb_compared_t){.place = first.place,
                                .k = Mmax(panels - 1, 0),
                                .row = &first.row,
                                .z = first.z,
                                .ld = 1},
              0, first.bound);
}

void hyb_check_columns_end(hyb_lu_t *lu)
{
    hyb_check_columns_compare(lu, lu->range.panels);
}

static int number_of(const hyb_lu_t *lu, const hyb_place_t *place)
{
    int number = 0;

    while (lu->homes.place[number] != place)
        number++;
    return number;
}

void hyb_check_columns_compare_products(hyb_lu_t *lu, const hyb_place_t *home,
                                        const hpl_product_t *p,
                                        const double *again)
{
    static const double part = 1e-13;
    int place = number_of(lu, home);
    double most = 0.0, difference = 0.0;

    for (int i = 0; i < p->m; i++) {
        most = fmax(most, fabs(again[i]));
        if (!(fabs(p->y[i] - again[i]) <= difference))
            difference = fabs(p->y[i] - again[i]);
    }
    if (difference <= part * most || lu->check->has_nan ||
        lu->check->place[place].has_alarm)
        return;
    lu->check->place[place].has_alarm = true;
    hyb_alarm_raise(lu, &(hyb_alarm_t){.kind = HYB_FOUND_SOLUTION,
                                       .first_iteration = lu->range.panels,
                                       .iteration = lu->range.panels,
                                       .row = -1,
                                       .column = -1,
                                       .sender = -1,
                                       .device = place - 1});
}
