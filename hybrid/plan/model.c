/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model_private.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/integers.h"
#include "hpl/pauxil/deal.h"
#include "hpl/pfact/pivot.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/state/worker.h"
#include "hybrid/lu/tune/residence.h"
#include "hybrid/lu/tune/sizes.h"

enum {
    MOST_STEPS = 100000,
    EVEN = 8 /* fewest steps per process */
};

/* The state of one process; times are seconds from the start of the
 * factorization. */
typedef struct hyb_model_process {
    double panel;             /* when the next panel is known on this process */
    double open;              /* when the iteration is open */
    double end, previous_end; /* when the newest iteration is complete; and the
                                 one before it */
    double messages;          /* main thread's time for the next panel */
    hyb_model_step_t step;    /* work of the iteration */
    double work;    /* seconds of the threads' work while products run, products
                       included */
    double savings; /* seconds of that work that devices save */
} process_t;

/* ---- messages ------------------------------------------------------------ */

/* Return the seconds of messages to choose a panel's pivots among the processes
 * of a column. */
static double pivots(const hyb_model_t *model, double rows)
{
    return model->test.nb * hpl_pivot_rounds(model->test.nprow) *
           hyb_model_curve_at(&model->width.pivot, rows);
}

/* Return the seconds to send `columns` columns of U's rows to all processes of
 * a column. */
static double exchange(const hyb_model_t *model, double columns)
{
    const hyb_model_link_t *link = &model->rates->column;
    int p = model->test.nprow;
    double bytes = 2.0 * 8.0 * model->test.nb * columns * (p - 1) / p;

    if (p == 1 || link->bandwidth <= 0.0 || columns <= 0.0)
        return 0.0;
    return (hyb_messages_rounds(p) + p - 1) * link->latency +
           bytes / link->bandwidth;
}

/* Return the seconds to send rows in parcels, or all together. */
static double exchange_groups(const hyb_model_t *model, double columns)
{
    double group = (double)hyb_parcel_columns(model->test.nb);
    double whole = floor(columns / group);

    if (hyb_exchange_has_many_rounds(model->test.nprow) &&
        model->host_part == 1.0)
        return exchange(model, columns);
    return whole * exchange(model, group) +
           exchange(model, columns - whole * group);
}

/* Return the seconds that all threads lose while the main thread handles
 * messages. */
static double thread_loss(const hyb_model_t *model, double messages)
{
    return messages / model->rates->threads;
}

/* ---- one iteration ------------------------------------------------------- */

static process_t *at(const hyb_model_t *model, int p, int q)
{
    return &model->process[p * model->test.npcol + q];
}

/* Divide all times, except those of messages and copies, by the speed. */
static void apply_speed(hyb_model_step_t *step, double speed)
{
    double *seconds[] = {&step->update,  &step->prepare,  &step->first,
                         &step->product, &step->copy,     &step->divisible,
                         &step->devices, &step->resident, &step->next_panel};

    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
        *seconds[i] /= speed;
}

static double panel_seconds(const hyb_model_t *model, int q, double rows,
                            int threads)
{
    return hyb_model_panel_seconds(model, rows, threads) /
           hyb_model_speed(model, q);
}

/*
 * Return the seconds to pack rows of a column for other processes. The owner of
 * the top packs the most rows. With DEPTH 0 and 1 all processes wait for the
 * owner; otherwise the processes take turns as owner.
 */
static double pack(const hyb_model_t *model, double all)
{
    double p = model->test.nprow;

    if (p == 1.0)
        return 0.0;
    return model->mode == HYB_OVERLAP_PIPELINE ? all / p
                                               : all * (1.0 + 1.0 / p) / 2.0;
}

