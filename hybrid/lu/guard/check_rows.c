/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <string.h>
#include "hpl/panel/panel.h"
#include "hpl/panel/pivots.h"
#include "hybrid/lu/guard/alarm.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/guard/differences.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/step.h"

/*
 * P > 1: c - A w of rows that leave. A w has two parts: the part over the
 * panel's own columns is computed before the panel is factored; the part over
 * all other columns is computed from the rows as they are packed.
 */

enum { BOTH = HYB_CHECK_COLUMNS, LANES = 8 };

static int64_t widest_panel(const hyb_lu_t *lu)
{
    return Mmin(lu->mat->nb, lu->mat->n);
}

/* Return the doubles that c - A w of rows that leave takes, for c1 and c2. */
static int64_t part_size(const hyb_lu_t *lu)
{
    return BOTH * 2 * widest_panel(lu);
}

/* ---- the panel's part ---------------------------------------------------- */

void hyb_check_columns_panel(hyb_lu_t *lu, int k, xh_view_t columns, int member,
                             int members)
{
    enum { ROWS = 64 };
    int64_t from = columns.rows * member / members;
    int64_t end = columns.rows * (member + 1) / members;
    int64_t first = hyb_ledger_first(&lu->ledger, hyb_lu_panel_block(lu, k));

    if (lu->check == NULL ||
        (lu->grid->nprow == 1 && !hyb_check_columns_for_device(lu, k)))
        return;
    for (int which = 0; which < BOTH; which++)
        memset(lu->check->panel[k % HYB_IN_FLIGHT] + which * lu->mat->mp + from,
               0, (size_t)(end - from) * sizeof(double));
    for (int64_t i = from; i < end; i += ROWS)
        for (int which = 0; which < BOTH; which++) {
            const hyb_sweep_t piece = {.a = columns.data + i,
                                       .rows = Mmin(ROWS, end - i),
                                       .cols = columns.cols,
                                       .ld = columns.ld,
                                       .x = lu->check->weight[which] + first};

            lu->resources.kernel->subtract(&piece,
                                           lu->check->panel[k % HYB_IN_FLIGHT] +
                                               which * lu->mat->mp + i);
        }
}

/* ---- packed rows --------------------------------------------------------- */

/* Rows of an exchange that leave this process: `count` rows from number `first`
 * on. */
typedef struct {
    const double *rows;
    const hpl_row_move_t *move;
    int first, count;
    int64_t at; /* index in a part of the first row's c - A w */
} leaving_t;

/* List the rows of x that leave: rows of U, then the rows that they displace.
 */
static void list_leaving(const hyb_lu_t *lu, const hpl_exchange_t *x,
                         leaving_t *l)
{
    const hpl_pivots_t *m = x->panel->pivots;

    l[0] =
        (leaving_t){x->gathered, m->gather, m->gather_offset[m->me],
                    m->gather_offset[m->me + 1] - m->gather_offset[m->me], 0};
    l[1] = (leaving_t){
        .rows = x->displaced, .move = m->displace, .at = widest_panel(lu)};
    l[1].count = hpl_pivots_displaced_from(m, m->me, &l[1].first);
}

/* Subtract the scalar products of a row with both weights from *z1 and *z2. */
static void weigh_row(const double *a, const double *const *w, int count,
                      double *z1, double *z2)
{
    double one[LANES] = {0.0}, two[LANES] = {0.0};
    int j = 0;

    for (; j + LANES <= count; j += LANES)
        for (int l = 0; l < LANES; l++) {
            one[l] += a[j + l] * w[0][j + l];
            two[l] += a[j + l] * w[1][j + l];
        }
    for (int l = 0; j < count; j++, l++) {
        one[l] += a[j] * w[0][j];
        two[l] += a[j] * w[1][j];
    }
    for (int l = 0; l < LANES; l++) {
        *z1 -= one[l];
        *z2 -= two[l];
    }
}

/* Return the part of `member` of c - A w of the rows that leave `place`. */
static double *part_of(const hyb_lu_t *lu, int member, int place)
{
    return lu->check->parts +
           ((int64_t)member * lu->homes.places + place) * part_size(lu);
}

