/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include "base/checksum.h"
#include "hybrid/lu/checkpoint/geometry.h"
#include "hybrid/lu/verify/carried_private.h"

/* ---- weights ------------------------------------------------------------- */

/* 1 or -1, of a row and a column of signs. */
static double sign(int64_t row, int64_t column)
{
    uint64_t place = (uint64_t)(row * HYB_SIGNS + column);

    return xh_mixed(place * 0x9e3779b97f4a7c15) >> 63 != 0 ? -1.0 : 1.0;
}

void hyb_carried_weights(const hyb_lu_t *lu, int64_t rows, double *weights)
{
    for (int64_t i = 0; i < rows; i++) {
        weights[i + HYB_SUM_PLAIN * rows] = 1.0;
        weights[i + HYB_SUM_WEIGHTED * rows] = hyb_place_weight(lu, i);
        for (int64_t s = 0; s < HYB_SIGNS; s++)
            weights[i + (HYB_SUM_SIGNS + s) * rows] = sign(i, s);
    }
}

void hyb_carried_panel_weights(const hyb_lu_t *lu, int k, double *weights,
                               double *l1, double *kept)
{
    const HPL_T_panel *h = lu->flight[k % HYB_IN_FLIGHT].panel.hpl;
    int nb = Mmin(lu->mat->nb, lu->mat->n);

    memcpy(weights, hyb_factor_sums(lu, k)->weight + h->ii,
           (size_t)(lu->mat->mp - h->ii) * sizeof(*weights));
    for (int p = 0; p < h->jb; p++) {
        hyb_check_sums_t sum = hyb_l1_sum(lu, k, p);

        l1[p] = sum.plain;
        l1[p + nb] = sum.weighted;
        kept[p] = hyb_place_weight(lu, h->ii + p);
    }
}

/* ---- squares ------------------------------------------------------------- */

/* Of so many numbers a column's elements: the mean square. */
static double mean_square(const double *sums, int64_t stride, int64_t count,
                          int64_t rows)
{
    enum { MOST = 32 };
    double values[MOST * HYB_SIGNS];
    int64_t step = xh_units(count, MOST), all = 0;

    for (int64_t j = 0; j < count; j += step)
        for (int s = 0; s < HYB_SIGNS; s++)
            values[all++] = sums[j * stride + HYB_SUM_SIGNS + s];
    return hyb_noise_square(values, all, rows);
}

/* Of L's elements, at most 1: by its sums, as if signs were random. */
static double square_of_l(const double *l, int64_t count, int64_t rows)
{
    enum { MOST = 128 };
    double values[MOST];
    int64_t step = xh_units(count, MOST), all = 0;

    for (int64_t p = 0; p < count; p += step)
        values[all++] = l[p];
    return hyb_noise_square(values, all, rows);
}

/* Rows of L here, with L1. */
static int64_t rows_of_l(const HPL_T_panel *h)
{
    return h->mp - hpl_panel_top_rows(h) + h->jb;
}

/* Are L's sums numbers, as those of elements up to 1? */
static bool is_l(const double *l, int64_t count, int64_t rows)
{
    for (int64_t p = 0; p < count; p++)
        if (!(fabs(l[p]) <= (double)rows))
            return false;
    return true;
}

/* ---- carrying and comparing ---------------------------------------------- */

/* Squares of a column's elements: those of all, but where it has far larger
 * ones, of which rounding is larger. */
static double squares_of(const hyb_lu_t *lu, const double *sums, int64_t rows)
{
    enum { FAR = 1000 };
    double all = lu->carried->square, own, values[HYB_SIGNS];

    if (rows == 0)
        return 0.0;
    memcpy(values, sums + HYB_SUM_SIGNS, sizeof(values));
    own = hyb_noise_square(values, HYB_SIGNS, rows);
    return (double)rows * (own > FAR * all ? own : all);
}

static double noise_of(const hyb_lu_t *lu, const double *sums, int64_t rows)
{
    return 2.0 * hyb_noise_device_sum(rows, squares_of(lu, sums, rows));
}

