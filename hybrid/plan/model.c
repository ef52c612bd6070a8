/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/integers.h"
#include "hpl/pauxil/map.h"
#include "hybrid/lu/exchange.h"
#include "hybrid/lu/tuner/engines.h"

enum {
    MOST_STEPS = 100000,
    EVEN = 8 /* steps that each process is to have, at least */
};

/* Iterations that the driver has in flight: one, or also the one before. */
typedef enum { NOTHING, PANEL, PIPELINE } overlap_t;

/* One iteration of one process; seconds of all of its threads. */
typedef struct {
    double m, n;     /* C's rows and columns here */
    double host;     /* of these, columns that live on the host */
    double update;   /* all of its work on columns */
    double prepare;  /* of that, before C is updated */
    double exchange; /* messages of rows, in all ... */
    double group;    /* ... and of the first group of columns */
    double first;    /* work on the next panel's columns, before ... */
    double product;  /* ... and while C is updated */
    double copy;     /* of L2, for devices */
    double shared;   /* the part of update that devices may take ... */
    double theirs;   /* ... and what they take for it */
    double resident; /* devices' work on columns that live there */
    double next;     /* of that, on the next panel's ... */
    double down, up; /* ... which goes to the host; the one before comes */
} step_t;

/* One process, in seconds from the start of the factorization. */
typedef struct {
    double panel;        /* the next panel is here */
    double open;         /* the iteration is */
    double done, before; /* with the last iteration, and the one before it */
    double messages;     /* of the next panel: its main thread's part */
    step_t step;         /* the iteration; while its products run: */
    double host;         /* what threads have to do, all products included, */
    double saved;        /* and what devices save them */
} process_t;

typedef struct {
    const hyb_model_rates_t *rates;
    hpl_shape_t test; /* its nb is a run's */
    int bcast;
    hyb_model_width_t width;
    overlap_t mode;
    double on_host, guests; /* the parts of the columns that live there; that
                               come to devices from there */
    int rows;               /* of processes, that are told apart */
    int64_t panels;         /* or runs of so many panels, each taken as one: */
    int64_t run;
    process_t *process; /* rows x npcol, by rows */
} model_t;

/* A panel by some of the threads: a part of it is serial. */
static double panel_seconds(const model_t *model, double rows, int threads)
{
    double alone = hyb_model_curve_at(&model->width.alone, rows);
    double team = hyb_model_curve_at(&model->width.team, rows);
    int most = model->rates->threads;
    double divided = (alone - team) / (1.0 - 1.0 / most);

    if (threads == 1 || most == 1)
        return threads == most ? team : alone;
    return alone - divided + divided / threads;
}

/* ---- messages ------------------------------------------------------------ */

/* The choice of a panel's pivots among the processes of a column. */
static double pivots(const model_t *model, double rows)
{
    return model->test.nb * hyb_messages_rounds(model->test.nprow) *
           hyb_model_curve_at(&model->width.pivot, rows);
}

/* Rows of U, of so many columns, to all processes of a column. */
static double exchange(const model_t *model, double columns)
{
    const hyb_model_link_t *link = &model->rates->column;
    int p = model->test.nprow;
    double bytes = 2.0 * 8.0 * model->test.nb * columns * (p - 1) / p;

    if (p == 1 || link->bandwidth <= 0.0 || columns <= 0.0)
        return 0.0;
    return (hyb_messages_rounds(p) + p - 1) * link->latency +
           bytes / link->bandwidth;
}

/* A panel of so many rows on its way to the host and back; or as many rows of
 * a panel's depth, of which those here go, and the others come. */
static double transfer(const model_t *model, double rows)
{
    return rows > 0.0 ? hyb_model_curve_at(&model->width.transfer, rows) : 0.0;
}

/* The same in groups, each with messages of its own. */
static double exchange_groups(const model_t *model, double columns)
{
    double group = (double)hyb_exchange_columns(model->test.nb);
    double whole = floor(columns / group);

    return whole * exchange(model, group) +
           exchange(model, columns - whole * group);
}

/* ---- one iteration ------------------------------------------------------- */

/* Of the n indices from first on, those that a process has. */
static double local(const hpl_shape_t *test, int64_t first, int64_t n,
                    int processes, int me)
{
    hpl_map_t map = hpl_map(test->nb, processes, me);

    return first < n
               ? (double)(hpl_map_count(&map, n) - hpl_map_count(&map, first))
               : 0.0;
}

enum { TALLEST = -1 };

/* Rows from first on, which begins a block, of process row p; of the one that
 * has most for TALLEST, and where rows are not told apart. */
static double local_rows(const model_t *model, int64_t first, int p)
{
    const hpl_shape_t *test = &model->test;

    if (p == TALLEST || model->rows < test->nprow)
        p = (int)(first / test->nb % test->nprow);
    return local(test, first, test->n, test->nprow, p);
}

