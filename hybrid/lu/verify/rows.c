/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

#include "hpl/panel/pivots.h"

/* Rows that leave and enter, P > 1. */

enum { MOST = 256, ROWS = 64 }; /* columns and rows at a time */

typedef struct { /* of packed rows, by column */
    double plain[MOST], weighted[MOST];
    uint64_t words[MOST];
} sums_t;

typedef enum { GATHERED, DISPLACED } packed_t;
typedef enum { LEAVE, ENTER } row_way_t;

/* ---- their sums ---------------------------------------------------------- */

static const double *packed(const hpl_exchange_t *x, packed_t which, int k)
{
    const double *all = which == GATHERED ? x->gathered : x->displaced;

    return all + (int64_t)k * x->columns;
}

/* The weight of packed row k: before it leaves, or once it has entered. */
static double weight_of(const hyb_lu_t *lu, const HPL_T_panel *h,
                        packed_t which, row_way_t way, int k)
{
    const hpl_pivots_t *m = h->pivots;
    const double *here = hyb_row_weights(lu, 0) + h->ii;

    if (which == DISPLACED)
        return here[way == LEAVE ? m->displace[k].from : m->displace[k].to];
    return way == LEAVE ? here[m->gather[k].from]
                        : lu->carried->top[m->gather[k].to];
}

typedef struct { /* packed rows of the columns from .. from + count - 1 */
    const hpl_exchange_t *x;
    packed_t which;
    row_way_t way;
    int from, count;
} part_t;

static void sum_part(const hyb_lu_t *lu, const part_t *p, int first, int end,
                     sums_t *s)
{
    const hyb_check_rows_t sums = {s->plain, s->weighted, s->words};
    double weight[ROWS];

    memset(s, 0, sizeof(*s));
    for (int k = first; k < end; k += ROWS) {
        int rows = Mmin(ROWS, end - k);

        for (int i = 0; i < rows; i++)
            weight[i] = weight_of(lu, p->x->panel, p->which, p->way, k + i);
        lu->means.kernel->sum_rows(rows, p->count,
                                   packed(p->x, p->which, k) + p->from,
                                   p->x->columns, weight, (uint32_t)k, &sums);
    }
}

static void add(hyb_carried_column_t *c, int count, double sign,
                const sums_t *s)
{
    for (int j = 0; j < count; j++) {
        c[j].plain += sign * s->plain[j];
        c[j].weighted += sign * s->weighted[j];
    }
}

/* ---- what travels with them: sums of their bits, by column --------------- */

double *hyb_carried_sent(const hyb_lu_t *lu, int64_t column)
{
    if (lu->carried == NULL || lu->grid->nprow == 1)
        return NULL;
    return lu->carried->sent + 2 * lu->grid->nprow * column;
}

/* A member's slot of x's sums, from one of its columns on. */
static double *slot(const hpl_exchange_t *x, int member, int from)
{
    return x->sums + (size_t)member * (size_t)x->columns + from;
}

/* A sum of numbers, none of them huge. */
static bool is_usual(double sum)
{
    return fabs(sum) * fabs(sum) < HYB_MOST_SQUARES;
}

/* Are the plain sums of all rows that came here in x's column numbers, and none
 * of them huge? Who sent others says so. */
static bool all_sent_numbers(const hpl_exchange_t *x, int column)
{
    const hpl_pivots_t *m = x->panel->pivots;
    bool all = is_usual(*slot(x, m->members + m->me, column));

    for (int g = 0; g < m->members; g++)
        all = all && is_usual(*slot(x, g, column));
    return all;
}

/* Of count columns, those whose sums are exact. */
static int exact_ones(const hyb_lu_t *lu, int64_t column, int count)
{
    int64_t left = lu->carried->exact - column;

    return (int)Mmax(Mmin(left, (int64_t)count), 0);
}

static void note_sent(const hyb_lu_t *lu, const part_t *p, int member,
                      const sums_t *s, int64_t column)
{
    double *sent = slot(p->x, member, p->from);
    int exact = exact_ones(lu, column, p->count);

    memcpy(sent, s->words, (size_t)exact * sizeof(*sent));
    memcpy(sent + exact, s->plain + exact,
           (size_t)(p->count - exact) * sizeof(*sent));
}