static void start(hyb_lu_t *lu, int64_t column, const double *sums,
                  int64_t rows)
{
    hyb_carried_column_t *c = &lu->carried->column[column];

    c->plain = sums[HYB_SUM_PLAIN];
    c->weighted = sums[HYB_SUM_WEIGHTED];
    c->variance = noise_of(lu, sums, rows);
    c->huge = 0.0;
}

int64_t hyb_carried_first_row(const hyb_lu_t *lu, int64_t block, int64_t *u_p)
{
    int met = hyb_met_at_first(lu, hyb_ledger_first(&lu->ledger, block));

    *u_p = hyb_lu_rows_above(lu, Mmin(met, hyb_block_panel(lu, block)));
    return hyb_lu_rows_above(lu, met);
}

/* The mean square of the run's elements is known. */
static void note_square(hyb_lu_t *lu, hyb_run_t run, const double *sums,
                        int64_t rows)
{
    double square =
        rows > 0 ? mean_square(sums, HYB_SUMS_OF_C, run.count, rows) : 0.0;

    lu->carried->square = fmax(lu->carried->square, square);
}

void hyb_carried_start(hyb_lu_t *lu, hyb_run_t run, const double *sums)
{
    int met = hyb_met_at_first(lu, run.from);
    int64_t rows = lu->mat->mp - hyb_lu_rows_above(lu, met);

    note_square(lu, run, sums, rows);
    for (int64_t j = 0; j < run.count; j++) {
        start(lu, run.from + j, sums + j * HYB_SUMS_OF_C, rows);
        lu->carried->column[run.from + j].is_known =
            !hyb_begins_late(lu, run.from, met + 1);
    }
    memset(lu->carried->kept + run.from, 0,
           (size_t)run.count * sizeof(*lu->carried->kept));
}

void hyb_carried_start_u(hyb_lu_t *lu, hyb_run_t run, const double *sums)
{
    int64_t block = hyb_ledger_block(&lu->ledger, run.from);
    int64_t rows;

    hyb_carried_first_row(lu, block, &rows);
    note_square(lu, run, sums, rows);
    for (int64_t j = run.from; j < run.from + run.count; j++) {
        lu->carried->kept[j].plain = sums[HYB_SUM_PLAIN];
        lu->carried->kept[j].weighted = sums[HYB_SUM_WEIGHTED];
        lu->carried->kept[j].variance =
            hyb_noise_device_sum(rows, (double)rows * lu->carried->square);
        sums += HYB_SUMS_OF_C;
    }
}

static void carry(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, s->k)->hpl;
    double l = fmin(square_of_l(s->l, h->jb, rows_of_l(h)), 1.0), u;

    lu->carried->square =
        fmax(lu->carried->square,
             mean_square(s->u, HYB_SUMS_OF_U, s->run.count, h->jb));
    for (int64_t j = 0; j < s->run.count; j++) {
        int64_t column = s->run.from + j;
        hyb_carried_column_t *c = &lu->carried->column[column];
        const double *sums = s->u + j * HYB_SUMS_OF_U;

        u = squares_of(lu, sums, h->jb);
        c->plain -= sums[HYB_SUM_PLAIN];
        c->weighted -= sums[HYB_SUM_WEIGHTED];
        c->variance += hyb_noise_device_update(rows_of_l(h), h->jb, l, u);
        if (hpl_panel_top_rows(h) == 0) /* U stays on another process */
            continue;
        lu->carried->kept[column].plain += sums[HYB_SUM_KEPT];
        lu->carried->kept[column].weighted += sums[HYB_SUM_KEPT_WEIGHTED];
        lu->carried->kept[column].variance += hyb_noise_device_sum(h->jb, u);
    }
}

/* A column of the run that is wrong comes down; if one element is, that goes up
 * again, and to the panel's columns if these have come down. */
