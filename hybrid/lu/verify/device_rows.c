/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

#include "hpl/panel/pivots.h"

/* Rows of columns on devices that leave and enter, P > 1: devices sum them up.
 */

/* ---- weights of packed rows, where they were and where they go -----------
 */

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
            hyb_weight_gathered_to(lu, h, r);
        w->enter[r + (HYB_ROWS_OF_MEMBER + g) * w->nb] = 1.0;
        if (g != m->me)
            continue;
        w->leave[r + HYB_ROWS_PLAIN * w->nb] = 1.0;
        w->leave[r + HYB_ROWS_WEIGHTED * w->nb] =
            hyb_weight_gathered_from(lu, h, r);
    }
}

static void weigh_displaced(const hyb_lu_t *lu, const HPL_T_panel *h,
                            const weights_t *w, int g)
{
    const hpl_pivots_t *m = h->pivots;

    for (int r = m->displace_offset[g]; r < m->displace_offset[g + 1]; r++) {
        if (m->me == 0) {
            w->leave[r + HYB_ROWS_ALL_WEIGHTED * w->nb] =
                hyb_weight_displaced_from(lu, h, r);
            w->leave[r + (HYB_ROWS_OF_MEMBER + g) * w->nb] = 1.0;
        }
        if (g != m->me)
            continue;
        w->enter[r + HYB_ROWS_PLAIN * w->nb] = 1.0;
        w->enter[r + HYB_ROWS_WEIGHTED * w->nb] =
            hyb_weight_displaced_to(lu, h, r);
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

    memcpy(hyb_sums_slot(x, m->me, from), sums + HYB_ROWS_PLAIN * ld, bytes);
    for (int g = 0; g < m->members && m->me == 0; g++)
        memcpy(hyb_sums_slot(x, m->members + g, from),
               sums + (HYB_ROWS_OF_MEMBER + g) * ld, bytes);
}

/* ---- what came is what was sent ------------------------------------------
 */

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
    hyb_alarm_raise(&lu->carried->alarms, &alarm);
}

typedef struct { /* rows of a member, which sent their sums */
    const hpl_exchange_t *x;
    int member, first, end;
    const double *packed, *sent, *sums; /* by column of the run */
    int at;                             /* the run's first one in x */
} came_t;

/* If it came right the device has it wrong, or has sent itself other sums. */
static void compare_rows(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s,
                         const came_t *c)
{
    bool mine = c->member == c->x->panel->pivots->me;

    for (int64_t j = 0; j < s->run.count; j++) {
        int64_t column = s->run.from + j;

        if (!hyb_all_sent_numbers(c->x, c->at + (int)j) ||
            hyb_is_what_was_sent(lu, column, c->sent[j], c->sums[j]))
            continue;
        if (mine || (!lu->means.device_mpi &&
                     hyb_is_what_was_sent(lu, column, c->sent[j],
                                          sum_here(c->x, c->packed, c->first,
                                                   c->end, c->at + j))))
            raise_here(lu, s, column);
        else
            hyb_raise_rows(lu, c->x, c->member, column);
        return;
    }
}

static void compare_came(hyb_lu_t *lu, const hyb_device_sums_of_run_t *s)
{
    const hpl_exchange_t *x = s->x;
    const hpl_pivots_t *m = x->panel->pivots;
    const int *mine = m->displace_offset + m->me;
    const came_t displaced = {x,
                              0,
                              mine[0],
                              mine[1],
                              x->displaced,
                              hyb_sums_slot(x, m->members + m->me, s->at),
                              s->enter + HYB_ROWS_PLAIN * s->ld,
                              s->at};

    for (int g = 0; g < m->members; g++) {
        const came_t u = {x,
                          g,
                          m->gather_offset[g],
                          m->gather_offset[g + 1],
                          x->gathered,
                          hyb_sums_slot(x, g, s->at),
                          s->enter + (HYB_ROWS_OF_MEMBER + g) * s->ld,
                          s->at};

        compare_rows(lu, s, &u);
    }
    compare_rows(lu, s, &displaced);
}

/* ---- carrying ------------------------------------------------------------
 */

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
    hyb_watch_leaving(lu, s->x, s->run.from, s->run.count, s->device);
    add_way(lu, s, 1.0, s->enter);
    hyb_watch_entering(lu, s->run.from, s->run.count);
}