/* L2 of m rows in columns: it is read, and written, which reads. */
static double copy(const model_t *model, double m)
{
    double rate = model->rates->sweep;

    return rate > 0.0 ? 3.0 * 8.0 * m * model->test.nb / rate : 0.0;
}

/*
 * The devices' part in a step: products of columns behind the next panel's, and
 * of those, too, where they have a column of tiles sooner than the threads have
 * these.
 *
 * ahead    in  columns of the next panel here, for each panel of a run
 * product  in  a column's, by the threads
 */
static void let_devices(const model_t *model, double ahead, double product,
                        step_t *step)
{
    const hyb_model_width_t *width = &model->width;
    double column = hyb_model_curve_at(&width->devices, step->m);
    double columns = step->host, run = (double)model->run;

    if (width->devices.count == 0 || step->m <= 0.0 || columns <= 0.0)
        return;
    step->copy = copy(model, step->m);
    if (width->tile * column < step->product) {
        step->update -= (step->product - ahead * product) * run;
        step->product = fmax(width->tile, ahead) * column;
    } else {
        columns -= ahead * run;
    }
    step->shared = columns * product;
    step->theirs = columns * column;
}

/* Of n columns behind a panel, those of this part of all: the left ones. */
static double columns_of(const model_t *model, double part, double n)
{
    double others = (1.0 - part) * model->test.n / model->test.npcol;

    if (part <= 0.0)
        return 0.0;
    return part < 1.0 ? fmax(0.0, n - others) : n;
}

/* Guests cross the link, one way, beside what devices do meanwhile. */
static double visits(const model_t *model, const step_t *step)
{
    double guests = columns_of(model, model->guests, step->n);

    return guests > 0.0 ? guests / model->test.nb / HYB_GUEST_PANELS *
                              transfer(model, step->m) / 2.0
                        : 0.0;
}

/* Do the columns of panel k live on devices? */
static bool lives_there(const model_t *model, int64_t k)
{
    const hpl_shape_t *test = &model->test;
    double n = local(test, k * test->nb, (int64_t)test->n + 1, test->npcol,
                     (int)(k % test->npcol));

    return model->on_host < 1.0 && columns_of(model, model->on_host, n) <= 0.0;
}

/* A device's seconds for a panel of so many rows, until L1 is on the host. */
static double factored_there(const model_t *model, double rows)
{
    return hyb_model_curve_at(&model->width.factor, rows) +
           transfer(model, model->test.nb) / 2.0;
}

/* Does a device factor panel k? Where the quicker one does, the team tries. */
static bool by_device(const model_t *model, int64_t k)
{
    const hyb_model_rates_t *rates = model->rates;
    double rows = local_rows(model, k * model->test.nb, TALLEST);

    if (model->width.factor.count == 0 ||
        (rates->factors_alone && model->test.nprow > 1) ||
        !lives_there(model, k))
        return false;
    return rates->there || (k != HYB_ENGINES_TRIAL &&
                            factored_there(model, rows) <=
                                panel_seconds(model, rows, rates->threads) +
                                    transfer(model, rows));
}

/* Of a panel that a device factors, L2 of m rows comes down for others. */
static double way_to_others(const model_t *model, double m)
{
    bool alone = model->test.npcol == 1 && model->rates->figures.devices <= 1.0;

    return alone ? 0.0 : transfer(model, m) / 2.0;
}

static void let_factor(const model_t *model, step_t *step)
{
    double devices = fmax(model->rates->figures.devices, 1.0);

    if (model->mode != NOTHING) /* beside other work */
        step->resident += factored_there(model, step->m) / devices;
    step->down = way_to_others(model, step->m);
}

/*
 * The columns of step k that live on devices: the last ones.
 *
 * is_here  in  panel k was factored where they live
 * ahead    in  of the next panel's columns, those that live there
 */
static void let_reside(const model_t *model, int64_t k, bool is_here,
                       double ahead, step_t *step)
{
    const hpl_shape_t *test = &model->test;
    double there = step->n - step->host;
    double column = hyb_model_curve_at(&model->width.resident, step->m);

    if (model->on_host >= 1.0)
        return;
    step->resident = fmax(there * column, visits(model, step));
    step->next = ahead * column;
    if (ahead > 0.0 && by_device(model, k + 1))
        let_factor(model, step);
    else if (ahead > 0.0)
        step->down = transfer(model, step->m) / 2.0;
    if (there > 0.0 && !is_here) /* L2 is copied for the link, and goes */
        step->up =
            transfer(model, step->m + test->nb) / 2.0 + copy(model, step->m);
    if (test->nprow > 1) {
        step->exchange += transfer(model, there);
        step->group += transfer(model, ahead);
    }
}

