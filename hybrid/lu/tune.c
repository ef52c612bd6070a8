/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune.h"

#include <math.h>
#include <string.h>
#include "base/settings.h"
#include "hybrid/lu/lu.h"

static hyb_lap_t *lap_of(hyb_lu_t *lu, int k)
{
    return &lu->tuner.lap[k % HYB_IN_FLIGHT];
}

/* ---- beginning -----------------------------------------------------------
 */

/*
 * With no device to be kept busy, groups of columns never cost more than they
 * hide: they are swapped, solved and updated while in cache, and rows of other
 * processes arrive meanwhile. Iterations in mode 1, as a trial, are slower.
 */
static hyb_lookahead_request_t request(const hyb_lu_t *lu)
{
    const char *setting = xh_settings_text("lookahead");
    hyb_lookahead_request_t asked =
        hyb_lookahead_request(setting, lu->algo->depth);

    if (asked == HYB_MIXED && strcmp(setting, "mixed") != 0 &&
        !lu->means.offloads)
        return HYB_PIPELINE_ON_CORES;
    return asked;
}

xh_status_t hyb_tune_begin(hyb_lu_t *lu)
{
    hyb_tuner_t *t = &lu->tuner;
    /* Groups cost messages where rows of other processes are exchanged. */
    hyb_lookahead_t first =
        lu->grid->nprow == 1 ? HYB_LOOKAHEAD_PIPELINE : HYB_LOOKAHEAD_PANEL;
    xh_status_t status = hyb_split_of_setting(&t->split);

    if (status != XH_OK)
        return status;
    hyb_choice_begin(&t->mode, request(lu), first, lu->grid->all_comm);
    hyb_regroup_init(&t->regroup);
    hyb_ratio_init(&t->ratio, 1.0, 1.0);
    if (t->split.policy == HYB_SPLIT_FIXED)
        hyb_ratio_fix(&t->ratio, t->split.share);
    return XH_OK;
}

/* ---- deciding ------------------------------------------------------------
 */

static hyb_lookahead_facts_t facts(const hyb_lu_t *lu, int k)
{
    int64_t nb = lu->mat->nb, left = lu->panels - 1 - k;
    int64_t rows = (left + lu->grid->nprow - 1) / lu->grid->nprow;
    int64_t cols = (left + lu->grid->npcol - 1) / lu->grid->npcol;

    return (hyb_lookahead_facts_t){.index = k,
                                   .count = lu->panels,
                                   .rows = rows * nb,
                                   .cols = cols * nb,
                                   .nb = nb};
}

/* flop of iteration k on count columns. */
static double flop_of(hyb_lu_t *lu, int k, int64_t columns)
{
    const hyb_tiles_t *l2 = &hyb_lu_panel(lu, k)->factors.l2;

    return 2.0 * (double)l2->rows * (double)l2->cols * (double)columns;
}

static int64_t columns_of(const hyb_lu_t *lu, hyb_blocks_t blocks)
{
    return hyb_ledger_columns(&lu->ledger, blocks).count;
}

/*
 * Would the devices have updated their first tiles before the team has the next
 * panel's columns? By measured rates.
 */
static bool devices_are_quicker(hyb_lu_t *lu, const hyb_step_t *step)
{
    const hyb_tuner_t *t = &lu->tuner;
    double team = lu->workers.count * t->thread_rate;
    double next = (double)columns_of(lu, step->next);

    return hyb_share_works(lu->share) && t->devices.columns > 0 && team > 0.0 &&
           flop_of(lu, step->k, 1) > 0.0 &&
           (double)t->devices.columns / t->devices.rate < next / team;
}

/* Does the team factor a panel in iteration k? */
static hyb_situation_t situation_of(const hyb_lu_t *lu, int k)
{
    return hyb_lu_owns(lu, k + 1) ? HYB_PANEL_HERE : HYB_PANEL_ELSEWHERE;
}

