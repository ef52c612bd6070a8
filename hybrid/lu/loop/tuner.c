/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/loop/tuner.h"

#include <math.h>
#include "base/settings.h"
#include "hpl/comm/waits.h"
#include "hybrid/lu/panel/panel_choice.h"
#include "hybrid/lu/places/visits.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/observer.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/tune/lookahead.h"
#include "hybrid/lu/tune/panel_threads.h"
#include "hybrid/lu/tune/split.h"

typedef struct {          /* one entry per iteration k */
    double used;          /* share that the devices computed */
    double balanced;      /* share that would have been best */
    hyb_lap_t opened;     /* sums when the iteration opened */
    hyb_lap_t lap;        /* sums of the iteration, once it is closed */
    double panel_seconds; /* time that panel k + 1 took here */
} took_t;

struct hyb_tuner {
    const hyb_ledger_t *ledger;
    const HPL_T_grid *grid;
    const HPL_T_pmat *mat;
    const hyb_range_t *range;
    int64_t run_columns; /* of a worker's run, at most */
    hyb_lookahead_chooser_t chooser;
    /* The iteration whose times are being reduced, */
    hyb_lookahead_iteration_t measured;
    MPI_Request request;      /* by this request */
    hyb_panel_threads_t team; /* from the newest iterations */
    double exchange_seconds;  /* s of swaps, solves and the exchange in the last
                                 iteration, the mean over the team */
    hyb_split_t split;        /* from updates without a panel of the team */
    hyb_split_t panel_split;  /* from updates with a panel of the team */
    took_t took[HYB_IN_FLIGHT]; /* at k % HYB_IN_FLIGHT */
    int64_t devices_columns;    /* columns of a visitor */
    double ended;               /* end of the last iteration learnt from */
    int panel;                  /* last panel learnt from; -1: none */
    int shared;   /* number of iterations whose devices were learnt from */
    struct told { /* by device, s in all rows so far */
        double multiplied, waited, link_wait;
    } told[HYB_ITERATION_DEVICES];
};

static took_t *took(hyb_tuner_t *t, int k)
{
    return &t->took[k % HYB_IN_FLIGHT];
}

/* ---- beginning ----------------------------------------------------------- */

xh_status_t hyb_tuner_create(hyb_lu_t *lu)
{
    hyb_tuner_t *t = lu->tuner = calloc(1, sizeof(*t));

    if (t == NULL)
        return XH_ERR_MEMORY;
    t->ledger = &lu->ledger;
    t->grid = lu->grid;
    t->mat = lu->mat;
    t->range = &lu->range;
    t->team.threads = hyb_team_size(lu->resources.team);
    t->run_columns = hyb_resources_run_columns(&lu->resources, lu->mat->nb);
    XH_TRY(hyb_split_of_setting(&t->split));
    t->panel_split = t->split;
    /* Columns on devices are treated like columns on cores: parcels travel
     * during updates. */
    t->chooser = hyb_lookahead_begin(
        xh_settings_text("lookahead"), lu->algo->depth,
        lu->resources.offloads && !lu->resources.resident, lu->grid->nprow);
    t->request = MPI_REQUEST_NULL;
    t->panel = -1;
    return XH_OK;
}

void hyb_tuner_destroy(hyb_tuner_t *tuner)
{
    free(tuner);
}

/* ---- deciding ------------------------------------------------------------ */

/* The sizes of iteration k, without its times and its mode. */
static hyb_lookahead_iteration_t iteration(const hyb_tuner_t *t, int k)
{
    int64_t nb = t->mat->nb, left = t->range->panels - 1 - k;

    return (hyb_lookahead_iteration_t){
        .index = k,
        .count = t->range->panels,
        .rows = xh_units(left, t->grid->nprow) * nb,
        .cols = xh_units(left, t->grid->npcol) * nb,
        .nb = nb};
}

static int64_t columns_of(const hyb_tuner_t *t, hyb_block_range_t blocks)
{
    return hyb_ledger_columns(t->ledger, blocks).count;
}