static hyb_model_step_t step_of(const hyb_model_t *model, int64_t k, int p,
                                int q)
{
    const hpl_shape_t *test = &model->test;
    const hyb_model_width_t *width = &model->width;
    int64_t next = (k + 1) * test->nb;
    bool owner = next < test->n && hyb_model_owner(model, k + 1) == q;
    double m = hyb_model_rows(model, next, p);
    double n = hyb_model_columns(model, next, q);
    double host = hyb_model_team_columns(model, n);
    double update = hyb_model_curve_at(&width->update, m);
    double copied = hyb_model_curve_at(&width->pack, m);
    double packed = pack(model, copied);
    double reload = /* U was stored and is read again */
        model->mode == HYB_OVERLAP_PIPELINE ? 0.0 : copied / 2.0;
    double column = update + packed + reload;
    double prepare =
        fmin(hyb_model_curve_at(&width->prepare, m) + packed, column);
    double both = owner ? fmin(test->nb, n) / (double)model->run : 0.0;
    double ahead = host > 0.0 && model->team_part <= 0.0 ? both : 0.0;
    double longer = /* narrow runs take longer */
        ahead * fmax(0.0, hyb_model_curve_at(&width->narrow, m) - update);
    hyb_model_step_t step = {.m = m,
                             .n = n,
                             .host = host,
                             .update =
                                 host * column + longer * (double)model->run,
                             .prepare = host * prepare,
                             .first = ahead * prepare,
                             .product = ahead * (column - prepare) + longer,
                             .exchange = model->mode == HYB_OVERLAP_PIPELINE
                                             ? exchange_groups(model, n)
                                             : exchange(model, n)};

    step.group = fmin(step.exchange,
                      exchange(model, (double)hyb_parcel_columns(test->nb)));
    hyb_model_stream(model, ahead, column - prepare, &step);
    hyb_model_reside(model, k, hyb_model_owner(model, k) == q, both - ahead,
                     &step);
    apply_speed(&step, hyb_model_speed(model, q));
    return step;
}

/* Return the number of threads for a panel of process column q that minimizes
 * the time of an iteration. */
static int panel_threads(const hyb_model_t *model, int q, double rows)
{
    const hyb_model_step_t *step = &at(model, 0, q)->step;
    int most = model->rates->threads, best = most;
    double least = INFINITY;

    if (model->mode == HYB_OVERLAP_NOTHING || model->host_part <= 0.0)
        return most;
    for (int t = 1; t <= most; t = t < most && 2 * t > most ? most : 2 * t) {
        double panel = panel_seconds(model, q, rows, t);
        double host = step->copy + step->update + panel * t / most;
        double all =
            fmax(host - hyb_model_savings(model, step, host),
                 step->group + step->copy + step->first + step->product +
                     step->next_panel + step->down + panel);

        if (all < least) {
            least = all;
            best = t;
        }
    }
    return best;
}

/* Add work for the threads while products run. Return how much longer the
 * iteration takes. */
static double add_work(const hyb_model_t *model, process_t *me, double seconds)
{
    double before = me->savings;

    me->work += seconds;
    me->savings = hyb_model_savings(model, &me->step, me->work);
    return seconds - (me->savings - before);
}

/* Update the columns. Return when the next panel can be factored. */
static double update(const hyb_model_t *model, process_t *me, double all_open)
{
    const hyb_model_step_t *step = &me->step;
    double begin = fmax(me->end, me->open), prepared, ready;
    double messages = thread_loss(model, step->exchange) + me->messages;

    /* Devices work in order, so they begin after the previous iteration. */
    if (step->next_panel > 0.0)
        all_open = fmax(all_open, begin);
    me->previous_end = me->end;
    me->work = me->savings = 0.0;
    if (model->mode == HYB_OVERLAP_PIPELINE) {
        me->end = fmax(
            begin + add_work(model, me, step->copy + step->update + messages),
            all_open + step->exchange);
        return all_open + step->group + step->copy + step->first +
               step->product + step->next_panel + step->down;
    }
    prepared =
        fmax(begin, all_open) + step->copy + step->prepare + step->exchange;
    ready = prepared + step->product + step->next_panel + step->down;
    me->end = prepared +
              add_work(model, me, step->update - step->prepare + me->messages);
    return model->mode == HYB_OVERLAP_PANEL ? ready : fmax(me->end, ready);
}