/* The devices' part of the columns behind the next panel's. */
static double devices_share(hyb_lu_t *lu, int k, int64_t columns)
{
    hyb_tuner_t *t = &lu->tuner;
    hyb_situation_t situation = situation_of(lu, k);

    if (!hyb_share_works(lu->share))
        return 0.0;
    /* All but what the team takes tile by tile from the end: so asked for, or
     * as nobody's rate is known yet. */
    if (t->split.policy == HYB_SPLIT_STEAL ||
        (t->split.policy == HYB_SPLIT_RATIO && t->devices.rate == 0.0))
        return 1.0;
    return hyb_ratio_share(&t->ratio, situation, flop_of(lu, k, columns));
}

int64_t hyb_tune_division(const hyb_ledger_t *ledger, hyb_blocks_t blocks,
                          double share, bool is_fixed)
{
    hyb_run_t all = hyb_ledger_columns(ledger, blocks);
    double end = (double)all.from + share * (double)all.count;
    double part = is_fixed ? 0.5 : 0.0; /* of a block, that decides */
    int64_t b = blocks.from, first, width;

    for (; b < blocks.to; b++) {
        first = hyb_ledger_first(ledger, b);
        width = hyb_ledger_first(ledger, b + 1) - first;
        if ((double)first + part * (double)width >= end)
            break;
    }
    if (b > blocks.from && hyb_ledger_first(ledger, b) == ledger->columns_of_a)
        b = blocks.to;
    return b;
}

/* The host's blocks behind the next panel's are divided: the first ones are
 * streamed. */
static void divide(hyb_lu_t *lu, hyb_step_t *step)
{
    hyb_blocks_t others =
        hyb_homes_host(&lu->homes, (hyb_blocks_t){step->next.to, step->all.to});
    double share = devices_share(lu, step->k, columns_of(lu, others));
    bool is_fixed = lu->tuner.split.policy == HYB_SPLIT_FIXED;
    int64_t ours = hyb_tune_division(&lu->ledger, others, share, is_fixed);

    if (share == 0.0 || flop_of(lu, step->k, 1) == 0.0)
        ours = others.from;
    step->streamed = (hyb_blocks_t){others.from, ours};
    if (step->next_is_streamed)
        step->streamed.from = step->next.from;
    step->rest = (hyb_blocks_t){ours, others.to};
    lu->tuner.used[step->k % HYB_IN_FLIGHT] = share;
    lu->tuner.balanced[step->k % HYB_IN_FLIGHT] = share;
}

/* Seconds from the start of the iteration until panel k + 1 can begin. */
static double before_panel(hyb_lu_t *lu, const hyb_step_t *step)
{
    const hyb_tuner_t *t = &lu->tuner;
    bool theirs = step->next_is_streamed;
    double columns =
        (double)(theirs ? t->devices.columns : columns_of(lu, step->next));
    double rate = theirs ? t->devices.rate : lu->workers.count * t->thread_rate;
    double all = (double)columns_of(lu, step->all);
    double exchange = t->exchange_seconds;

    if (!hyb_step_solves_first(step) && all > 0.0)
        exchange *= fmin(1.0, columns / all);
    return exchange +
           (rate > 0.0 ? flop_of(lu, step->k, 1) * columns / rate : 0.0);
}

/* Workers that factor panel k + 1 while others update. */
static int panel_threads(hyb_lu_t *lu, const hyb_step_t *step)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, step->k)->hpl;
    const hyb_tuner_t *t = &lu->tuner;
    hyb_regroup_facts_t known = {.threads = lu->workers.count,
                                 .rows = h->mp,
                                 .cols = columns_of(lu, step->all),
                                 .nb = h->jb,
                                 .thread_rate = t->thread_rate,
                                 .broadcast = t->broadcast_seconds};

    if (step->mode == HYB_LOOKAHEAD_NONE || known.threads == 1 ||
        lu->homes.host_blocks == 0)
        return known.threads;
    if (hyb_share_works(lu->share))
        known.device_rate = t->devices.rate;
    known.before = before_panel(lu, step);
    return hyb_panel_threads(&t->regroup, &known);
}