/* flop/s of the whole team. */
static double team_rate(const hyb_tuner_t *t)
{
    return t->team.threads * t->team.thread_rate;
}

/*
 * By measured rates: would the devices have updated their first visitors before
 * the team has updated the next panel's columns?
 */
static bool devices_are_quicker(const hyb_tuner_t *t, const hyb_step_t *step)
{
    double team = team_rate(t), next = (double)columns_of(t, step->next);

    return t->devices_columns > 0 && team > 0.0 && step->column_flop > 0.0 &&
           (double)t->devices_columns / t->team.device_rate < next / team;
}

/* What was learnt from updates like the step's, with or without a panel of the
 * team. */
static hyb_split_t *split_of(hyb_tuner_t *t, const hyb_step_t *step)
{
    return hyb_blocks_count(step->next) > 0 ? &t->panel_split : &t->split;
}

/* The devices' share of the columns right of the next panel's. */
static double devices_share(hyb_tuner_t *t, const hyb_step_t *step,
                            int64_t columns)
{
    const hyb_split_t *split = split_of(t, step);

    /* Devices get everything that the team does not take from the end, if the
     * user asked for that, or no rate is known yet. */
    if (split->policy == HYB_SPLIT_STEAL ||
        (split->policy == HYB_SPLIT_RATIO && t->team.device_rate == 0.0))
        return 1.0;
    return hyb_split_share(split, step->column_flop * (double)columns);
}

/* Divide the host's blocks right of the next panel's columns: the first blocks
 * visit devices if `help`. */
static void divide(hyb_tuner_t *t, hyb_step_t *step, bool help)
{
    hyb_block_range_t others = {step->next.to, step->all.to};
    int64_t columns = hyb_ledger_team_columns(t->ledger, others);
    double share = help ? devices_share(t, step, columns) : 0.0;
    int64_t ours =
        hyb_ledger_divide(t->ledger, others, share, step->share_is_fixed);

    if (share == 0.0 || step->column_flop == 0.0)
        ours = others.from;
    step->visiting = (hyb_block_range_t){others.from, ours};
    if (step->next_visits)
        step->visiting.from = step->next.from;
    step->rest = (hyb_block_range_t){ours, others.to};
    took(t, step->k)->used = took(t, step->k)->balanced = share;
}

/* Seconds from the start of the iteration until panel k + 1 can begin. */
static double before_panel(const hyb_tuner_t *t, const hyb_step_t *step)
{
    bool theirs = step->next_visits;
    double columns =
        (double)(theirs ? t->devices_columns : columns_of(t, step->next));
    double rate = theirs ? t->team.device_rate : team_rate(t);
    double all = (double)columns_of(t, step->all);
    double exchange = t->exchange_seconds;

    if (!hyb_step_solves_first(step) && all > 0.0)
        exchange *= fmin(1.0, columns / all);
    return exchange + (rate > 0.0 ? step->column_flop * columns / rate : 0.0);
}

/* How many workers factor panel k + 1 while the others update? */
static int panel_threads(hyb_lu_t *lu, const hyb_step_t *step)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, step->k)->hpl;
    hyb_tuner_t *t = lu->tuner;

    if (step->by_device)
        return 1;
    if (step->mode == HYB_LOOKAHEAD_NONE || t->team.threads == 1 ||
        lu->homes.team_end == 0)
        return t->team.threads;
    return hyb_panel_threads_panel(&t->team, h->mp, columns_of(t, step->all),
                                   h->jb, before_panel(t, step));
}

