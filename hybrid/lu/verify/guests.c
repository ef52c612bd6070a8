/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/geometry.h"
#include "hybrid/lu/verify/carried_private.h"

/*
 * Guests, P = 1: a column comes to a device, meets some panels there, and goes
 * home with its rows of U. Then their part is taken from its sums, the plain
 * ones alone, as weights of rows are those of the present iteration.
 */

enum { PANELS = HYB_PANELS_OF_GUESTS };

void hyb_keep_l(hyb_lu_t *lu, int k)
{
    const hyb_factor_sums_t *f = hyb_factor_sums(lu, k);
    struct hyb_carried *c = lu->carried;

    if (lu->homes.guests == 0)
        return;
    memcpy(c->l[k % PANELS].plain, f->plain,
           (size_t)hyb_lu_panel(lu, k)->hpl->jb * sizeof(double));
    c->l[k % PANELS].square = f->square;
    atomic_store(&c->l[k % PANELS].k, k);
}

bool hyb_carried_knows_guests(const hyb_lu_t *lu, int k)
{
    return lu->carried == NULL ||
           atomic_load(&lu->carried->l[k % PANELS].k) == k;
}

/* Panel k's part; its rows of U stand in the column. */
static void take(hyb_lu_t *lu, int64_t column, int k)
{
    const double *l = lu->carried->l[k % PANELS].plain;
    hyb_carried_column_t *c = &lu->carried->column[column];
    int64_t from = (int64_t)k * lu->mat->nb;
    int64_t jb = Mmin(lu->mat->nb, lu->mat->n - from);
    const double *u = Mptr(lu->mat->A, from, column, lu->mat->ld);
    double squares = 0.0;

    for (int64_t p = 0; p < jb; p++) {
        c->plain -= l[p] * u[p];
        squares += u[p] * u[p];
    }
    c->variance += hyb_noise_device_update(
        lu->mat->mp - from, jb, lu->carried->l[k % PANELS].square, squares);
}

/* What is left of the sums of the column, of whose rows those from one on are
 * none of U's; then they begin anew. */
static bool is_wrong(hyb_lu_t *lu, int64_t column, int64_t from,
                     hyb_alarm_t *alarm)
{
    hyb_carried_column_t *c = &lu->carried->column[column];
    const double *a = Mptr(lu->mat->A, from, column, lu->mat->ld);
    int64_t rows = lu->mat->mp - from;
    hyb_check_sums_t sum;
    double left;

    lu->means.kernel->sum_column(a, hyb_row_weights(lu, 0) + from, rows, &sum);
    left = sum.plain - c->plain;
    alarm->size = fabs(left);
    alarm->expected =
        hyb_column_bound(c, 2.0 * hyb_noise_sum(rows, sum.squares));
    hyb_carry_on(lu, column, &sum, rows);
    c->weighted = 0.0;
    hyb_note_closeness(lu, left, 0.0, alarm->expected);
    return hyb_sums_differ(left, 0.0, alarm->expected);
}

/* Is the guest's turn among the iterations first .. last? */
static bool is_due(const hyb_lu_t *lu, int64_t block, int first, int last)
{
    int64_t every = lu->carried->every;

    return (block + last + 1) / every != (block + first) / every;
}

/* Take from the column's sums what it met, and note its rows of U. */
static void carry_visit(hyb_lu_t *lu, int64_t column, int first, int last,
                        int64_t rows)
{
    int64_t from = (int64_t)first * lu->mat->nb;

    for (int k = first; k <= last; k++)
        take(lu, column, k);
    lu->carried->column[column].stored +=
        lu->means.kernel->sum_words(Mptr(lu->mat->A, from, column, lu->mat->ld),
                                    rows - from, (uint32_t)from);
}

/* A panel that the team factored is wrong: is that not what came down? */
static bool is_fault_of_team(const hyb_carried_column_t *c, double bound)
{
    return isfinite(c->weighted) && fabs(c->weighted) > bound;
}

/* The column has met panels up to last, and may be of the next one, which was
 * factored. */
static void compare(hyb_lu_t *lu, int64_t column, int last, int64_t rows,
                    bool by_team)
{
    const hyb_carried_column_t *c = &lu->carried->column[column];
    int64_t block = hyb_ledger_block(&lu->ledger, column);
    bool is_panel = hyb_block_panel(lu, block) == last + 1;
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_UPDATE, last, column);

    alarm.device = hyb_home_number(&lu->homes, block) - 1;
    if (!(is_panel ? hyb_is_left_over(lu, column, &alarm)
                   : is_wrong(lu, column, rows, &alarm)))
        return;
    if (is_panel && by_team && is_fault_of_team(c, alarm.expected))
        alarm.device = -1;
    hyb_alarm_raise(lu, &alarm);
}

void hyb_carried_guest_left(hyb_lu_t *lu, int64_t block, int first, int last,
                            bool by_team)
{
    hyb_run_t run = hyb_ledger_columns(&lu->ledger, hyb_one_block(block));
    int64_t rows = Mmin((int64_t)(last + 1) * lu->mat->nb, lu->mat->mp);
    bool due = hyb_block_panel(lu, block) == last + 1 ||
               is_due(lu, block, first, last);

    for (int64_t j = run.from; j < run.from + run.count; j++) {
        carry_visit(lu, j, first, last, rows);
        if (due && lu->carried->column[j].is_known)
            compare(lu, j, last, rows, by_team);
    }
}