/* Set all parts of `member` to 0, once per iteration. */
static void begin_parts(hyb_lu_t *lu, int member, int k)
{
    if (lu->check->part_iteration[member] != k)
        memset(part_of(lu, member, 0), 0,
               (size_t)(lu->homes.places * part_size(lu)) * sizeof(double));
    lu->check->part_iteration[member] = k;
}

/* Add a run of columns of one block to the part of `member`. */
static void weigh_columns(hyb_lu_t *lu, int member, const hpl_exchange_t *x,
                          int from, hyb_run_t run)
{
    int place =
        hyb_place_number(&lu->homes, hyb_ledger_block(&lu->ledger, run.from));
    double *z = part_of(lu, member, place);
    const double *w[BOTH];
    leaving_t leaves[2];

    for (int which = 0; which < BOTH; which++)
        w[which] = lu->check->weight[which] + run.from;
    list_leaving(lu, x, leaves);
    for (int l = 0; l < 2; l++)
        for (int r = 0; r < leaves[l].count; r++)
            weigh_row(leaves[l].rows +
                          (int64_t)(leaves[l].first + r) * x->columns + from,
                      w, (int)run.count, &z[leaves[l].at + r],
                      &z[leaves[l].at + r + part_size(lu) / BOTH]);
}

/* Are rows of `x` compared as they leave? They are if the same panels have been
 * applied to all columns. */
static bool is_compared(const hyb_lu_t *lu, const hpl_exchange_t *x)
{
    return lu->check != NULL && !lu->resources.device_mpi &&
           hyb_check_columns_are_uniform(lu, hpl_panel_number(x->panel));
}

void hyb_check_columns_packed(hyb_lu_t *lu, int member, const hpl_exchange_t *x,
                              int from, int columns, int64_t column)
{
    int64_t end = column + columns, next;

    if (!is_compared(lu, x))
        return;
    begin_parts(lu, member, hpl_panel_number(x->panel));
    for (int64_t j = column; j < end; j = next) {
        next =
            Mmin(end, hyb_ledger_first(&lu->ledger,
                                       hyb_ledger_block(&lu->ledger, j) + 1));
        weigh_columns(lu, member, x, from + (int)(j - column),
                      (hyb_run_t){j, next - j});
    }
}

/* Add the parts of all members in iteration k to the first member's. */
static void add_members(hyb_lu_t *lu, int k)
{
    int64_t count = lu->homes.places * part_size(lu);
    double *all = part_of(lu, 0, 0);

    begin_parts(lu, 0, k);
    for (int m = 1; m < hyb_team_size(lu->resources.team); m++) {
        for (int64_t i = 0; i < count && lu->check->part_iteration[m] == k; i++)
            all[i] += part_of(lu, m, 0)[i];
        lu->check->part_iteration[m] = -1;
    }
}

/* Return - A w over panel k's columns, by row; NULL if they do not live on
 * `place`. */
static const double *panel_part(const hyb_lu_t *lu, int place, int k)
{
    return hyb_lu_owns(lu, k) &&
                   hyb_place_number(&lu->homes, hyb_lu_panel_block(lu, k)) ==
                       place
               ? lu->check->panel[k % HYB_IN_FLIGHT]
               : NULL;
}

/* Set the check columns of rows that leave to the sums of the rows, even if
 * wrong, so that the receiver is not blamed. */
static void correct_check_columns(const hpl_exchange_t *x, const leaving_t *l,
                                  int64_t column, const double *z, int64_t ld)
{
    for (int r = 0; r < l->count; r++)
        for (int which = 0; which < BOTH; which++)
            ((double *)l->rows)[(int64_t)(l->first + r) * x->columns + column +
                                which] -= z[r + which * ld];
}

/* Set `z` to c - A w of all rows that leave `place`, for c1 and c2, and `row`
 * to their numbers, which count from the panel's first row. Return the number
 * of rows. */
static int64_t gather(const hyb_lu_t *lu, int place, int k, const leaving_t *l,
                      double *z, int64_t *row)
{
    int64_t ld = part_size(lu) / BOTH, count = 0;
    const double *part = part_of(lu, 0, place);
    const double *panel = panel_part(lu, place, k);

    for (int i = 0; i < 2; i++)
        for (int r = 0; r < l[i].count; r++, count++) {
            row[count] = l[i].move[l[i].first + r].from;
            for (int which = 0; which < BOTH; which++)
                z[count + which * ld] =
                    part[l[i].at + r + which * ld] +
                    (panel != NULL ? panel[row[count] + which * lu->mat->mp]
                                   : 0.0);
        }
    return count;
}

