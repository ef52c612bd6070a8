/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include "base/median.h"
#include "hybrid/lu/guard/check_columns_private.h"

/* ---- what rounding explains ---------------------------------------------- */

/*
 * Return the standard deviation of c - A w in a row after `pivots` columns of
 * panels have been eliminated, up to a factor of two or three, which `learn`
 * measures. The deviation grows faster than a sum of independent errors, since
 * errors are eliminated like all elements, and elements grow. The formula was
 * fitted to runs with N of 200 to 16000 and NB of 8 to 256, which had 0.3 to 2
 * times its value.
 */
static double expected(const hyb_check_columns_t *c, int place, int64_t pivots)
{
    double nb = Mmax(c->nb, 8), columns = (double)c->ledger->columns_of_ab;

    return 0x1p-53 * c->place[place].scale *
           (0.5 * sqrt(columns) + (double)pivots * sqrt(nb / 64.0));
}

enum { SAMPLE = 255, ENOUGH = 16 };

/* Return the quotient of the median of the magnitudes in `z`, which a few wrong
 * rows do not change, and `size`, the expected deviation of the rows. With
 * fewer than ENOUGH rows the quotient stays as it was: `ratio`. */
static double learn(double ratio, const double *z, int64_t rows, double size)
{
    static const double median = 0.6745, least = 0.5, most = 3.0;
    double value[SAMPLE];
    int64_t step = xh_units(rows, SAMPLE);
    int count = 0;

    if (rows < ENOUGH || !(size > 0.0))
        return ratio;
    for (int64_t i = 0; i < rows; i += step)
        value[count++] = isnan(z[i]) ? INFINITY : fabs(z[i]);
    ratio = xh_median(value, count) / (median * size);
    return fmin(fmax(ratio, least), most);
}

/* Return the largest difference that rounding explains in rows after `pivots`
 * columns have been eliminated. First learn from `z`, unless it is NULL. */
static double bound_of(hyb_check_columns_t *c, int place, const double *z,
                       int64_t rows, int64_t pivots)
{
    static const double deviations = 20.0;
    double size = expected(c, place, pivots), *ratio = &c->place[place].ratio;

    if (z != NULL)
        *ratio = learn(*ratio, z, rows, size);
    return deviations * size * *ratio;
}

/* If exactly one element of the row is wrong, z2 / z1 is the weight of its
 * column. Return this column, or -1 if no column has this weight or rounding
 * hides it. */
static int64_t wrong_column(double n, double z1, double z2, double bound)
{
    double at = (z2 / z1 - 1.0) * n, slack = n * 0.25 * bound / fabs(z1);

    return isfinite(at) && slack < 0.25 && fabs(at - round(at)) < 0.25 &&
                   at > -0.5 && at < n + 0.5
               ? (int64_t)round(at)
               : -1;
}

/* Return the magnitude of a row's differences. */
static double size_of(double z1, double z2)
{
    return fmax(fabs(z1), 0.5 * fabs(z2));
}

/* Return the magnitude of a row's differences, or 0 if rounding explains both.
 */
static double excess(hyb_alarms_t *alarms, double z1, double z2, double bound)
{
    double size = size_of(z1, z2);

    if (isnan(z1) || isnan(z2) || !isfinite(bound))
        return INFINITY;
    if (size > bound)
        return size;
    hyb_alarm_note(alarms, size, bound);
    return 0.0;
}

/* Raise the alarm that row number `at` of `r` is wrong. */
static void raise(hyb_check_columns_t *c, const hyb_compared_t *r, int64_t at,
                  double bound)
{
    int64_t row = r->row != NULL ? r->row[at] : r->first + at;
    double z1 = r->z[at], z2 = r->z[at + r->ld];
    hyb_alarm_t alarm =
        hyb_alarm(r->panel != NULL ? HYB_FOUND_PANEL : HYB_FOUND_ROW, r->k);

    alarm.row = row < 0 ? -1 : hpl_map_global(&c->rows, row);
    alarm.column = wrong_column(Mmax(c->mat->n, 1), z1, z2, bound);
    alarm.size = size_of(z1, z2);
    alarm.expected = bound;
    if (r->panel == NULL || r->panel->by_device)
        alarm.device = r->place - 1;
    if (r->panel == NULL)
        alarm.first_iteration = Mmin(c->place[r->place].right_until, r->k);
    else if (r->process_row != c->grid->myrow)
        alarm.sender = hyb_check_columns_rank(c, r->process_row);
    c->place[r->place].has_alarm = true;
    hyb_alarm_raise(&c->alarms, alarm);
}

/* Return the index of the row with the largest excess, or -1 if all rows are
 * correct. */