static bool repair(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s,
                   int64_t column)
{
    int64_t from = hyb_lu_rows_above(lu, s->k + 1), row;
    int64_t block = hyb_ledger_block(&lu->ledger, column);
    hyb_place_t *home = hyb_home_of(&lu->homes, block);
    int64_t rows = lu->mat->mp - from;
    double *a = malloc((size_t)rows * sizeof(*a));
    const hyb_step_t *step = hyb_lu_step(lu, s->k);
    xh_view_t came;

    if (a == NULL)
        return false;
    home->copy(home, from, column, HYB_SAVE, (xh_view_t){a, rows, 1, rows});
    row = hyb_repair_column(lu, column, s->k + 1, a);
    if (row >= 0) {
        home->copy(home, from + row, column, HYB_RESTORE,
                   (xh_view_t){a + row, 1, 1, 1});
        if (hyb_step_is_next(step, block) && !step->by_device) {
            came = home->panel_columns(home, s->k + 1);
            came.data[row + (column - s->run.from) * came.ld] = a[row];
        }
    }
    free(a);
    return row >= 0;
}

/* Column j of the run, whose sums differ by so much; is it repaired? */
static bool raise_met(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s,
                      int64_t j, double plain, double weighted, double bound)
{
    int64_t column = s->run.from + j, from = hyb_lu_rows_above(lu, s->k + 1);
    int64_t row = hyb_sums_row(hyb_row_weights(lu, s->k + 1) + from,
                               lu->mat->mp - from, plain, weighted, bound);
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_UPDATE, s->k, column);

    alarm.row = hyb_global_row(lu, row < 0 ? -1 : from + row);
    alarm.device = s->device;
    alarm.size = hyb_size_of(plain, weighted);
    alarm.expected = bound;
    alarm.is_repaired = lu->carried->repairs && repair(lu, s, column);
    hyb_alarm_raise(lu, &alarm);
    return alarm.is_repaired;
}

/* Column j of the run; what is carried on are the sums that it has. */
static void compare(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s, int64_t j)
{
    int64_t column = s->run.from + j, from = hyb_lu_rows_above(lu, s->k + 1);
    hyb_carried_column_t *c = &lu->carried->column[column];
    const double *sums = s->c + j * HYB_SUMS_OF_C;
    double plain = sums[HYB_SUM_PLAIN] - c->plain;
    double weighted = sums[HYB_SUM_WEIGHTED] - c->weighted;
    double bound = hyb_column_bound(c, noise_of(lu, sums, lu->mat->mp - from));
    bool begins = hyb_begins_late(lu, column, s->k + 1);
    bool repaired = false;

    if (!c->is_known && !begins)
        return;
    if (!begins)
        hyb_note_closeness(lu, plain, weighted, bound);
    if (!begins && hyb_sums_differ(plain, weighted, bound))
        repaired = raise_met(lu, s, j, plain, weighted, bound);
    if (!repaired)
        start(lu, column, sums, lu->mat->mp - from);
    c->is_known = true;
}

void hyb_carried_met(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, s->k)->hpl;

    if ((lu->grid->nprow > 1 || !hyb_lu_owns(lu, s->k)) &&
        !is_l(s->l, h->jb, rows_of_l(h)))
        hyb_forget_columns(lu, s->run.from, s->run.count);
    if (s->leave != NULL)
        hyb_carry_rows(lu, s);
    carry(lu, s);
    if (s->c == NULL)
        return;
    for (int64_t j = 0; j < s->run.count; j++)
        compare(lu, s, j);
    atomic_fetch_add(&lu->carried->found.compared, s->run.count);
}

/* ---- sums of L ----------------------------------------------------------- */

bool hyb_carried_can_take(hyb_lu_t *lu, int k, int device)
{
    return hyb_carried_is_filled(lu, k) ||
           (hyb_sums_come(lu, k) &&
            hyb_home_number(&lu->homes, hyb_lu_panel_block(lu, k)) ==
                device + 1);
}

/* The device's sums are the panel's. */
static void adopt(hyb_lu_t *lu, int k, const double *l)
{
    hyb_factor_sums_t *f = hyb_factor_sums(lu, k);
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int nb = Mmin(lu->mat->nb, lu->mat->n);

    f->by_device = true;
    f->square = fmin(square_of_l(l, h->jb, rows_of_l(h)), 1.0);
    memcpy(f->plain, l, (size_t)h->jb * sizeof(*l));
    memcpy(f->weighted, l + nb, (size_t)h->jb * sizeof(*l));
    for (int p = 0; p < h->jb; p++)
        f->l1[p] = hyb_l1_sum(lu, k, p).plain;
    hyb_note_diagonal(lu, k);
    hyb_check_panel(lu, k);
    hyb_keep_l(lu, k);
    atomic_store(&f->ready, true);
}

