/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/report.h"

#include <math.h>
#include "base/clock.h"
#include "base/trace.h"
#include "hybrid/lu/devices.h"

/* the seconds and flop of one iteration, here */
typedef struct {
    const hyb_plan_t *plan;
    double total;
    hyb_timer_sum_t team; /* summed over members */
    double leader[HYB_ACTIVITIES];
} taken_t;

static taken_t taken(const hyb_lu_t *lu, int k)
{
    const hyb_plan_t *plan = &lu->plan[k % HYB_IN_FLIGHT];
    taken_t t = {.plan = plan,
                 .total = xh_clock_now() - plan->opened,
                 .team = hyb_timer_sum(lu->spent, lu->members)};
    int a;

    t.team.flop -= plan->before.flop;
    for (a = 0; a < HYB_ACTIVITIES; a++) {
        t.team.seconds[a] -= plan->before.seconds[a];
        t.leader[a] = atomic_load(&lu->spent[0].seconds[a]) - plan->leader[a];
    }
    return t;
}

/* ---- choices -------------------------------------------------------------
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

/* flop/s of the team while it updates. */
static double team_rate(const hyb_lu_t *lu, const taken_t *t)
{
    double seconds = t->team.seconds[HYB_MULTIPLY] / lu->members;

    return seconds > 0.0 ? t->team.flop / seconds : 0.0;
}

static double seconds_at(double flop, double rate)
{
    return rate > 0.0 ? flop / rate : 0.0;
}

/* All but the total, and rates for later iterations. */
static hyb_lookahead_times_t times_of(hyb_lu_t *lu, const taken_t *t)
{
    double members = lu->members, rate = team_rate(lu, t);
    double flop = t->team.flop + hyb_devices_flop(lu, t->plan->k);
    const double *spent = t->team.seconds;
    hyb_lookahead_times_t times = {
        .panel = t->plan->panel_seconds,
        .panel_share = t->plan->panel_threads / members,
        .broadcast = t->leader[HYB_BROADCAST],
        .exchange = (spent[HYB_SWAP] + spent[HYB_SOLVE] + spent[HYB_EXCHANGE] +
                     spent[HYB_WAIT_ROWS]) /
                    members,
        .update = seconds_at(flop, rate + hyb_devices_rate(lu)),
        .host_update = seconds_at(flop, rate)};

    if (hyb_lu_shows_rate(lu, t->plan->k, t->team.flop))
        lu->thread_rate = rate / members;
    lu->exchange_seconds = times.exchange;
    lu->broadcast_seconds = times.broadcast;
    return times;
}

/*
 * Iteration k is over. With devices it lasts from the end of the one before it
 * on these: the next one opens long before that, and a mode shows there first.
 */
static void learn(hyb_lu_t *lu, int k)
{
    hyb_plan_t *plan = hyb_lu_plan(lu, k);
    hyb_lookahead_facts_t about = facts(lu, k);
    double end = hyb_devices_ended(lu, k);

    end = fmax(lu->ended, end > 0.0 ? end : plan->opened + plan->row.seconds);
    plan->times.total = end - lu->ended;
    lu->ended = end;
    hyb_choice_give(&lu->choice, &about, plan->mode, &plan->times);
}

/* ---- the record ----------------------------------------------------------
 */

/* All but what the devices do, who may be at it still. */
static hyb_iteration_t row_of(const hyb_lu_t *lu, const taken_t *t)
{
    const hyb_plan_t *plan = t->plan;
    const HPL_T_panel *h = lu->panel[plan->k % HYB_IN_FLIGHT].hpl;
    hyb_iteration_t row = {.iteration = plan->k,
                           .mode = (int)plan->mode,
                           .reason = plan->reason,
                           .columns_left = h->nq,
                           .begin = plan->opened,
                           .seconds = t->total,
                           .share_used = hyb_devices_share(lu, plan->k),
                           .share_measured = NAN,
                           .panel = t->leader[HYB_PANEL],
                           .broadcast = t->leader[HYB_BROADCAST],
                           .exchange = t->leader[HYB_EXCHANGE],
                           .swap = t->leader[HYB_SWAP],
                           .solve = t->leader[HYB_SOLVE],
                           .update_host =
                               t->leader[HYB_MULTIPLY] + t->leader[HYB_HELP],
                           .wait_panel = t->leader[HYB_WAIT_PANEL],
                           .wait_exchange = t->leader[HYB_WAIT_ROWS],
                           .wait_device = t->leader[HYB_WAIT_COLUMNS]};
    double flop = t->team.flop + hyb_devices_flop(lu, plan->k);

    row.panel_threads = t->leader[HYB_PANEL] > 0.0 ? plan->panel_threads : 0;
    row.gflops = t->total > 0.0 ? flop / t->total * 1e-9 : 0.0;
    return row;
}