void hyb_tune_step(hyb_lu_t *lu, int k, hyb_step_t *step)
{
    hyb_lookahead_facts_t about = facts(lu, k);
    hyb_blocks_t all = hyb_lu_trailing(lu, k);

    *step = (hyb_step_t){.k = k,
                         .all = all,
                         .next = {all.from, all.from},
                         .thread_rate = lu->tuner.thread_rate};
    if (k > 0)
        step->panel_seconds = lap_of(lu, k - 1)->panel_seconds;
    step->mode = hyb_choice_make(&lu->tuner.mode, &about, &step->reason);
    if (hyb_lu_owns(lu, k + 1))
        step->next.to++;
    step->next_is_streamed =
        hyb_blocks_count(hyb_homes_host(&lu->homes, step->next)) > 0 &&
        devices_are_quicker(lu, step);
    divide(lu, step);
    step->panel_threads = panel_threads(lu, step);
}

/* ---- learning ------------------------------------------------------------
 */

/* Are these flop of iteration k enough to tell the team's rate by? */
static bool shows_rate(hyb_lu_t *lu, int k, double flop)
{
    return flop > 0.0 && flop >= flop_of(lu, k, lu->workers.run_columns);
}

void hyb_tune_panel(hyb_lu_t *lu, int k, int threads, double seconds)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;

    if (k > 0)
        lap_of(lu, k - 1)->panel_seconds = seconds;
    hyb_regroup_learn(&lu->tuner.regroup, threads, h->mp, h->jb, seconds);
}

/* Seconds that a worker spent since the iteration opened otherwise than in
 * updates, or than waiting for them; a panel that comes from another column of
 * processes is no update. */
static double other_seconds(const hyb_lu_t *lu, const hyb_timer_sum_t *now,
                            const hyb_timer_sum_t *then)
{
    static const hyb_activity_t others[] = {HYB_PANEL,    HYB_SWAP,
                                            HYB_SOLVE,    HYB_BROADCAST,
                                            HYB_EXCHANGE, HYB_WAIT_ROWS};
    double seconds = 0.0;
    size_t i;

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        seconds += now->seconds[others[i]] - then->seconds[others[i]];
    if (lu->grid->npcol > 1)
        seconds += now->seconds[HYB_WAIT_PANEL] - then->seconds[HYB_WAIT_PANEL];
    return seconds / lu->workers.count;
}

/* Devices completed their columns of iteration k. */
static void learn_share(hyb_lu_t *lu, int k, const hyb_share_work_t *work)
{
    hyb_tuner_t *t = &lu->tuner;
    const hyb_timer_sum_t *then = &lap_of(lu, k)->before, *now = &work->team;
    hyb_situation_t situation = situation_of(lu, k);
    double multiply = now->seconds[HYB_MULTIPLY] - then->seconds[HYB_MULTIPLY];
    hyb_ratio_sample_t sample = {
        .device_flop = work->flop,
        .device_seconds = work->rate > 0.0 ? work->flop / work->rate : 0.0,
        .host_flop = now->flop - then->flop,
        .host_seconds = multiply / lu->workers.count,
        .other_seconds = other_seconds(lu, now, then)};

    if (!shows_rate(lu, k, sample.host_flop))
        sample.host_flop = sample.host_seconds = 0.0;
    if (work->rate > 0.0)
        t->devices = *work;
    t->devices.columns = work->columns;
    hyb_ratio_learn(&t->ratio, situation, &sample);
    t->balanced[k % HYB_IN_FLIGHT] = hyb_ratio_share(
        &t->ratio, situation, sample.device_flop + sample.host_flop);
}

/* Of iterations before k, what devices completed since the last call. */
static void learn_shares(hyb_lu_t *lu, int k)
{
    int *next = &lu->tuner.shared;

    for (; *next < k && hyb_share_has_left(lu, *next); ++*next) {
        hyb_share_work_t work = hyb_share_work(lu, *next);

        if (work.ended > 0.0)
            learn_share(lu, *next, &work);
    }
}

/* flop of iteration k that devices compute. */
static double devices_flop(hyb_lu_t *lu, int k)
{
    hyb_blocks_t theirs =
        hyb_homes_devices(&lu->homes, hyb_lu_step(lu, k)->all);

    return flop_of(lu, k, columns_of(lu, theirs)) + hyb_share_flop(lu, k);
}

