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
    EVEN = 8 /* steps that each process is to have, at least */
};

/* One process, in seconds from the start of the factorization. */
typedef struct hyb_model_process {
    double panel;          /* the next panel is here */
    double open;           /* the iteration is */
    double done, before;   /* with the last iteration, and the one before it */
    double messages;       /* of the next panel: its main thread's part */
    hyb_model_step_t step; /* the iteration; while its products run: */
    double host;           /* what threads have to do, all products included, */
    double saved;          /* and what devices save them */
} process_t;

/* ---- messages ------------------------------------------------------------ */

/* The choice of a panel's pivots among the processes of a column. */
static double pivots(const hyb_model_t *model, double rows)
{
    return model->test.nb * hpl_pivot_rounds(model->test.nprow) *
           hyb_model_curve_at(&model->width.pivot, rows);
}

/* Rows of U, of so many columns, to all processes of a column. */
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

/* In groups, each with messages of its own, or all together. */
static double exchange_groups(const hyb_model_t *model, double columns)
{
    double group = (double)hyb_parcel_columns(model->test.nb);
    double whole = floor(columns / group);

    if (hyb_exchange_has_many_rounds(model->test.nprow) &&
        model->on_host == 1.0)
        return exchange(model, columns);
    return whole * exchange(model, group) +
           exchange(model, columns - whole * group);
}

/* What all threads miss while their main one is at messages. */
static double missed(const hyb_model_t *model, double messages)
{
    return model->rates->aside ? 0.0 : messages / model->rates->threads;
}

/* ---- one iteration ------------------------------------------------------- */

static process_t *at(const hyb_model_t *model, int p, int q)
{
    return &model->process[p * model->test.npcol + q];
}

/* All but messages and ways takes one speed-th. */
static void hasten(hyb_model_step_t *step, double speed)
{
    double *seconds[] = {&step->update,  &step->prepare,  &step->first,
                         &step->product, &step->copy,     &step->shared,
                         &step->theirs,  &step->resident, &step->next};

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
 * Rows of a column that are packed for others. The process that has the top
 * packs the most. With DEPTH 0 and 1 all wait for it; else each process has the
 * top in turn.
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
    double again = /* U, which was stored when all columns were prepared */
        model->mode == HYB_OVERLAP_PIPELINE ? 0.0 : copied / 2.0;
    double column = update + packed + again;
    double prepare =
        fmin(hyb_model_curve_at(&width->prepare, m) + packed, column);
    double both = owner ? fmin(test->nb, n) / (double)model->run : 0.0;
    double ahead = host > 0.0 && model->share <= 0.0 ? both : 0.0;
    double longer = /* in narrow runs */
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
    hasten(&step, hyb_model_speed(model, q));
    return step;
}

/* The threads for a panel of process column q with which an iteration takes
 * least. */
static int panel_threads(const hyb_model_t *model, int q, double rows)
{
    const hyb_model_step_t *step = &at(model, 0, q)->step;
    int most = model->rates->threads, best = most;
    double least = INFINITY;

    if (model->mode == HYB_OVERLAP_NOTHING || model->on_host <= 0.0)
        return most;
    for (int t = 1; t <= most; t = t < most && 2 * t > most ? most : 2 * t) {
        double panel = panel_seconds(model, q, rows, t);
        double host = step->copy + step->update + panel * t / most;
        double all = fmax(host - hyb_model_saved(model, step, host),
                          step->group + step->copy + step->first +
                              step->product + step->next + step->down + panel);

        if (all < least) {
            least = all;
            best = t;
        }
    }
    return best;
}

/* More for the threads while products run; returns by how much that is longer.
 */
static double work(const hyb_model_t *model, process_t *me, double seconds)
{
    double before = me->saved;

    me->host += seconds;
    me->saved = hyb_model_saved(model, &me->step, me->host);
    return seconds - (me->saved - before);
}

/* When the columns are updated, and from when on the next panel can be. */
static double update(const hyb_model_t *model, process_t *me, double together)
{
    const hyb_model_step_t *step = &me->step;
    double begin = fmax(me->done, me->open), prepared, ready;
    double messages = missed(model, step->exchange) + me->messages;

    if (step->next > 0.0) /* in its order: behind the iteration before */
        together = fmax(together, begin);
    me->before = me->done;
    me->host = me->saved = 0.0;
    if (model->mode == HYB_OVERLAP_PIPELINE) {
        me->done =
            fmax(begin + work(model, me, step->copy + step->update + messages),
                 together + step->exchange);
        return together + step->group + step->copy + step->first +
               step->product + step->next + step->down;
    }
    prepared =
        fmax(begin, together) + step->copy + step->prepare + step->exchange;
    ready = prepared + step->product + step->next + step->down;
    me->done =
        prepared + work(model, me, step->update - step->prepare + me->messages);
    return model->mode == HYB_OVERLAP_PANEL ? ready : fmax(me->done, ready);
}