void hyb_tuner_step(hyb_lu_t *lu, int k, hyb_step_t *step)
{
    hyb_tuner_t *t = lu->tuner;
    hyb_lookahead_iteration_t about = iteration(t, k);
    hyb_block_range_t all = hyb_lu_trailing(lu, k);
    const hyb_tiles_t *l2 = &hyb_lu_panel(lu, k)->factors.l2;

    *step =
        (hyb_step_t){.k = k,
                     .all = all,
                     .next = {all.from, all.from},
                     .column_flop = 2.0 * (double)l2->rows * (double)l2->cols,
                     .share_is_fixed = t->split.policy == HYB_SPLIT_FIXED,
                     .thread_rate = t->team.thread_rate};
    if (k > 0)
        step->panel_seconds = took(t, k - 1)->panel_seconds;
    step->mode = hyb_lookahead_choose(&t->chooser, &about, &step->reason);
    if (hyb_lu_owns(lu, k + 1)) {
        step->next.to++;
        step->by_device = hyb_lu_panel(lu, k + 1)->by_device;
    }
    step->next_visits = hyb_ledger_team_columns(t->ledger, step->next) > 0 &&
                        devices_are_quicker(t, step);
    divide(t, step, lu->visits != NULL);
    step->panel_threads = panel_threads(lu, step);
}

/* ---- learning ------------------------------------------------------------ */

/* Does `flop` of the step's iteration suffice to measure the team's rate? */
static bool shows_rate(const hyb_tuner_t *t, const hyb_step_t *step,
                       double flop)
{
    return flop > 0.0 && flop >= step->column_flop * (double)t->run_columns;
}

/* If the panel of the iteration that opens next is factored here, learn what it
 * took. */
static void learn_panel(hyb_lu_t *lu)
{
    hyb_tuner_t *t = lu->tuner;
    int k = hyb_lu_opened(lu);
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    if (k == t->panel || !hyb_lu_owns(lu, k) || !p->factored)
        return;
    t->panel = k;
    if (k > 0)
        took(t, k - 1)->panel_seconds = p->seconds;
    if (p->threads > 0)
        hyb_panel_threads_learn(&t->team, p->threads, p->hpl->mp, p->hpl->jb,
                                p->seconds);
    hyb_panel_choice_note(lu->homes.choice, k, hyb_lu_panel_place(lu, k),
                          p->threads == 0, p->seconds);
}

/* Seconds, the mean over the team, that swaps, solves and the row exchange
 * took. */
static double exchange_seconds(const hyb_lap_t *lap)
{
    return lap->team[HYB_SWAP] + lap->team[HYB_SOLVE] +
           lap->team[HYB_EXCHANGE] + lap->team[HYB_WAIT_ROWS];
}

/* Seconds that a worker spent on anything but updates and waiting for them.
 * Waiting for a panel of another process column counts, too. */
static double other_seconds(const hyb_tuner_t *t, const hyb_lap_t *lap)
{
    return lap->team[HYB_PANEL] + lap->team[HYB_BROADCAST] +
           exchange_seconds(lap) +
           (t->grid->npcol > 1 ? lap->team[HYB_WAIT_PANEL] : 0.0);
}

/* The devices have completed their columns of the step's iteration; `then` are
 * the sums of that moment. */
static void learn_share(hyb_tuner_t *t, const hyb_step_t *step,
                        const hyb_lap_t *then)
{
    hyb_lap_t lap = hyb_lap_between(&took(t, step->k)->opened, then);
    hyb_split_t *split = split_of(t, step);
    double theirs = lap.devices_flop, rate = lap.devices_rate;
    bool shows = shows_rate(t, step, lap.flop);
    double ours = shows ? lap.flop : 0.0;

    if (rate > 0.0)
        t->team.device_rate = rate;
    t->devices_columns = lap.devices_columns;
    hyb_split_learn(split, theirs, rate > 0.0 ? theirs / rate : 0.0, ours,
                    shows ? lap.team[HYB_MULTIPLY] : 0.0,
                    other_seconds(t, &lap));
    hyb_split_expect(split == &t->split ? &t->panel_split : &t->split, split);
    took(t, step->k)->balanced = hyb_split_share(split, theirs + ours);
}

/* Learn what devices have completed since the last call, in iterations before
 * k. */
static void learn_shares(hyb_lu_t *lu, int k)
{
    int *next = &lu->tuner->shared;

    for (; *next < k && hyb_visits_advance(lu, *next); ++*next) {
        const hyb_lap_t *lap = hyb_visits_lap(lu->visits, *next);

        if (lap != NULL)
            learn_share(lu->tuner, hyb_lu_step(lu, *next), lap);
    }
}