/* Iteration k is over on the devices, too. */
static void record(hyb_lu_t *lu, int k)
{
    hyb_plan_t *plan = hyb_lu_plan(lu, k);

    hyb_devices_record(lu, k, &plan->row);
    hyb_iterations_add(lu->record, &plan->row);
}

/*
 * What a thread should do, flop/s, if all processes have as many: less than its
 * rate in updates, as that is what the whole factorization should reach.
 */
static double planned(const hyb_lu_t *lu)
{
    double threads = (double)lu->members * lu->grid->nprocs;

    return lu->devices == NULL ? hpl_progress_expected(&lu->progress) / threads
                               : 0.0;
}

void hyb_report_begin(hyb_lu_t *lu)
{
    hyb_iterations_run_t run = {.n = lu->mat->n,
                                .nb = lu->mat->nb,
                                .nprow = lu->grid->nprow,
                                .npcol = lu->grid->npcol,
                                .iterations = lu->panels};
    hyb_health_place_t place = {.comm = lu->grid->all_comm,
                                .column = lu->grid->mycol,
                                .columns = lu->grid->npcol};
    char name[32];
    int i;

    lu->progress = hpl_progress_begin(lu->grid, lu->mat->n);
    place.planned = planned(lu);
    hyb_health_begin(&lu->health, &place);
    hyb_iterations_begin(lu->record, &run);
    for (i = 0; xh_trace_on() && i < lu->members; i++) {
        snprintf(name, sizeof(name), "thread %d", i);
        xh_trace_name_actor(i, name);
    }
}

/* Iteration k - 1 has ended for the leader. */
static void close_iteration(hyb_lu_t *lu, int k)
{
    taken_t t;

    if (k < 1)
        return;
    t = taken(lu, k - 1);
    lu->devices_flop += hyb_devices_flop(lu, k - 1);
    hyb_lu_plan(lu, k - 1)->row = row_of(lu, &t);
    hyb_lu_plan(lu, k - 1)->times = times_of(lu, &t);
}

/*
 * Iterations whose updates are over when k opens. With look-ahead that is as
 * soon as its panel is known, about when the one before begins its update.
 */
static int updates_over(hyb_lu_t *lu, int k)
{
    if (k > 0 && hyb_lu_plan(lu, k - 1)->mode != HYB_LOOKAHEAD_NONE)
        return k - 1;
    return k;
}

void hyb_report_open(hyb_lu_t *lu, int k)
{
    hyb_plan_t *plan = hyb_lu_plan(lu, k);
    hyb_lookahead_facts_t about = facts(lu, k);
    int a;

    plan->mode = hyb_choice_make(&lu->choice, &about, &plan->reason);
    plan->k = k;
    if (k > 1) {
        learn(lu, k - 2);
        record(lu, k - 2);
    }
    close_iteration(lu, k);
    hpl_progress_say(&lu->progress,
                     lu->mat->n - (int64_t)updates_over(lu, k) * lu->mat->nb);
    hyb_health_turn(&lu->health, lu->spent, lu->pace, lu->members);
    plan->panel_seconds = 0.0;
    plan->opened = xh_clock_now();
    if (k == 0)
        lu->ended = plan->opened;
    plan->before = hyb_timer_sum(lu->spent, lu->members);
    for (a = 0; a < HYB_ACTIVITIES; a++)
        plan->leader[a] = atomic_load(&lu->spent[0].seconds[a]);
}

void hyb_report_last(hyb_lu_t *lu)
{
    close_iteration(lu, lu->panels);
}

void hyb_report_end(hyb_lu_t *lu)
{
    if (lu->panels > 1)
        record(lu, lu->panels - 2);
    record(lu, lu->panels - 1);
    hpl_progress_say(&lu->progress, 0);
}