/* ---- all rows that leave ------------------------------------------------- */

static void judge(hyb_lu_t *lu, int place, const hpl_exchange_t *x,
                  const leaving_t *l, int64_t column)
{
    int k = hpl_panel_number(x->panel);
    int64_t ld = part_size(lu) / BOTH, row[ld], count;
    double *z = lu->check->work;

    count = gather(lu, place, k, l, z, row);
    for (int64_t i = 0; i < count; i++)
        row[i] += x->panel->ii;
    hyb_check_columns_judge(lu, &(hyb_compared_t){.place = place,
                                                  .k = Mmax(k - 1, 0),
                                                  .rows = count,
                                                  .row = row,
                                                  .z = z,
                                                  .ld = ld});
    if (!lu->check->place[place].has_alarm)
        return;
    correct_check_columns(x, &l[0], column, z, ld);
    correct_check_columns(x, &l[1], column, z + l[0].count, ld);
}

void hyb_check_columns_judge_leaving(hyb_lu_t *lu, const hpl_exchange_t *x,
                                     hyb_block_range_t blocks)
{
    leaving_t leaves[2];
    int64_t start = hyb_ledger_first(&lu->ledger, blocks.from);

    if (!is_compared(lu, x) || blocks.to <= lu->ledger.check)
        return;
    add_members(lu, hpl_panel_number(x->panel));
    list_leaving(lu, x, leaves);
    if (hyb_lu_owns(lu, hpl_panel_number(x->panel)))
        hyb_check_columns_pivots(lu, hpl_panel_number(x->panel));
    for (int i = 0; i < lu->homes.places; i++) {
        int64_t b = lu->homes.check[i];

        if (blocks.from <= b && b < blocks.to)
            judge(lu, i, x, leaves, hyb_ledger_first(&lu->ledger, b) - start);
    }
}

/* ---- rows received ------------------------------------------------------- */

/* Are packed rows first .. end - 1 free of NaN and infinity in the columns from
 * `column` on? */
static bool are_finite(const hpl_exchange_t *x, const double *packed, int first,
                       int end, int64_t column)
{
    for (int r = first; r < end; r++)
        for (int64_t j = column; j < x->columns; j++)
            if (!isfinite(packed[(int64_t)r * x->columns + j]))
                return false;
    return true;
}

static void raise_rows(hyb_lu_t *lu, const hpl_exchange_t *x, int member)
{
    int k = hpl_panel_number(x->panel);
    int row = (x->panel->prow + member) % lu->grid->nprow;
    const hyb_alarm_t alarm = {.kind = HYB_FOUND_ROWS,
                               .first_iteration = k,
                               .iteration = k,
                               .row = -1,
                               .column = -1,
                               .sender =
                                   HPL_pnum(lu->grid, row, lu->grid->mycol),
                               .device = -1};

    lu->check->has_nan = true;
    hyb_alarm_raise(lu, &alarm);
}

void hyb_check_columns_check_received(hyb_lu_t *lu, const hpl_exchange_t *x,
                                      hyb_block_range_t blocks)
{
    const hpl_pivots_t *m = x->panel->pivots;
    const int *u = m->gather_offset;
    int64_t column = Mmax(lu->ledger.columns_of_ab -
                              hyb_ledger_first(&lu->ledger, blocks.from),
                          0);
    int first, count;

    if (lu->check == NULL || blocks.to <= lu->ledger.check ||
        lu->resources.device_mpi || lu->check->has_nan ||
        lu->check->alarms.count > 0)
        return;
    for (int g = 0; g < m->members && !lu->check->has_nan; g++)
        if (!are_finite(x, x->gathered, u[g], u[g + 1], column))
            raise_rows(lu, x, g);
    for (int g = 0; g < m->sources && !lu->check->has_nan; g++) {
        count = hpl_pivots_between(m, g, m->me, &first);
        if (!are_finite(x, x->displaced, first, first + count, column))
            raise_rows(lu, x, g);
    }
}