/* Send panel k, which is ready on its process column, to all processes. */
static void send_panel(const hyb_model_t *model, int64_t k, double ready)
{
    const hpl_shape_t *test = &model->test;
    const hyb_model_link_t *link = &model->rates->row;
    int root = hyb_model_owner(model, k);

    for (int p = 0; p < model->rows; p++) {
        double rows = hyb_model_rows(model, k * test->nb, p);
        double bytes = 8.0 * test->nb * (rows + test->nb);

        for (int q = 0; q < test->npcol; q++) {
            int distance = (q - root + test->npcol) % test->npcol;
            int times =
                hyb_messages_copies(model->bcast, test->npcol, distance);

            at(model, p, q)->panel =
                ready + hyb_messages_broadcast(link, model->bcast, test->npcol,
                                               distance, bytes);
            at(model, p, q)->messages =
                thread_loss(model, times * hyb_messages_transfer(link, bytes));
        }
    }
}

/* Factor panel k + 1 on its process column. Return when the panel is ready. */
static double factor_next(const hyb_model_t *model, int64_t k, double ready)
{
    const hpl_shape_t *test = &model->test;
    int q = hyb_model_owner(model, k + 1), most = model->rates->threads;
    double rows = hyb_model_rows(model, (k + 1) * test->nb, HYB_MODEL_TALLEST);
    bool by_device = hyb_model_by_device(model, k + 1);
    int threads = by_device ? 0 : panel_threads(model, q, rows);
    double panel = (by_device ? hyb_model_device_panel(model, rows)
                              : panel_seconds(model, q, rows, threads)) +
                   pivots(model, rows);

    for (int p = 0; p < model->rows; p++) {
        process_t *me = at(model, p, q);
        double part = panel * threads / most;

        if (model->mode != HYB_OVERLAP_NOTHING) /* it overlaps the update */
            part = add_work(model, me, part);
        me->end = fmax(me->end + part, ready + panel);
    }
    return ready + panel;
}

/* Simulate iteration k on a process column. Return when the columns of the next
 * panel are ready. */
static double iterate_column(const hyb_model_t *model, int64_t k, int q)
{
    double all_open = 0.0, ready = 0.0;

    for (int p = 0; p < model->rows; p++) {
        process_t *me = at(model, p, q);

        me->step = step_of(model, k, p, q);
        me->open = fmax(fmax(me->panel, me->open),
                        model->mode != HYB_OVERLAP_NOTHING ? me->previous_end
                                                           : me->end) +
                   me->step.up;
        all_open = fmax(all_open, me->open);
    }
    for (int p = 0; p < model->rows; p++) {
        process_t *me = at(model, p, q);

        ready = fmax(ready, update(model, me, all_open));
    }
    return ready;
}

/* ---- all iterations ------------------------------------------------------ */

static double factorize(const hyb_model_t *model)
{
    int npcol = model->test.npcol;
    double rows = hyb_model_rows(model, 0, HYB_MODEL_TALLEST), done = 0.0,
           ready = 0.0;
    double first = hyb_model_first_panel(model) /
                   hyb_model_speed(model, hyb_model_owner(model, 0));

    send_panel(model, 0, first + pivots(model, rows));
    for (int64_t k = 0; k < model->panels; k++) {
        for (int q = 0; q < npcol; q++) {
            double column = iterate_column(model, k, q);

            if (q == hyb_model_owner(model, k + 1))
                ready = column;
        }
        if (k + 1 < model->panels)
            send_panel(model, k + 1, factor_next(model, k, ready));
    }
    for (int i = 0; i < model->rows * npcol; i++)
        done = fmax(done, model->process[i].end);
    return done;
}

/* Return the mean speed of process columns, each of which has columns in
 * proportion to its speed. */
static double mean_speed(const hyb_model_t *model)
{
    double sum = 0.0;

    for (int q = 0; q < model->test.npcol; q++)
        sum += hyb_model_speed(model, q);
    return sum / model->test.npcol;
}

/* Return the seconds of the back-substitution: each element of U is read once,
 * in the memory where it lives; each block waits for two sets of messages. */