/* Panel number k is factored, and its column of processes knows it. */
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
                missed(model, times * hyb_messages_transfer(link, bytes));
        }
    }
}

/* The column of processes that has panel k + 1 factors it; returns when. */
static double factor_next(const hyb_model_t *model, int64_t k, double ready)
{
    const hpl_shape_t *test = &model->test;
    int q = hyb_model_owner(model, k + 1), most = model->rates->threads;
    double rows = hyb_model_rows(model, (k + 1) * test->nb, HYB_MODEL_TALLEST);
    bool there = hyb_model_by_device(model, k + 1);
    int threads = there ? 0 : panel_threads(model, q, rows);
    double panel = (there ? hyb_model_factored_there(model, rows)
                          : panel_seconds(model, q, rows, threads)) +
                   pivots(model, rows);

    for (int p = 0; p < model->rows; p++) {
        process_t *me = at(model, p, q);
        double part = panel * threads / most;

        if (model->mode !=
            HYB_OVERLAP_NOTHING) /* under the update, not behind it */
            part = work(model, me, part);
        me->done = fmax(me->done + part, ready + panel);
    }
    return ready + panel;
}

/* The processes of a column; returns when all are ready for the next panel. */
static double iterate_column(const hyb_model_t *model, int64_t k, int q)
{
    double together = 0.0, ready = 0.0;

    for (int p = 0; p < model->rows; p++) {
        process_t *me = at(model, p, q);

        me->step = step_of(model, k, p, q);
        me->open =
            fmax(fmax(me->panel, me->open),
                 model->mode != HYB_OVERLAP_NOTHING ? me->before : me->done) +
            me->step.up;
        together = fmax(together, me->open);
    }
    for (int p = 0; p < model->rows; p++) {
        process_t *me = at(model, p, q);

        ready = fmax(ready, update(model, me, together));
    }
    return ready;
}

/* ---- all of them --------------------------------------------------------- */

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
        done = fmax(done, model->process[i].done);
    return done;
}

/* Of process columns: each has as many columns as it is fast. */
static double mean_speed(const hyb_model_t *model)
{
    double sum = 0.0;

    for (int q = 0; q < model->test.npcol; q++)
        sum += hyb_model_speed(model, q);
    return sum / model->test.npcol;
}

/* Each element of U is read once, where it lives; each block waits for two sets
 * of messages. */
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
    double there =
        hyb_model_curve_at(&model->width.subtract, n / 2.0 / test->nprow) *
        blocks / test->npcol * (1.0 - part);

    return (rates->sweep > 0.0 ? read / rates->sweep : 0.0) + there +
           blocks * messages;
}

/*
 * Panels to a run, so that there are not too many steps, nor too few to deal
 * them evenly. A run is a panel that is as wide; as each panel of it takes what
 * it takes, only the columns that the next one waits for are fewer.
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

/* Columns are dealt as a run with these weights does. */
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

/* Seconds that the flop of the test take at the ceiling of cores; 0: none is
 * known, or devices take part. */
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
    hpl_deal_t *dealt;
    double seconds, least;

    if (test->n == 0)
        return 0.0;
    model.test.nb = (int)xh_smaller(test->nb, test->n);
    model.width = hyb_model_of_width(rates, model.test.nb);
    model.mode =
        test->depth < 2 ? (hyb_overlap_t)test->depth : HYB_OVERLAP_PIPELINE;
    model.on_host = 1.0;
    if (model.width.resident.count > 0 &&
        hyb_residence_is_device(rates->home, &rates->figures, &model.test))
        hyb_model_take_homes(&model);
    least = least_seconds(&model);
    seconds = back_substitution(&model);
    take_runs(&model);
    model.process =
        calloc((size_t)model.rows * (size_t)test->npcol, sizeof(process_t));
    if (model.process == NULL || deal(&model, &dealt) != XH_OK)
        seconds = 0.0;
    else {
        seconds = fmax(least, seconds + factorize(&model));
        hpl_deal_destroy(dealt);
    }
    free(model.process);
    return seconds;
}