/* Of a sum of far larger numbers than all others: their rounding. */
static double rounding_of_huge(const hyb_lu_t *lu, double sum)
{
    static const double part = 1e-10, far = 1e3;

    double usual = sqrt(lu->mat->nb * lu->carried->square);

    return usual > 0.0 && fabs(sum) > far * usual ? part * fabs(sum) : 0.0;
}

/* Is the plain sum of rows the one that was sent? Who sent none says so. */
static bool is_what_was_sent(const hyb_lu_t *lu, int64_t column, double sent,
                             double sum)
{
    const hyb_carried_column_t *c = &lu->carried->column[column];
    double bound = hyb_column_bound(
        c, hyb_noise_of_rows(lu, Mmin(lu->mat->nb, lu->mat->n)));

    bound += rounding_of_huge(lu, sent);
    return !c->is_known || !is_usual(sent) ||
           !hyb_sums_differ(sent - sum, 0.0, bound);
}

/* What came of x's member is not what it sent. */
static void raise_message(hyb_lu_t *lu, const hpl_exchange_t *x, int member,
                          int64_t column)
{
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_ROWS_MESSAGE,
                                     hpl_panel_number(x->panel), column);
    int64_t block = hyb_ledger_block(&lu->ledger, column);
    int row = (x->panel->prow + member) % lu->grid->nprow;

    alarm.from = HPL_pnum(lu->grid, row, lu->grid->mycol);
    alarm.device = lu->carried->home[row * lu->ledger.blocks + block] - 1;
    hyb_alarm_raise(lu, &alarm);
}

/* Rows that came of a member are those that it sent. */
static void compare_sent(hyb_lu_t *lu, const part_t *p, int member,
                         const double *sent, const sums_t *s, int64_t column)
{
    int exact = exact_ones(lu, column, p->count);

    for (int j = 0; j < p->count; j++)
        if (j < exact
                ? memcmp(&s->words[j], sent + j, sizeof(*s->words)) != 0
                : !is_what_was_sent(lu, column + j, sent[j], s->plain[j])) {
            raise_message(lu, p->x, member, column + j);
            return;
        }
}

/* ---- numbers that are none, or huge -------------------------------------- */

/* They have left the columns, count from one on: who sent them says so. */
static void watch_leaving(hyb_lu_t *lu, const hpl_exchange_t *x, int64_t column,
                          int64_t count, int device)
{
    hyb_alarm_t alarm;

    for (int64_t j = column; j < column + count; j++) {
        const hyb_carried_column_t *c = &lu->carried->column[j];

        if (!c->is_known || is_usual(c->plain))
            continue;
        alarm = hyb_alarm_at(lu, HYB_FOUND_UPDATE,
                             Mmax(hpl_panel_number(x->panel) - 1, 0), j);
        alarm.device = device;
        hyb_forget_columns(lu, j, 1);
        hyb_alarm_raise(lu, &alarm);
    }
}

/* They have entered. */
static void watch_entering(hyb_lu_t *lu, int64_t column, int64_t count)
{
    for (int64_t j = column; j < column + count; j++)
        if (!is_usual(lu->carried->column[j].plain))
            hyb_forget_columns(lu, j, 1);
}

/* ---- rows that leave ----------------------------------------------------- */

static void leave(hyb_lu_t *lu, const hpl_exchange_t *x, int from, int count,
                  int64_t column)
{
    const hpl_pivots_t *m = x->panel->pivots;
    const int *mine = m->gather_offset + m->me, *go = m->displace_offset;
    hyb_carried_column_t *c = &lu->carried->column[column];
    part_t p = {x, GATHERED, LEAVE, from, count};
    sums_t s;

    sum_part(lu, &p, mine[0], mine[1], &s);
    note_sent(lu, &p, m->me, &s, column);
    add(c, count, -1.0, &s);
    p.which = DISPLACED;
    for (int g = 0; g < m->members && m->me == 0; g++) {
        sum_part(lu, &p, go[g], go[g + 1], &s);
        note_sent(lu, &p, m->members + g, &s, column);
        add(c, count, -1.0, &s);
    }
    watch_leaving(lu, x, column, count, -1);
}