static double back_substitution(const hyb_model_t *model)
{
    const hyb_model_rates_t *rates = model->rates;
    const hpl_shape_t *test = &model->test;
    double n = test->n, processes = (double)test->nprow * test->npcol;
    double part = hyb_model_read_part(model);
    double read = 8.0 * n * n / 2.0 / processes * part / mean_speed(model);
    double block = 8.0 * test->nb, blocks = ceil(n / test->nb);
    double messages = hyb_messages_rounds(test->npcol) *
                          hyb_messages_transfer(&rates->row, block) +
                      hyb_messages_rounds(test->nprow) *
                          hyb_messages_transfer(&rates->column, block);
    double on_devices =
        hyb_model_curve_at(&model->width.subtract, n / 2.0 / test->nprow) *
        blocks / test->npcol * (1.0 - part);

    return (rates->sweep > 0.0 ? read / rates->sweep : 0.0) + on_devices +
           blocks * messages;
}

/*
 * Combine panels into runs, so that there are not too many steps, but enough to
 * deal evenly. A run acts as one panel of its width. Each panel of the run
 * takes as long as before, but the next panel waits for fewer columns.
 */
static void take_runs(hyb_model_t *model)
{
    hpl_shape_t *test = &model->test;
    int64_t panels = xh_units(test->n, test->nb), steps;
    int64_t most = panels / (EVEN * xh_larger(test->nprow, test->npcol));

    for (model->rows = test->nprow;; model->rows = 1) {
        steps = panels * model->rows * test->npcol;
        model->run =
            xh_smaller(xh_units(steps, MOST_STEPS), xh_larger(most, 1));
        if (model->rows == 1 ||
            panels / model->run * model->rows * test->npcol <= MOST_STEPS)
            break;
    }
    model->panels = xh_units(panels, model->run);
    hyb_model_width_scale(&model->width, (double)model->run,
                          (double)model->run);
    test->nb *= (int)model->run;
}

/* Deal columns by the weights `speed`, as a test does. */
static xh_status_t deal(hyb_model_t *model, hpl_deal_t **deal_p)
{
    hpl_shape_t *test = &model->test;

    *deal_p = NULL;
    if (model->rates->speed != NULL)
        XH_TRY(hpl_deal_create(model->rates->speed, test->npcol, test->n,
                               test->nb, deal_p));
    test->deal = *deal_p;
    return XH_OK;
}

/* Return the seconds for the flop of the test at the cores' highest rate; 0:
 * the rate is unknown, or devices take part. */
static double least_seconds(const hyb_model_t *model)
{
    const hyb_model_width_t *width = &model->width;
    const hpl_shape_t *test = &model->test;
    double n = test->n;
    double rate = model->rates->process * test->nprow * test->npcol;

    return rate > 0.0 && width->devices.count + width->resident.count == 0
               ? (2.0 / 3.0 * n + 1.5) * n * n / rate
               : 0.0;
}

double hyb_model_seconds(const hyb_model_rates_t *rates,
                         const hpl_shape_t *test, int bcast)
{
    hyb_model_t model = {.rates = rates, .test = *test, .bcast = bcast};
    hpl_deal_t *columns;
    double seconds, least;

    if (test->n == 0)
        return 0.0;
    model.test.nb = (int)xh_smaller(test->nb, test->n);
    model.width = hyb_model_of_width(rates, model.test.nb);
    model.mode =
        test->depth < 2 ? (hyb_overlap_t)test->depth : HYB_OVERLAP_PIPELINE;
    model.host_part = 1.0;
    if (model.width.resident.count > 0 &&
        hyb_residence_is_device(rates->home, &rates->figures, &model.test))
        hyb_model_take_homes(&model);
    least = least_seconds(&model);
    seconds = back_substitution(&model);
    take_runs(&model);
    model.process =
        calloc((size_t)model.rows * (size_t)test->npcol, sizeof(process_t));
    if (model.process == NULL || deal(&model, &columns) != XH_OK)
        seconds = 0.0;
    else {
        seconds = fmax(least, seconds + factorize(&model));
        hpl_deal_destroy(columns);
    }
    free(model.process);
    return seconds;
}