/* flop of the step's iteration in columns that live on devices. */
static double resident_flop(const hyb_tuner_t *t, const hyb_step_t *step)
{
    return step->column_flop *
           (double)(columns_of(t, step->all) -
                    hyb_ledger_team_columns(t->ledger, step->all));
}

/* flop of the step's iteration, by the team and the devices. */
static double all_flop(hyb_tuner_t *t, hyb_visits_t *visits,
                       const hyb_step_t *step)
{
    return took(t, step->k)->lap.flop + resident_flop(t, step) +
           hyb_visits_flop(visits, step->k);
}

/* flop/s of the team while it updates; 0: it did not update. */
static double update_rate(const hyb_lap_t *lap)
{
    double seconds = lap->team[HYB_MULTIPLY];

    return seconds > 0.0 ? lap->flop / seconds : 0.0;
}

/* The times of the step's iteration, of `flop`, for the choice of the mode; all
 * but the total. */
static hyb_lookahead_iteration_t measured(hyb_tuner_t *t,
                                          const hyb_step_t *step, double flop)
{
    const hyb_lap_t *lap = &took(t, step->k)->lap;
    double rate = update_rate(lap), all = rate + t->team.device_rate;
    hyb_lookahead_iteration_t it = iteration(t, step->k);

    it.mode = step->mode;
    it.took.panel = took(t, step->k)->panel_seconds;
    if (!step->by_device)
        it.took.panel_share = (double)step->panel_threads / t->team.threads;
    it.took.broadcast = lap->leader[HYB_BROADCAST];
    it.took.exchange = exchange_seconds(lap);
    it.took.update = all > 0.0 ? flop / all : 0.0;
    it.took.host_update = rate > 0.0 ? flop / rate : 0.0;
    return it;
}

/*
 * Iteration k is over. With devices that multiply, it lasts from the end of
 * iteration k - 1 on the devices to its own end there: the next iteration opens
 * long before that, and the effect of a mode shows there first.
 */
static void learn(hyb_lu_t *lu, int k)
{
    hyb_tuner_t *t = lu->tuner;
    const hyb_step_t *step = hyb_lu_step(lu, k);
    const hyb_lap_t *devices = hyb_visits_lap(lu->visits, k);
    double begun = t->ended;
    double end = devices != NULL
                     ? devices->time
                     : took(t, k)->opened.time + took(t, k)->lap.time;

    t->ended = fmax(begun, end);
    if (t->chooser.fixed != NULL)
        return;
    t->measured = measured(t, step, all_flop(t, lu->visits, step));
    t->measured.took.total = t->ended - begun;
    MPI_Iallreduce(MPI_IN_PLACE, &t->measured.took,
                   (int)(sizeof(t->measured.took) / sizeof(double)), MPI_DOUBLE,
                   MPI_MAX, lu->grid->all_comm, &t->request);
}

/* Add to `row` what each device did since the previous row. */
static void add_devices(hyb_tuner_t *t, const hyb_homes_t *homes,
                        hyb_iteration_t *row)
{
    row->devices = Mmin(homes->places - 1, HYB_ITERATION_DEVICES);
    for (int i = 0; i < row->devices; i++) {
        struct told *told = &t->told[i];
        struct told now = {homes->devices.did[i].seconds,
                           homes->devices.waited[i],
                           homes->devices.did[i].link_wait};

        row->update_device[i] = now.multiplied - told->multiplied;
        row->device_wait[i] = now.waited - told->waited;
        row->link_wait[i] = now.link_wait - told->link_wait;
        *told = now;
    }
}