static step_t step_of(const model_t *model, int64_t k, int p, int q)
{
    const hpl_shape_t *test = &model->test;
    const hyb_model_width_t *width = &model->width;
    int64_t next = (k + 1) * test->nb;
    bool owner = (k + 1) % test->npcol == q && next < test->n;
    double m = local_rows(model, next, p);
    double n = local(test, next, (int64_t)test->n + 1, test->npcol, q);
    double host = columns_of(model, model->on_host, n);
    double update = hyb_model_curve_at(&width->update, m);
    double packed = test->nprow > 1
                        ? hyb_model_curve_at(&width->pack, m) / test->nprow
                        : 0.0;
    double column = update + packed;
    double prepare =
        fmin(hyb_model_curve_at(&width->prepare, m) + packed, column);
    double both = owner ? fmin(test->nb, n) / (double)model->run : 0.0;
    double ahead = host > 0.0 ? both : 0.0;
    double longer = /* in narrow runs */
        ahead * fmax(0.0, hyb_model_curve_at(&width->narrow, m) - update);
    step_t step = {.m = m,
                   .n = n,
                   .host = host,
                   .update = host * column + longer * (double)model->run,
                   .prepare = host * prepare,
                   .first = ahead * prepare,
                   .product = ahead * (column - prepare) + longer,
                   .exchange = model->mode == PIPELINE
                                   ? exchange_groups(model, n)
                                   : exchange(model, n)};

    step.group = fmin(step.exchange,
                      exchange(model, (double)hyb_exchange_columns(test->nb)));
    let_devices(model, ahead, column - prepare, &step);
    let_reside(model, k,
               k % test->npcol == q && model->rates->figures.devices <= 1.0 &&
                   by_device(model, k),
               both - ahead, &step);
    return step;
}

/*
 * What devices save threads that have so much to do while products run, all
 * products included: both end together, or, where their share is fixed, each
 * when it ends. Less than nothing where devices take longer for columns that
 * live there.
 */
static double saved(const model_t *model, const step_t *step, double host)
{
    double share = model->rates->share, theirs = step->theirs;

    if (!model->rates->fixed)
        share = fmin(1.0, fmax(0.0, host - step->resident) /
                              (step->shared + theirs));
    if (theirs <= 0.0)
        share = 0.0;
    return fmin(share * step->shared, host - step->resident - share * theirs);
}

