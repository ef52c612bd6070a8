/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <string.h>
#include "hybrid/lu/guard/check_columns_private.h"
#include "hybrid/lu/state/lu.h"

/*
 * P > 1: c - A w of rows that leave. A w has two parts: the part over the
 * panel's own columns is computed before the panel is factored; the part over
 * all other columns is computed from the rows as they are packed.
 */

enum { BOTH = HYB_CHECK_COLUMNS, LANES = 8 };

/* ---- the panel's part ---------------------------------------------------- */

void hyb_check_columns_panel(hyb_check_columns_t *check,
                             const hyb_lu_panel_t *panel, xh_view_t columns,
                             int member, int members)
{
    int64_t from = columns.rows * member / members;
    int64_t rows = columns.rows * (member + 1) / members - from;
    double *z;

    if (check == NULL || (check->grid->nprow == 1 &&
                          !hyb_check_columns_are_for_device(check, panel)))
        return;
    z = check->panel[hpl_panel_number(panel->hpl) % HYB_IN_FLIGHT] + from;
    for (int which = 0; which < BOTH; which++)
        memset(z + which * check->mat->mp, 0, (size_t)rows * sizeof(*z));
    hyb_check_columns_subtract(
        check, xh_view_part(columns, from, 0, rows, columns.cols),
        hyb_check_columns_first(panel->hpl), z);
}

/* ---- packed rows --------------------------------------------------------- */

/* Rows of an exchange that leave this process: `count` rows from number `first`
 * on. */
typedef struct {
    double *rows;
    const hpl_row_move_t *move;
    int first, count;
    int64_t at; /* index in a part of the first row's c - A w */
} leaving_t;

enum { LISTS = 2 }; /* of rows: those of U, then those that they displace */

static void list_leaving(const hyb_check_columns_t *c, const hpl_exchange_t *x,
                         leaving_t *l)
{
    const hpl_pivots_t *m = x->panel->pivots;

    l[0] =
        (leaving_t){x->gathered, m->gather, m->gather_offset[m->me],
                    m->gather_offset[m->me + 1] - m->gather_offset[m->me], 0};
    l[1] = (leaving_t){.rows = x->displaced, .move = m->displace, .at = c->nb};
    l[1].count = hpl_pivots_displaced_from(m, m->me, &l[1].first);
}

/* Return row number r of `l`, from `column` on. */
static double *row_of(const hpl_exchange_t *x, const leaving_t *l, int r,
                      int64_t column)
{
    return l->rows + (int64_t)(l->first + r) * x->columns + column;
}