/* What iteration k took, for the choice of the mode; all but the total. */
static hyb_lookahead_times_t times_of(hyb_lu_t *lu, int k)
{
    const hyb_lap_t *lap = lap_of(lu, k);
    int members = lu->workers.count;
    double rate = hyb_lap_team_rate(lap, members), devices = 0.0;
    double flop = lap->team.flop + devices_flop(lu, k);

    if (hyb_share_works(lu->share))
        devices = lu->tuner.devices.rate;
    return (hyb_lookahead_times_t){
        .panel = lap->panel_seconds,
        .panel_share = (double)hyb_lu_step(lu, k)->panel_threads / members,
        .broadcast = lap->leader[HYB_BROADCAST],
        .exchange = hyb_lap_exchange_seconds(lap, members),
        .update = rate + devices > 0.0 ? flop / (rate + devices) : 0.0,
        .host_update = rate > 0.0 ? flop / rate : 0.0};
}

/*
 * Iteration k is over. With devices it lasts from the end of the one before it
 * on these: the next one opens long before that, and a mode shows there first.
 */
static void learn(hyb_lu_t *lu, int k)
{
    hyb_tuner_t *t = &lu->tuner;
    const hyb_lap_t *lap = lap_of(lu, k);
    hyb_lookahead_facts_t about = facts(lu, k);
    hyb_lookahead_times_t times = times_of(lu, k);
    double end = hyb_share_work(lu, k).ended;

    end = fmax(t->ended, end > 0.0 ? end : lap->opened + lap->seconds);
    times.total = end - t->ended;
    t->ended = end;
    hyb_choice_give(&t->mode, &about, hyb_lu_step(lu, k)->mode, &times);
}

/* Iteration k is over on the devices, too. */
static void tell(hyb_lu_t *lu, int k)
{
    const hyb_observer_t *observer = &lu->means.observer;
    hyb_iteration_t row =
        hyb_lap_row(lap_of(lu, k), lu, hyb_lu_step(lu, k), devices_flop(lu, k));

    if (lu->share != NULL) {
        row.share_used = lu->tuner.used[k % HYB_IN_FLIGHT];
        row.share_measured = lu->tuner.balanced[k % HYB_IN_FLIGHT];
    }
    hyb_share_record(lu, k, &row);
    observer->iteration(observer->context, &row);
}

/* Iteration k has ended for the leader. */
static void close_lap(hyb_lu_t *lu, int k)
{
    hyb_tuner_t *t = &lu->tuner;
    hyb_lap_t *lap;

    if (k < 0)
        return;
    lap = lap_of(lu, k);
    hyb_lap_close(lap, lu);
    t->devices_flop += devices_flop(lu, k);
    if (shows_rate(lu, k, lap->team.flop))
        t->thread_rate =
            hyb_lap_team_rate(lap, lu->workers.count) / lu->workers.count;
    t->exchange_seconds = hyb_lap_exchange_seconds(lap, lu->workers.count);
    t->broadcast_seconds = lap->leader[HYB_BROADCAST];
}

/*
 * Columns that updates have left when iteration k opens. With look-ahead that
 * is as soon as its panel is known, when the one before begins its update.
 */
static int64_t columns_left(hyb_lu_t *lu, int k)
{
    bool overlaps = k > 0 && hyb_lu_step(lu, k - 1)->mode != HYB_LOOKAHEAD_NONE;

    return lu->mat->n - (int64_t)(overlaps ? k - 1 : k) * lu->mat->nb;
}

void hyb_tune_measure(hyb_lu_t *lu, int k)
{
    const hyb_observer_t *observer = &lu->means.observer;

    learn_shares(lu, k);
    if (k > 1) {
        learn(lu, k - 2);
        tell(lu, k - 2);
    }
    close_lap(lu, k - 1);
    observer->step(observer->context, columns_left(lu, k));
    hyb_lap_open(lap_of(lu, k), lu);
    if (k == 0)
        lu->tuner.ended = lap_of(lu, k)->opened;
}

bool hyb_tune_is_ready(hyb_lu_t *lu)
{
    return hyb_choice_ready(&lu->tuner.mode);
}

void hyb_tune_close(hyb_lu_t *lu)
{
    close_lap(lu, lu->panels - 1);
}

void hyb_tune_end(hyb_lu_t *lu)
{
    learn_shares(lu, lu->panels);
    if (lu->panels > 1)
        tell(lu, lu->panels - 2);
    tell(lu, lu->panels - 1);
}