/* The threads for a panel with which an iteration takes least. */
static int panel_threads(const model_t *model, const step_t *step, double rows)
{
    int most = model->rates->threads, best = most;
    double least = INFINITY;

    if (model->mode == NOTHING || model->on_host <= 0.0)
        return most;
    for (int t = 1; t <= most; t = t < most && 2 * t > most ? most : 2 * t) {
        double panel = panel_seconds(model, rows, t);
        double host = step->copy + step->update + panel * t / most;
        double all = fmax(host - saved(model, step, host),
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
static double work(const model_t *model, process_t *me, double seconds)
{
    double before = me->saved;

    me->host += seconds;
    me->saved = saved(model, &me->step, me->host);
    return seconds - (me->saved - before);
}

/* When the columns are updated, and from when on the next panel can be. */
static double update(const model_t *model, process_t *me, double together)
{
    const step_t *step = &me->step;
    double begin = fmax(me->done, me->open), prepared, ready;
    double messages = step->exchange / model->rates->threads + me->messages;

    if (step->next > 0.0) /* in its order: behind the iteration before */
        together = fmax(together, begin);
    me->before = me->done;
    me->host = me->saved = 0.0;
    if (model->mode == PIPELINE) {
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
    return model->mode == PANEL ? ready : fmax(me->done, ready);
}

static process_t *at(const model_t *model, int p, int q)
{
    return &model->process[p * model->test.npcol + q];
}

/* Panel number k is factored, and its column of processes knows it. */
static void send_panel(const model_t *model, int64_t k, double ready)
{
    const hpl_shape_t *test = &model->test;
    const hyb_model_link_t *link = &model->rates->row;
    int root = (int)(k % test->npcol);

    for (int p = 0; p < model->rows; p++) {
        double rows = local_rows(model, k * test->nb, p);
        double bytes = 8.0 * test->nb * (rows + test->nb);

        for (int q = 0; q < test->npcol; q++) {
            int distance = (q - root + test->npcol) % test->npcol;
            int times =
                hyb_messages_copies(model->bcast, test->npcol, distance);

            at(model, p, q)->panel =
                ready + hyb_messages_broadcast(link, model->bcast, test->npcol,
                                               distance, bytes);
            at(model, p, q)->messages = times *
                                        hyb_messages_transfer(link, bytes) /
                                        model->rates->threads;
        }
    }
}

/* The column of processes that has panel k + 1 factors it; returns when. */
static double factor_next(const model_t *model, int64_t k, double ready)
{
    const hpl_shape_t *test = &model->test;
    int q = (int)((k + 1) % test->npcol), most = model->rates->threads;
    double rows = local_rows(model, (k + 1) * test->nb, TALLEST);
    bool there = by_device(model, k + 1);
    int threads =
        there ? 0 : panel_threads(model, &at(model, 0, q)->step, rows);
    double panel = (there ? factored_there(model, rows)
                          : panel_seconds(model, rows, threads)) +
                   pivots(model, rows);

    for (int p = 0; p < model->rows; p++) {
        process_t *me = at(model, p, q);
        double part = panel * threads / most;

        if (model->mode != NOTHING) /* under the update, not behind it */
            part = work(model, me, part);
        me->done = fmax(me->done + part, ready + panel);
    }
    return ready + panel;
}

/* The processes of a column; returns when all are ready for the next panel. */
static double iterate_column(const model_t *model, int64_t k, int q)
{
    double together = 0.0, ready = 0.0;

    for (int p = 0; p < model->rows; p++) {
        process_t *me = at(model, p, q);

        me->step = step_of(model, k, p, q);
        me->open = fmax(fmax(me->panel, me->open),
                        model->mode != NOTHING ? me->before : me->done) +
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

static double factorize(const model_t *model)
{
    int npcol = model->test.npcol;
    double rows = local_rows(model, 0, TALLEST), done = 0.0, ready = 0.0;
    double down = model->on_host <= 0.0 ? transfer(model, rows) / 2.0 : 0.0;
    double first =
        by_device(model, 0)
            ? factored_there(model, rows) +
                  way_to_others(model, rows - model->test.nb)
            : down + panel_seconds(model, rows, model->rates->threads);

    send_panel(model, 0, first + pivots(model, rows));
    for (int64_t k = 0; k < model->panels; k++) {
        for (int q = 0; q < npcol; q++) {
            double column = iterate_column(model, k, q);

            if (q == (k + 1) % npcol)
                ready = column;
        }
        if (k + 1 < model->panels)
            send_panel(model, k + 1, factor_next(model, k, ready));
    }
    for (int i = 0; i < model->rows * npcol; i++)
        done = fmax(done, model->process[i].done);
    return done;
}

/* Each element of U is read once, where it lives; each block waits for two sets
 * of messages. */
static double back_substitution(const model_t *model)
{
    const hyb_model_rates_t *rates = model->rates;
    const hpl_shape_t *test = &model->test;
    double n = test->n, processes = (double)test->nprow * test->npcol;
    double read = 8.0 * n * n / 2.0 / processes * model->on_host;
    double block = 8.0 * test->nb, blocks = ceil(n / test->nb);
    double messages = hyb_messages_rounds(test->npcol) *
                          hyb_messages_transfer(&rates->row, block) +
                      hyb_messages_rounds(test->nprow) *
                          hyb_messages_transfer(&rates->column, block);
    double there =
        hyb_model_curve_at(&model->width.subtract, n / 2.0 / test->nprow) *
        blocks / test->npcol * (1.0 - model->on_host);

    return (rates->sweep > 0.0 ? read / rates->sweep : 0.0) + there +
           blocks * messages;
}

/*
 * Panels to a run, so that there are not too many steps, nor too few to deal
 * them evenly. A run is a panel that is as wide; as each panel of it takes what
 * it takes, only the columns that the next one waits for are fewer.
 */
static void take_runs(model_t *model)
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

/* Columns live on devices, as far as these have room. */
static void take_homes(model_t *model)
{
    bool guests;
    double rest = hyb_home_rest(&model->rates->figures, &model->test, &guests);

    model->guests = guests ? rest : 0.0;
    model->on_host = rest - model->guests;
}

double hyb_model_seconds(const hyb_model_rates_t *rates,
                         const hpl_shape_t *test, int bcast)
{
    model_t model = {.rates = rates, .test = *test, .bcast = bcast};
    double seconds;

    if (test->n == 0)
        return 0.0;
    model.test.nb = (int)xh_smaller(test->nb, test->n);
    model.width = hyb_model_of_width(rates, model.test.nb);
    model.mode = test->depth < 2 ? (overlap_t)test->depth : PIPELINE;
    model.on_host = 1.0;
    if (model.width.resident.count > 0 &&
        hyb_home_is_device(rates->home, &rates->figures, &model.test))
        take_homes(&model);
    seconds = back_substitution(&model);
    take_runs(&model);
    model.process =
        calloc((size_t)model.rows * (size_t)test->npcol, sizeof(process_t));
    if (model.process == NULL)
        return 0.0;
    seconds += factorize(&model);
    free(model.process);
    return seconds;
}
