/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "base/settings.h"
#include "base/status.h"
#include "hpl/pauxil/abort.h"
#include "hybrid/lu/checkpoint/geometry.h"
#include "hybrid/lu/verify/carried_private.h"

/* The sums of a column or a panel, and what is known of them. */

bool hyb_is_on_device(const hyb_lu_t *lu, int64_t column)
{
    int64_t b = hyb_ledger_block(&lu->ledger, column);

    return hyb_home_number(&lu->homes, b) > 0 &&
           !hyb_homes_is_guest(&lu->homes, b);
}

bool hyb_sums_come(const hyb_lu_t *lu, int k)
{
    return lu->flight[k % HYB_IN_FLIGHT].panel.by_device &&
           lu->grid->npcol == 1;
}

bool hyb_carried_is_filled(hyb_lu_t *lu, int k)
{
    return lu->carried == NULL || atomic_load(&hyb_factor_sums(lu, k)->ready);
}

int hyb_met_at_first(const hyb_lu_t *lu, int64_t column)
{
    int panel = hyb_block_panel(lu, hyb_ledger_block(&lu->ledger, column));

    return panel < lu->range.first ? panel + 1
                                   : hyb_boundary_of(&lu->range, panel);
}

bool hyb_begins_late(const hyb_lu_t *lu, int64_t column, int k)
{
    const hyb_boundary_t *begun = &lu->range;

    return lu->grid->nprow == 1 && begun->first + 1 < k &&
           k <= begun->first + begun->over &&
           hyb_met_at_first(lu, column) + 1 == k;
}

hyb_alarm_t hyb_alarm_at(const hyb_lu_t *lu, int found, int k, int64_t column)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);
    int64_t global = column < 0 ? -1 : hpl_map_global(&map, column);

    return (hyb_alarm_t){.found = found,
                         .iteration = k,
                         .block = global < 0 ? -1 : global / lu->mat->nb,
                         .column = global,
                         .row = -1,
                         .from = -1,
                         .device = -1};
}

int64_t hyb_global_row(const hyb_lu_t *lu, int64_t row)
{
    hpl_map_t map = hpl_map(lu->mat->nb, lu->grid->nprow, lu->grid->myrow);

    return row < 0 ? -1 : hpl_map_global(&map, row);
}

double hyb_column_bound(const hyb_carried_column_t *c, double variance)
{
    static const double part = 1e-10; /* of huge numbers */

    return hyb_noise_bound(c->variance + variance) + part * c->huge;
}

double hyb_noise_of_rows(const hyb_lu_t *lu, int64_t rows)
{
    return 2.0 * hyb_noise_device_sum(rows, (double)rows * lu->carried->square);
}

void hyb_forget_columns(hyb_lu_t *lu, int64_t from, int64_t count)
{
    for (int64_t j = from; j < from + count; j++)
        lu->carried->column[j].is_known = false;
}

/* Not exact where two threads meet; a NaN is none. */
void hyb_note_closeness(hyb_lu_t *lu, double plain, double weighted,
                        double bound)
{
    double part = fmax(fabs(plain), 0.5 * fabs(weighted)) / bound;

    if (part > atomic_load(&lu->carried->found.closest))
        atomic_store(&lu->carried->found.closest, part);
}

hyb_check_sums_t hyb_sums_now(const hyb_lu_t *lu, const double *a, int k)
{
    int64_t from = hyb_lu_rows_above(lu, k);
    hyb_check_sums_t sum;

    lu->means.kernel->sum_column(a, hyb_row_weights(lu, k) + from,
                                 lu->mat->mp - from, &sum);
    return sum;
}

void hyb_carry_on(const hyb_lu_t *lu, int64_t column,
                  const hyb_check_sums_t *sum, int64_t rows)
{
    hyb_carried_column_t *c = &lu->carried->column[column];

    c->plain = sum->plain;
    c->weighted = sum->weighted;
    c->huge = 0.0;
    c->variance = 2.0 * hyb_noise_sum(rows, sum->squares);
}

void hyb_begin_column(hyb_lu_t *lu, int64_t column, const hyb_check_sums_t *sum,
                      int64_t rows)
{
    hyb_carry_on(lu, column, sum, rows);
    /* of huge numbers the bounds would be none */
    lu->carried->column[column].is_known = sum->squares < HYB_MOST_SQUARES;
}

void hyb_carry(hyb_lu_t *lu, int k, int64_t column, int64_t count,
               const hyb_check_sums_t *change)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    const hyb_factor_sums_t *f = hyb_factor_sums(lu, k);
    int64_t rows = Mmax(h->mp, h->jb);

    for (int64_t j = 0; j < count; j++) {
        hyb_carried_column_t *c = &lu->carried->column[column + j];
        double u = change[j].squares;

        c->plain += change[j].plain;
        c->weighted += change[j].weighted;
        c->variance += f->by_device
                           ? hyb_noise_device_update(rows, h->jb, f->square, u)
                           : hyb_noise_update(rows, h->jb, f->square, u);
    }
}

/* ---- alarms -------------------------------------------------------------- */

/* Text and, where it is known, a number. */
static int add(char *text, size_t size, int at, const char *what,
               int64_t number)
{
    if (number < 0)
        return at;
    return at + snprintf(text + at, size - (size_t)at, what, (long long)number);
}

static void describe(const hyb_alarm_t *a, char *text, size_t size)
{
    static const char *const phases[HYB_FOUND_KINDS] = {
        "the update", "a panel", "a panel that came", "rows that came",
        "U in memory"};
    int at = snprintf(text, size, "iteration %d: %s is wrong", a->iteration,
                      phases[a->found]);

    at = add(text, size, at, ", block column %lld", a->block);
    at = add(text, size, at, ", column %lld", a->column);
    at = add(text, size, at, ", row %lld", a->row);
    at = add(text, size, at, ", from rank %lld", a->from);
    if (a->device < 0 && a->from < 0)
        at += snprintf(text + at, size - (size_t)at, ", by cores");
    at = add(text, size, at, ", by device %lld", a->device);
    if (a->expected > 0.0)
        snprintf(text + at, size - (size_t)at,
                 ": sums differ by %.3g, by rounding at most %.3g", a->size,
                 a->expected);
}

void hyb_alarm_raise(hyb_lu_t *lu, const hyb_alarm_t *alarm)
{
    enum { SAID = 8 };
    struct hyb_carried *c = lu->carried;
    int before = atomic_fetch_add(&c->found.count, 1);
    char text[256];

    if (before == 0)
        c->found.first = *alarm;
    if (alarm->is_repaired)
        atomic_fetch_add(&c->found.repaired, 1);
    describe(alarm, text, sizeof(text));
    if (before < SAID)
        xh_log_error("%s%s", text, alarm->is_repaired ? "; repaired" : "");
    if (!alarm->is_repaired &&
        strcmp(xh_settings_text("on_error"), "report") != 0)
        hpl_abort_job_as(XH_EXIT_FAILED);
}
