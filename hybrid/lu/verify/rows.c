/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

#include "hpl/panel/pivots.h"

/* ---- rows that leave and enter, P > 1 ------------------------------------
 */

/* Rows of packed, one after the other, are added to columns' sums. */
typedef struct {
    const double *packed;
    int64_t ld; /* between rows */
    double sign;
} packed_t;

static void add_row(hyb_carried_column_t *column, int count,
                    const packed_t *rows, int k, double weight)
{
    const double *row = rows->packed + k * rows->ld;

    for (int j = 0; j < count; j++) {
        column[j].plain += rows->sign * row[j];
        column[j].weighted += rows->sign * weight * row[j];
    }
}

static packed_t gathered(const hpl_exchange_t *x, int from, double sign)
{
    return (packed_t){x->gathered + from, x->columns, sign};
}

static packed_t displaced(const hpl_exchange_t *x, int from, double sign)
{
    return (packed_t){x->displaced + from, x->columns, sign};
}

/* ---- what travels with them: sums of their bits, by column ---------------
 */

double *hyb_carried_sent(const hyb_lu_t *lu, int64_t column)
{
    if (lu->carried == NULL || lu->grid->nprow == 1)
        return NULL;
    return lu->carried->sent + 2 * lu->grid->nprow * column;
}

/* Of packed rows first .. end - 1. */
static void sum_words(const packed_t *rows, int first, int end, int count,
                      uint64_t *sum)
{
    memset(sum, 0, (size_t)count * sizeof(*sum));
    for (int k = first; k < end; k++)
        for (int j = 0; j < count; j++)
            sum[j] +=
                hyb_check_word(rows->packed[k * rows->ld + j], (uint32_t)k);
}

enum { MOST = 512 }; /* columns at a time */

/* A member's slot of x's sums, from one of its columns on. */
static double *slot(const hpl_exchange_t *x, int member, int from)
{
    return x->sums + (size_t)member * (size_t)x->columns + from;
}

static void send_words(const hpl_exchange_t *x, int from, int count)
{
    const hpl_pivots_t *p = x->panel->pivots;
    packed_t rows = gathered(x, from, 0.0);
    uint64_t sum[MOST];

    sum_words(&rows, p->gather_offset[p->me], p->gather_offset[p->me + 1],
              count, sum);
    memcpy(slot(x, p->me, from), sum, (size_t)count * sizeof(*sum));
    rows = displaced(x, from, 0.0);
    for (int g = 0; g < p->members && p->me == 0; g++) {
        sum_words(&rows, p->displace_offset[g], p->displace_offset[g + 1],
                  count, sum);
        memcpy(slot(x, p->members + g, from), sum,
               (size_t)count * sizeof(*sum));
    }
}

static int sender(const hyb_lu_t *lu, const hpl_exchange_t *x, int member)
{
    const HPL_T_grid *g = lu->grid;
    int row = (x->panel->prow + member) % g->nprow;

    return g->order == HPL_ROW_MAJOR ? row * g->npcol + g->mycol
                                     : g->mycol * g->nprow + row;
}

/* Rows that came of a member are those that it sent. */
static void compare_words(hyb_lu_t *lu, const hpl_exchange_t *x, int member,
                          const packed_t *rows, const int *offset,
                          const double *sent, int count, int64_t column)
{
    hyb_alarm_t alarm;
    uint64_t sum[MOST];

    sum_words(rows, offset[0], offset[1], count, sum);
    for (int j = 0; j < count; j++) {
        if (memcmp(&sum[j], sent + j, sizeof(*sum)) == 0)
            continue;
        alarm = hyb_alarm_at(lu, HYB_FOUND_ROWS_MESSAGE,
                             x->panel->ja / lu->mat->nb, column + j);
        alarm.from = sender(lu, x, member);
        hyb_alarm_raise(&lu->carried->alarms, &alarm, HYB_NOT_REPAIRED);
        return;
    }
}

static void receive_words(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                          int count, int64_t column)
{
    const hpl_pivots_t *p = x->panel->pivots;
    packed_t rows = gathered(x, from, 0.0);

    for (int g = 0; g < p->members; g++)
        if (g != p->me)
            compare_words(lu, x, g, &rows, p->gather_offset + g,
                          slot(x, g, from), count, column);
    rows = displaced(x, from, 0.0);
    if (p->me != 0)
        compare_words(lu, x, 0, &rows, p->displace_offset + p->me,
                      slot(x, p->members + p->me, from), count, column);
}

/* ---- rows that leave and enter -------------------------------------------
 */

/* Numbers that are none leave. */
static void raise_leaving(hyb_lu_t *lu, const hpl_exchange_t *x, int64_t column)
{
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_UPDATE,
                                     x->panel->ja / lu->mat->nb - 1, column);

    hyb_forget_columns(lu, column, 1);
    hyb_alarm_raise(&lu->carried->alarms, &alarm, HYB_NOT_REPAIRED);
}

void hyb_carried_leave(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column)
{
    const hpl_pivots_t *p = x->panel->pivots;
    const double *weight;
    hyb_carried_column_t *c;
    packed_t rows;

    if (lu->carried == NULL)
        return;
    send_words(x, from, count);
    c = &lu->carried->column[column];
    weight = hyb_row_weights(lu, 0) + x->panel->ii;
    rows = gathered(x, from, -1.0);
    for (int k = p->gather_offset[p->me]; k < p->gather_offset[p->me + 1]; k++)
        add_row(c, count, &rows, k, weight[p->gather[k].from]);
    rows = displaced(x, from, -1.0);
    for (int k = 0; p->me == 0 && k < p->displace_offset[p->members]; k++)
        add_row(c, count, &rows, k, weight[p->displace[k].from]);
    for (int j = 0; j < count; j++)
        if (c[j].is_known && !isfinite(c[j].plain))
            raise_leaving(lu, x, column + j);
}

void hyb_carried_enter(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column)
{
    const hpl_pivots_t *p = x->panel->pivots;
    const int *mine = p->displace_offset + p->me;
    const double *weight;
    hyb_carried_column_t *c;
    packed_t rows;

    if (lu->carried == NULL)
        return;
    for (int j = 0; j < count; j += MOST)
        receive_words(lu, x, from + j, Mmin(MOST, count - j), column + j);
    c = &lu->carried->column[column];
    weight = hyb_row_weights(lu, 0) + x->panel->ii;
    rows = displaced(x, from, 1.0);
    for (int k = mine[0]; k < mine[1]; k++)
        add_row(c, count, &rows, k, weight[p->displace[k].to]);
    rows = gathered(x, from, 1.0);
    for (int k = 0; k < x->panel->jb; k++)
        add_row(c, count, &rows, k, lu->carried->top[p->gather[k].to]);
    for (int j = 0; j < count; j++)
        if (!isfinite(c[j].plain)) /* who sent them has said so */
            hyb_forget_columns(lu, column + j, 1);
}