void hyb_carried_leave(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column)
{
    for (int j = 0; lu->carried != NULL && j < count; j += MOST)
        leave(lu, x, from + j, Mmin(MOST, count - j), column + j);
}

/* ---- rows that enter ----------------------------------------------------- */

static void enter(hyb_lu_t *lu, const hpl_exchange_t *x, int from, int count,
                  int64_t column)
{
    const hpl_pivots_t *m = x->panel->pivots;
    const int *mine = m->displace_offset + m->me, *come = m->gather_offset;
    hyb_carried_column_t *c = &lu->carried->column[column];
    part_t p = {x, GATHERED, ENTER, from, count};
    sums_t s;

    for (int g = 0; g < m->members; g++) {
        sum_part(lu, &p, come[g], come[g + 1], &s);
        if (g != m->me)
            compare_sent(lu, &p, g, slot(x, g, from), &s, column);
        add(c, count, 1.0, &s);
    }
    p.which = DISPLACED;
    sum_part(lu, &p, mine[0], mine[1], &s);
    if (m->me != 0)
        compare_sent(lu, &p, 0, slot(x, m->members + m->me, from), &s, column);
    add(c, count, 1.0, &s);
    watch_entering(lu, column, count);
}

void hyb_carried_enter(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column)
{
    for (int j = 0; lu->carried != NULL && j < count; j += MOST)
        enter(lu, x, from + j, Mmin(MOST, count - j), column + j);
}

/* ---- of columns on devices, which sum the rows up ------------------------ */

typedef struct { /* of a panel's packed rows, nb x hyb_rows_sums each */
    double *leave, *enter;
    int64_t nb;
} weights_t;

static void weigh_gathered(const hyb_lu_t *lu, const HPL_T_panel *h,
                           const weights_t *w, int g)
{
    const hpl_pivots_t *m = h->pivots;

    for (int r = m->gather_offset[g]; r < m->gather_offset[g + 1]; r++) {
        w->enter[r + HYB_ROWS_ALL_WEIGHTED * w->nb] =
            weight_of(lu, h, GATHERED, ENTER, r);
        w->enter[r + (HYB_ROWS_OF_MEMBER + g) * w->nb] = 1.0;
        if (g != m->me)
            continue;
        w->leave[r + HYB_ROWS_PLAIN * w->nb] = 1.0;
        w->leave[r + HYB_ROWS_WEIGHTED * w->nb] =
            weight_of(lu, h, GATHERED, LEAVE, r);
    }
}

static void weigh_displaced(const hyb_lu_t *lu, const HPL_T_panel *h,
                            const weights_t *w, int g)
{
    const hpl_pivots_t *m = h->pivots;

    for (int r = m->displace_offset[g]; r < m->displace_offset[g + 1]; r++) {
        if (m->me == 0) {
            w->leave[r + HYB_ROWS_ALL_WEIGHTED * w->nb] =
                weight_of(lu, h, DISPLACED, LEAVE, r);
            w->leave[r + (HYB_ROWS_OF_MEMBER + g) * w->nb] = 1.0;
        }
        if (g != m->me)
            continue;
        w->enter[r + HYB_ROWS_PLAIN * w->nb] = 1.0;
        w->enter[r + HYB_ROWS_WEIGHTED * w->nb] =
            weight_of(lu, h, DISPLACED, ENTER, r);
    }
}

void hyb_carried_row_weights(const hyb_lu_t *lu, int k, double *leave,
                             double *enter)
{
    const HPL_T_panel *h = lu->flight[k % HYB_IN_FLIGHT].panel.hpl;
    const weights_t w = {leave, enter, Mmin(lu->mat->nb, lu->mat->n)};
    size_t bytes =
        (size_t)w.nb * (size_t)hyb_rows_sums(lu->grid->nprow) * sizeof(*leave);

    memset(leave, 0, bytes);
    memset(enter, 0, bytes);
    for (int g = 0; g < h->pivots->members; g++) {
        weigh_gathered(lu, h, &w, g);
        weigh_displaced(lu, h, &w, g);
    }
}