/* Subtract the scalar product of a row with `w` from *z. */
static void weigh_row(const double *a, const double *w, int64_t count,
                      double *z)
{
    double sum[LANES] = {0.0};
    int64_t j = 0;

    for (; j + LANES <= count; j += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += a[j + l] * w[j + l];
    for (int l = 0; j < count; j++, l++)
        sum[l] += a[j] * w[j];
    for (int l = 0; l < LANES; l++)
        *z -= sum[l];
}

/* Return the part of `member` of c - A w of the rows that leave `place`. */
static double *part_of(const hyb_check_columns_t *c, int member, int place)
{
    return c->parts +
           ((int64_t)member * c->homes->places + place) * BOTH * c->moved;
}

/* Set all parts of `member` to 0, once per iteration. */
static void begin_parts(hyb_check_columns_t *c, int member, int k)
{
    double *all = part_of(c, member, 0);
    size_t count = (size_t)(part_of(c, member + 1, 0) - all);

    if (c->part_iteration[member] != k)
        memset(all, 0, count * sizeof(*all));
    c->part_iteration[member] = k;
}

/* Add a run of columns of one block to the part of `member`. */
static void weigh_columns(const hyb_check_columns_t *c, int member,
                          const hpl_exchange_t *x, int64_t from, hyb_run_t run)
{
    int place =
        hyb_place_number(c->homes, hyb_ledger_block(c->ledger, run.from));
    double *z = part_of(c, member, place);
    leaving_t leaves[LISTS];

    list_leaving(c, x, leaves);
    for (int l = 0; l < LISTS; l++)
        for (int r = 0; r < leaves[l].count; r++)
            for (int which = 0; which < BOTH; which++)
                weigh_row(row_of(x, &leaves[l], r, from),
                          c->weight[which] + run.from, run.count,
                          &z[leaves[l].at + r + which * c->moved]);
}

/* Are rows of `x` compared as they leave? They are if the same panels have been
 * applied to all columns. */
static bool is_compared(const hyb_check_columns_t *c, const hpl_exchange_t *x)
{
    return c != NULL && !c->resources->device_mpi &&
           hyb_check_columns_are_uniform(c, hpl_panel_number(x->panel));
}

void hyb_check_columns_packed(hyb_check_columns_t *check, int member,
                              const hpl_exchange_t *x, int from, int columns,
                              int64_t column)
{
    int64_t end = column + columns, next;

    if (!is_compared(check, x))
        return;
    begin_parts(check, member, hpl_panel_number(x->panel));
    for (int64_t j = column; j < end; j = next) {
        next =
            Mmin(end, hyb_ledger_first(check->ledger,
                                       hyb_ledger_block(check->ledger, j) + 1));
        weigh_columns(check, member, x, from + j - column,
                      (hyb_run_t){j, next - j});
    }
}

/* Add the parts of all members in iteration k to the first member's. */
static void add_members(hyb_check_columns_t *c, int k)
{
    double *all = part_of(c, 0, 0);
    int64_t count = part_of(c, 1, 0) - all;

    begin_parts(c, 0, k);
    for (int m = 1; m < hyb_team_size(c->resources->team); m++) {
        for (int64_t i = 0; i < count && c->part_iteration[m] == k; i++)
            all[i] += part_of(c, m, 0)[i];
        c->part_iteration[m] = -1;
    }
}

/* Set the check columns of rows that leave to the sums of the rows, even if
 * wrong, so that the receiver is not blamed. */
static void correct_check_columns(const hyb_check_columns_t *c,
                                  const hpl_exchange_t *x, const leaving_t *l,
                                  int64_t column, const double *z)
{
    for (int i = 0; i < LISTS; i++)
        for (int r = 0; r < l[i].count; r++, z++)
            for (int which = 0; which < BOTH; which++)
                row_of(x, &l[i], r, column)[which] -= z[which * c->moved];
}

/* Set `z` to c - A w of all rows that leave `place`, for c1 and c2, and `row`
 * to their local numbers. Return the number of rows. */
static int64_t gather(const hyb_check_columns_t *c, int place,
                      const HPL_T_panel *h, const leaving_t *l, double *z,
                      int64_t *row)
{
    int64_t count = 0;
    const double *part = part_of(c, 0, place);
    const double *panel = c->panel[hpl_panel_number(h) % HYB_IN_FLIGHT];
    bool has_panel =
        hyb_check_columns_own(c, h) && hyb_check_columns_place(c, h) == place;

    for (int i = 0; i < LISTS; i++)
        for (int r = 0; r < l[i].count; r++, count++) {
            int from = l[i].move[l[i].first + r].from;

            row[count] = h->ii + from;
            for (int which = 0; which < BOTH; which++)
                z[count + which * c->moved] =
                    part[l[i].at + r + which * c->moved] +
                    (has_panel ? panel[from + which * c->mat->mp] : 0.0);
        }
    return count;
}

/* ---- all rows that leave ------------------------------------------------- */

static void judge(hyb_check_columns_t *c, int place, const hpl_exchange_t *x,
                  const leaving_t *l, int64_t column)
{
    int64_t row[c->moved];
    hyb_compared_t leaving = {.place = place,
                              .k = Mmax(hpl_panel_number(x->panel) - 1, 0),
                              .row = row,
                              .z = c->work,
                              .ld = c->moved};

    leaving.rows = gather(c, place, x->panel, l, c->work, row);
    hyb_check_columns_judge(c, &leaving);
    if (c->place[place].has_alarm)
        correct_check_columns(c, x, l, column, c->work);
}

void hyb_check_columns_judge_leaving(hyb_lu_t *lu, const hpl_exchange_t *x,
                                     hyb_block_range_t blocks)
{
    hyb_check_columns_t *c = lu->check;
    int k = hpl_panel_number(x->panel);
    int64_t start = hyb_ledger_first(&lu->ledger, blocks.from);
    leaving_t leaves[LISTS];

    if (!is_compared(c, x) || blocks.to <= lu->ledger.check)
        return;
    add_members(c, k);
    list_leaving(c, x, leaves);
    if (hyb_lu_owns(lu, k))
        hyb_check_columns_pivots(c, hyb_lu_panel(lu, k));
    for (int i = 0; i < lu->homes.places; i++) {
        int64_t b = lu->homes.check[i];

        if (blocks.from <= b && b < blocks.to)
            judge(c, i, x, leaves, hyb_ledger_first(&lu->ledger, b) - start);
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

/* Return the member of the process column that sent a NaN, or -1. */
static int sender_of_nan(const hpl_exchange_t *x, int64_t column)
{
    const hpl_pivots_t *m = x->panel->pivots;
    int first, count;

    for (int g = 0; g < m->members; g++)
        if (!are_finite(x, x->gathered, m->gather_offset[g],
                        m->gather_offset[g + 1], column))
            return g;
    for (int g = 0; g < m->sources; g++) {
        count = hpl_pivots_between(m, g, m->me, &first);
        if (!are_finite(x, x->displaced, first, first + count, column))
            return g;
    }
    return -1;
}

void hyb_check_columns_check_received(hyb_check_columns_t *check,
                                      const hpl_exchange_t *x,
                                      hyb_block_range_t blocks)
{
    hyb_alarm_t alarm = hyb_alarm(HYB_FOUND_ROWS, hpl_panel_number(x->panel));
    int64_t column;
    int member;

    if (check == NULL || blocks.to <= check->ledger->check ||
        check->resources->device_mpi || !hyb_alarms_are_silent(&check->alarms))
        return;
    column = check->ledger->columns_of_ab -
             hyb_ledger_first(check->ledger, blocks.from);
    member = sender_of_nan(x, Mmax(column, 0));
    if (member < 0)
        return;
    check->alarms.has_nan = true;
    alarm.sender = hyb_check_columns_rank(check, (x->panel->prow + member) %
                                                     check->grid->nprow);
    hyb_alarm_raise(&check->alarms, alarm);
}