static int64_t worst(hyb_alarms_t *alarms, const hyb_compared_t *r,
                     double bound)
{
    double most = 0.0;
    int64_t at = -1;

    for (int64_t i = 0; i < r->rows; i++) {
        double size = excess(alarms, r->z[i], r->z[i + r->ld], bound);

        if (size > most) {
            most = size;
            at = i;
        }
    }
    return at;
}

void hyb_check_columns_judge(hyb_check_columns_t *check,
                             const hyb_compared_t *r)
{
    struct hyb_checked_place *place = &check->place[r->place];
    int64_t pivots = Mmin((r->k + 1) * check->nb, (int64_t)check->mat->n), at;
    double bound;

    if (place->has_alarm || check->alarms.has_nan || r->rows == 0 ||
        (r->panel == NULL && pivots >= place->end))
        return;
    bound = bound_of(check, r->place, r->panel == NULL ? r->z : NULL, r->rows,
                     pivots);
    /* The sums had a NaN from the start. */
    if (r->panel != NULL && !isfinite(bound))
        return;
    at = worst(&check->alarms, r, bound);
    atomic_fetch_add(&check->alarms.compared, r->rows);
    if (at >= 0)
        raise(check, r, at, bound);
    else if (r->row == NULL)
        place->right_until = r->k + 1;
}

void hyb_check_columns_open(hyb_check_columns_t *check, int k)
{
    int over = k - HYB_SWEEPS;
    const double *z;
    int64_t from;

    if (!hyb_check_columns_due(check, over) ||
        (z = hyb_check_columns_swept(check, over)) == NULL)
        return;
    from = hyb_lu_rows_above(check->grid, check->mat, over + 1);
    hyb_check_columns_judge(check,
                            &(hyb_compared_t){.place = 0,
                                              .k = over,
                                              .first = from,
                                              .rows = check->mat->mp - from,
                                              .z = z + from,
                                              .ld = check->mat->mp});
}

/* ---- all rows, while nothing moves --------------------------------------- */

typedef struct { /* the first wrong row of a place */
    int place;
    int64_t row; /* -1: all rows are correct */
    double bound, z[HYB_CHECK_COLUMNS];
} wrong_row_t;

/* Find the first wrong row of `place`. Rows are compared from the top, as a
 * wrong row makes rows below it wrong. */
static wrong_row_t compare_place(hyb_check_columns_t *c, int place, int panels)
{
    enum { ROWS = 64 };
    int64_t mp = c->mat->mp, eliminated = Mmin(panels * c->nb, c->mat->n), rows;
    double *z = c->work, bound = 0.0;
    int64_t at = -1;

    hyb_check_columns_difference(c, place, panels, z);
    for (int64_t i = 0; i < mp && at < 0; i += rows) {
        rows = mp - i < ROWS + ENOUGH ? mp - i : ROWS;
        bound = bound_of(
            c, place, z + i, rows,
            Mmin(hpl_map_global(&c->rows, i + rows - 1) + 1, eliminated));
        for (int64_t j = i; j < i + rows && at < 0; j++)
            if (hpl_map_global(&c->rows, j) < c->place[place].end &&
                excess(&c->alarms, z[j], z[j + mp], bound) > 0.0)
                at = j;
    }
    atomic_fetch_add(&c->alarms.compared, mp);
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

void hyb_check_columns_compare(hyb_check_columns_t *check, int panels)
{
    wrong_row_t first = {.row = -1}, found;

    if (check == NULL || !hyb_alarms_are_silent(&check->alarms))
        return;
    for (int i = 0; i < check->homes->places; i++) {
        if (check->homes->check[i] < 0)
            continue;
        found = compare_place(check, i, panels);
        if (is_before(&found, &first))
            first = found;
    }
    if (first.row >= 0)
        raise(check,
              &(hyb_compared_t){.place = first.place,
                                .k = Mmax(panels - 1, 0),
                                .row = &first.row,
                                .z = first.z,
                                .ld = 1},
              0, first.bound);
}

void hyb_check_columns_compare_products(hyb_check_columns_t *check, int place,
                                        const hpl_product_t *p,
                                        const double *again)
{
    static const double part = 1e-13;
    hyb_alarm_t alarm = hyb_alarm(HYB_FOUND_SOLUTION, check->range->panels);
    double most = 0.0, difference = 0.0;

    for (int i = 0; i < p->m; i++) {
        most = fmax(most, fabs(again[i]));
        if (!(fabs(p->y[i] - again[i]) <= difference))
            difference = fabs(p->y[i] - again[i]);
    }
    if (difference <= part * most || check->alarms.has_nan ||
        check->place[place].has_alarm)
        return;
    check->place[place].has_alarm = true;
    alarm.device = place - 1;
    hyb_alarm_raise(&check->alarms, alarm);
}