void hyb_carried_left(const hpl_exchange_t *x, int from, int count,
                      const double *sums, int64_t ld)
{
    const hpl_pivots_t *m = x->panel->pivots;
    size_t bytes = (size_t)count * sizeof(*sums);

    memcpy(slot(x, m->me, from), sums + HYB_ROWS_PLAIN * ld, bytes);
    for (int g = 0; g < m->members && m->me == 0; g++)
        memcpy(slot(x, m->members + g, from),
               sums + (HYB_ROWS_OF_MEMBER + g) * ld, bytes);
}

/* A column of packed rows, as the host has them. */
static double sum_here(const hpl_exchange_t *x, const double *packed, int first,
                       int end, int64_t column)
{
    double sum = 0.0;

    for (int r = first; r < end; r++)
        sum += packed[(int64_t)r * x->columns + column];
    return sum;
}

static void raise_here(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s,
                       int64_t column)
{
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_UPDATE, s->k, column);

    alarm.device = s->device;
    hyb_alarm_raise(lu, &alarm);
}

typedef struct { /* rows of a member, which sent their sums */
    int member, first, end;
    const double *packed, *sent, *sums; /* by column of the run */
} came_t;

/* If it came right the device has it wrong, or has sent itself other sums. */
static void compare_rows(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s,
                         const came_t *c)
{
    bool mine = c->member == s->x->panel->pivots->me;

    for (int64_t j = 0; j < s->run.count; j++) {
        int64_t column = s->run.from + j;

        if (!all_sent_numbers(s->x, s->at + (int)j) ||
            is_what_was_sent(lu, column, c->sent[j], c->sums[j]))
            continue;
        if (mine || (!lu->means.device_mpi &&
                     is_what_was_sent(lu, column, c->sent[j],
                                      sum_here(s->x, c->packed, c->first,
                                               c->end, s->at + j))))
            raise_here(lu, s, column);
        else
            raise_message(lu, s->x, c->member, column);
        return;
    }
}

static void compare_came(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s)
{
    const hpl_exchange_t *x = s->x;
    const hpl_pivots_t *m = x->panel->pivots;
    const int *mine = m->displace_offset + m->me;
    const came_t displaced = {0,
                              mine[0],
                              mine[1],
                              x->displaced,
                              slot(x, m->members + m->me, s->at),
                              s->enter + HYB_ROWS_PLAIN * s->ld};

    for (int g = 0; g < m->members; g++) {
        const came_t u = {g,
                          m->gather_offset[g],
                          m->gather_offset[g + 1],
                          x->gathered,
                          slot(x, g, s->at),
                          s->enter + (HYB_ROWS_OF_MEMBER + g) * s->ld};

        compare_rows(lu, s, &u);
    }
    compare_rows(lu, s, &displaced);
}

/* Rows of a way have sign times these sums. */
static void add_way(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s,
                    double sign, const double *sums)
{
    for (int64_t j = 0; j < s->run.count; j++) {
        hyb_carried_column_t *c = &lu->carried->column[s->run.from + j];

        c->plain += sign * sums[j + HYB_ROWS_PLAIN * s->ld];
        for (int g = 0; g < lu->grid->nprow; g++)
            c->plain += sign * sums[j + (HYB_ROWS_OF_MEMBER + g) * s->ld];
        c->weighted += sign * (sums[j + HYB_ROWS_WEIGHTED * s->ld] +
                               sums[j + HYB_ROWS_ALL_WEIGHTED * s->ld]);
        c->variance += hyb_noise_of_rows(lu, lu->mat->nb);
    }
}

void hyb_carry_rows(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s)
{
    compare_came(lu, s);
    add_way(lu, s, -1.0, s->leave);
    watch_leaving(lu, s->x, s->run.from, s->run.count, s->device);
    add_way(lu, s, 1.0, s->enter);
    watch_entering(lu, s->run.from, s->run.count);
}