/* L came to device by way of the host: was its column p wrong there, so that
 * the device that factored it is to blame? */
static int who_copied(hyb_lu_t *lu, int k, int device, int p, double bound)
{
    const hyb_lu_panel_t *panel = hyb_lu_panel(lu, k);
    const hyb_factor_sums_t *f = hyb_factor_sums(lu, k);
    int64_t block = hyb_lu_panel_block(lu, k);
    xh_view_t l2 = panel->columns;
    hyb_check_sums_t l1 = hyb_l1_sum(lu, k, p), sum;

    if (!panel->by_device || hyb_homes_by_peers(&lu->homes, block))
        return device;
    lu->means.kernel->sum_column(
        l2.data + p * l2.ld, f->weight + lu->mat->mp - l2.rows, l2.rows, &sum);
    return hyb_sums_differ(sum.plain + l1.plain - f->plain[p],
                           sum.weighted + l1.weighted - f->weighted[p], bound)
               ? hyb_home_number(&lu->homes, block) - 1
               : device;
}

/* Is the device's L that of the panel? */
static void compare_l(hyb_lu_t *lu, int k, int device, const double *l)
{
    const hyb_factor_sums_t *f = hyb_factor_sums(lu, k);
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int nb = Mmin(lu->mat->nb, lu->mat->n);
    int64_t rows = rows_of_l(h);
    double bound = hyb_noise_bound(
        2.0 * hyb_noise_device_sum(rows, (double)rows * f->square));
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_PANEL, k, -1);

    if (!(f->square <= 1.0) || !is_l(f->plain, h->jb, rows))
        return; /* who made it says so */
    for (int p = 0; p < h->jb; p++) {
        double plain = l[p] - f->plain[p];

        if (!hyb_sums_differ(plain, l[p + nb] - f->weighted[p], bound))
            continue;
        alarm.device = who_copied(lu, k, device, p, bound);
        alarm.size = hyb_size_of(plain, l[p + nb] - f->weighted[p]);
        alarm.expected = bound;
        hyb_alarm_raise(lu, &alarm);
        return;
    }
}

void hyb_carried_take_l(hyb_lu_t *lu, int k, int device, const double *l)
{
    if (!atomic_load(&hyb_factor_sums(lu, k)->ready))
        adopt(lu, k, l);
    else
        compare_l(lu, k, device, l);
}

/* ---- columns that come down ---------------------------------------------- */

static bool has_come_wrong(hyb_lu_t *lu, int k, int64_t column, const double *a,
                           hyb_alarm_t *alarm)
{
    const hyb_carried_column_t *c = &lu->carried->column[column];
    int64_t rows = lu->mat->mp - hyb_lu_rows_above(lu, k);
    hyb_check_sums_t sum = hyb_sums_now(lu, a, k);

    alarm->size = fabs(sum.plain - c->plain);
    alarm->expected = hyb_column_bound(c, hyb_noise_of_rows(lu, rows));
    return c->is_known &&
           hyb_sums_differ(sum.plain - c->plain, sum.weighted - c->weighted,
                           alarm->expected);
}

void hyb_carried_came_down(hyb_lu_t *lu, int k, int member, int members,
                           xh_view_t columns)
{
    int64_t block = hyb_lu_panel_block(lu, k);
    hyb_run_t run = hyb_panel_run(lu, k);
    hyb_alarm_t alarm;

    if (hyb_homes_is_guest(&lu->homes, block)) {
        for (int64_t j = member; j < columns.cols; j += members)
            lu->carried->column[run.from + j].weighted =
                hyb_sums_now(lu, columns.data + j * columns.ld, k).plain;
        return;
    }
    if (k == 0)
        return;
    for (int64_t j = member; j < columns.cols; j += members) {
        alarm = hyb_alarm_at(lu, HYB_FOUND_UPDATE, k - 1, run.from + j);
        if (!has_come_wrong(lu, k, run.from + j, columns.data + j * columns.ld,
                            &alarm))
            continue;
        alarm.device = hyb_home_number(&lu->homes, block) - 1;
        hyb_alarm_raise(lu, &alarm);
        return;
    }
}
