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

/* ---- their sums ----------------------------------------------------------
 */

static const double *packed(const hpl_exchange_t *x, packed_t which, int k)
{
    const double *all = which == GATHERED ? x->gathered : x->displaced;

    return all + (int64_t)k * x->columns;
}

/* Rows first .. end - 1 of the columns from .. from + count - 1, whose weights
 * those functions tell. */
typedef struct {
    const hpl_exchange_t *x;
    packed_t which;
    int from, count;
    double (*weight)(const hyb_lu_t *lu, const hpl_exchange_t *x, int k);
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
            weight[i] = p->weight(lu, p->x, k + i);
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

/* ---- weights of packed row k: before it goes, and where it goes ----------
 */

static double of_place(const hyb_lu_t *lu, const hpl_exchange_t *x, int row)
{
    return hyb_row_weights(lu, 0)[x->panel->ii + row];
}

static double gathered_from(const hyb_lu_t *lu, const hpl_exchange_t *x, int k)
{
    return of_place(lu, x, x->panel->pivots->gather[k].from);
}

static double gathered_to(const hyb_lu_t *lu, const hpl_exchange_t *x, int k)
{
    return lu->carried->top[x->panel->pivots->gather[k].to];
}

static double displaced_from(const hyb_lu_t *lu, const hpl_exchange_t *x, int k)
{
    return of_place(lu, x, x->panel->pivots->displace[k].from);
}

static double displaced_to(const hyb_lu_t *lu, const hpl_exchange_t *x, int k)
{
    return of_place(lu, x, x->panel->pivots->displace[k].to);
}

/* ---- what travels with them: sums of their bits, by column ---------------
 */

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

static int sender(const hyb_lu_t *lu, const hpl_exchange_t *x, int member)
{
    const HPL_T_grid *g = lu->grid;
    int row = (x->panel->prow + member) % g->nprow;

    return g->order == HPL_ROW_MAJOR ? row * g->npcol + g->mycol
                                     : g->mycol * g->nprow + row;
}

/* Rows that came of a member are those that it sent. */
static void compare_words(hyb_lu_t *lu, const part_t *p, int member,
                          const double *sent, const sums_t *s, int64_t column)
{
    hyb_alarm_t alarm;

    for (int j = 0; j < p->count; j++) {
        if (memcmp(&s->words[j], sent + j, sizeof(*s->words)) == 0)
            continue;
        alarm = hyb_alarm_at(lu, HYB_FOUND_ROWS_MESSAGE,
                             p->x->panel->ja / lu->mat->nb, column + j);
        alarm.from = sender(lu, p->x, member);
        hyb_alarm_raise(&lu->carried->alarms, &alarm, HYB_NOT_REPAIRED);
        return;
    }
}

/* ---- rows that leave -----------------------------------------------------
 */

/* A sum of numbers, none of them huge. */
static bool is_usual(double sum)
{
    return fabs(sum) * fabs(sum) < HYB_MOST_SQUARES;
}

/* Numbers that are none, or huge, leave. */
static void raise_leaving(hyb_lu_t *lu, const hpl_exchange_t *x, int64_t column)
{
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_UPDATE,
                                     x->panel->ja / lu->mat->nb - 1, column);

    hyb_forget_columns(lu, column, 1);
    hyb_alarm_raise(&lu->carried->alarms, &alarm, HYB_NOT_REPAIRED);
}

static void leave(hyb_lu_t *lu, const hpl_exchange_t *x, int from, int count,
                  int64_t column)
{
    const hpl_pivots_t *m = x->panel->pivots;
    const int *mine = m->gather_offset + m->me, *go = m->displace_offset;
    hyb_carried_column_t *c = &lu->carried->column[column];
    part_t p = {x, GATHERED, from, count, gathered_from};
    size_t bytes = (size_t)count * sizeof(uint64_t);
    sums_t s;

    sum_part(lu, &p, mine[0], mine[1], &s);
    memcpy(slot(x, m->me, from), s.words, bytes);
    add(c, count, -1.0, &s);
    p.which = DISPLACED;
    p.weight = displaced_from;
    for (int g = 0; g < m->members && m->me == 0; g++) {
        sum_part(lu, &p, go[g], go[g + 1], &s);
        memcpy(slot(x, m->members + g, from), s.words, bytes);
        add(c, count, -1.0, &s);
    }
    for (int j = 0; j < count; j++)
        if (c[j].is_known && !is_usual(c[j].plain))
            raise_leaving(lu, x, column + j);
}

void hyb_carried_leave(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column)
{
    for (int j = 0; lu->carried != NULL && j < count; j += MOST)
        leave(lu, x, from + j, Mmin(MOST, count - j), column + j);
}

/* ---- rows that enter -----------------------------------------------------
 */

static void enter(hyb_lu_t *lu, const hpl_exchange_t *x, int from, int count,
                  int64_t column)
{
    const hpl_pivots_t *m = x->panel->pivots;
    const int *mine = m->displace_offset + m->me, *come = m->gather_offset;
    hyb_carried_column_t *c = &lu->carried->column[column];
    part_t p = {x, GATHERED, from, count, gathered_to};
    sums_t s;

    for (int g = 0; g < m->members; g++) {
        sum_part(lu, &p, come[g], come[g + 1], &s);
        if (g != m->me)
            compare_words(lu, &p, g, slot(x, g, from), &s, column);
        add(c, count, 1.0, &s);
    }
    p.which = DISPLACED;
    p.weight = displaced_to;
    sum_part(lu, &p, mine[0], mine[1], &s);
    if (m->me != 0)
        compare_words(lu, &p, 0, slot(x, m->members + m->me, from), &s, column);
    add(c, count, 1.0, &s);
    for (int j = 0; j < count; j++)
        if (!is_usual(c[j].plain)) /* who sent them has said so */
            hyb_forget_columns(lu, column + j, 1);
}

void hyb_carried_enter(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column)
{
    for (int j = 0; lu->carried != NULL && j < count; j += MOST)
        enter(lu, x, from + j, Mmin(MOST, count - j), column + j);
}