/* Iteration k is over on the devices, too: report its row. */
static void tell(hyb_lu_t *lu, int k)
{
    const hyb_step_t *step = hyb_lu_step(lu, k);
    const took_t *it = took(lu->tuner, k);
    const hyb_lap_t *lap = &it->lap;
    const double *s = lap->leader;
    bool shared = lu->visits != NULL;
    hyb_iteration_t row = {
        .iteration = k,
        .mode = (int)step->mode,
        .reason = step->reason,
        .columns_left = columns_of(lu->tuner, step->all),
        .panel_threads =
            s[HYB_PANEL] > 0.0 && !step->by_device ? step->panel_threads : 0,
        .begin = it->opened.time,
        .seconds = lap->time,
        .share_used = shared ? it->used : NAN,
        .share_measured = shared ? it->balanced : NAN,
        .panel = s[HYB_PANEL],
        .panel_device = step->by_device ? it->panel_seconds : NAN,
        .broadcast = s[HYB_BROADCAST],
        .exchange = s[HYB_EXCHANGE],
        .swap = s[HYB_SWAP],
        .solve = s[HYB_SOLVE],
        .update_host = s[HYB_MULTIPLY],
        .wait_panel = s[HYB_WAIT_PANEL],
        .wait_exchange = s[HYB_WAIT_ROWS],
        .wait_device = s[HYB_WAIT_COLUMNS]};

    if (lap->time > 0.0)
        row.gflops = all_flop(lu->tuner, lu->visits, step) / lap->time * 1e-9;
    add_devices(lu->tuner, &lu->homes, &row);
    lu->resources.observer.iteration(&row);
}

/* Iteration k has ended for the leader: close its sums. */
static void close_lap(hyb_lu_t *lu, int k)
{
    hyb_tuner_t *t = lu->tuner;
    hyb_lap_t *lap, now = hyb_timer_lap(lu->worker, t->team.threads);
    const hyb_step_t *step;

    if (k < lu->range.first)
        return;
    step = hyb_lu_step(lu, k);
    lap = &took(t, k)->lap;
    *lap = hyb_lap_between(&took(t, k)->opened, &now);
    lu->homes.devices.flop += resident_flop(t, step);
    if (shows_rate(t, step, lap->flop))
        t->team.thread_rate = update_rate(lap) / t->team.threads;
    t->exchange_seconds = exchange_seconds(lap);
    t->team.broadcast = lap->leader[HYB_BROADCAST];
}

/*
 * Columns that updates have left when iteration k opens. With look-ahead it
 * opens as soon as its panel is known, when iteration k - 1 begins its update.
 */
static int64_t columns_left(hyb_lu_t *lu, int k)
{
    bool overlaps = k > lu->range.first &&
                    hyb_lu_step(lu, k - 1)->mode != HYB_LOOKAHEAD_NONE;

    return lu->mat->n - (int64_t)(overlaps ? k - 1 : k) * lu->mat->nb;
}

void hyb_tuner_measure(hyb_lu_t *lu, int k)
{
    hyb_tuner_t *t = lu->tuner;

    learn_shares(lu, k);
    if (k > lu->range.first + 1) {
        learn(lu, k - 2);
        tell(lu, k - 2);
    }
    close_lap(lu, k - 1);
    lu->resources.observer.step(columns_left(lu, k));
    took(t, k)->panel_seconds = 0.0;
    took(t, k)->opened = hyb_timer_lap(lu->worker, t->team.threads);
    if (k == lu->range.first)
        t->ended = took(t, k)->opened.time;
}

bool hyb_tuner_advance(hyb_lu_t *lu)
{
    hyb_tuner_t *t = lu->tuner;

    learn_panel(lu);
    if (hpl_waits_test(lu->grid->all_comm, sizeof(t->measured.took),
                       &t->request))
        hyb_lookahead_learn(&t->chooser, &t->measured);
    return t->request == MPI_REQUEST_NULL &&
           hyb_panel_choice_advance(lu->homes.choice);
}

void hyb_tuner_close(hyb_lu_t *lu)
{
    close_lap(lu, hyb_lu_end(lu) - 1);
}

void hyb_tuner_end(hyb_lu_t *lu)
{
    int end = hyb_lu_end(lu);

    learn_shares(lu, end);
    for (int k = Mmax(end - 2, lu->range.first); k < end; k++)
        tell(lu, k);
}
