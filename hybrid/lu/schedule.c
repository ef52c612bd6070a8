/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/schedule.h"

#include "base/clock.h"
#include "hybrid/lu/agenda.h"
#include "hybrid/lu/devices.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/panels.h"
#include "hybrid/lu/plan.h"
#include "hybrid/observe/report.h"
#include "hybrid/lu/update.h"

/* Something of iteration k that a member waits for. */
typedef struct {
    hyb_activity_t activity; /* the wait */
    bool (*is_so)(hyb_lu_t *lu, int k);
    void (*turn)(hyb_lu_t *lu, int member, int *turns);
} wait_t;

static void wait_until(hyb_lu_t *lu, const wait_t *what, int k, int member)
{
    double started;
    int turns = 0;

    if (what->is_so(lu, k))
        return;
    started = xh_clock_now();
    hyb_timer_begin(lu->spent, member, what->activity, k);
    while (!what->is_so(lu, k))
        what->turn(lu, member, &turns);
    hyb_timer_end(lu->spent, member, what->activity, k, started);
}

/* ---- opening an iteration: the leader ------------------------------------
 */

/* Has nobody any business with iteration k, or one before it? */
static bool is_over(const hyb_lu_t *lu, int k)
{
    int i;

    for (i = 1; i < lu->members; i++)
        if (atomic_load(&lu->spent[i].iterations) <= k)
            return false;
    return hyb_devices_finished(lu, k);
}

/* Panel k + 1's memory was panel k - 2's. */
static void open_next_panel(hyb_lu_t *lu, int k)
{
    if (k + 1 == lu->panels)
        return;
    hyb_panels_open(lu, k + 1);
    if (!hyb_lu_owns(lu, k + 1))
        hyb_panels_broadcast(lu, k + 1);
}

/* Is all known here that iteration k needs, and a place for it free? */
static bool can_open(hyb_lu_t *lu, int k)
{
    return hyb_panels_arrived(lu, k) && hyb_exchanges_closed(lu) &&
           is_over(lu, k - HYB_IN_FLIGHT + 1) && hyb_choice_ready(&lu->choice);
}

static bool is_open(hyb_lu_t *lu, int k)
{
    return atomic_load_explicit(&lu->open, memory_order_acquire) > k;
}

static void open_iteration(hyb_lu_t *lu, int k)
{
    hyb_plan_t *plan = hyb_lu_plan(lu, k);

    hyb_report_open(lu, k);
    hyb_panels_prepare(lu, k);
    if (lu->flat != NULL)
        hyb_l2_columns_begin(lu->flat, k, &hyb_lu_panel(lu, k)->factors.l2);
    open_next_panel(lu, k);
    hyb_plan_columns(lu, plan);
    if (lu->grid->nprow > 1)
        hyb_exchanges_open(lu, k);
    atomic_store_explicit(&lu->open, k + 1, memory_order_release);
}

/* Between two runs of iteration k: members without any may go on to the next.
 */
static void open_early(hyb_lu_t *lu, int k)
{
    if (k + 1 < lu->panels && !is_open(lu, k + 1) && can_open(lu, k + 1))
        open_iteration(lu, k + 1);
}

static const wait_t all_for_opening = {HYB_WAIT_PANEL, can_open,
                                       hyb_agenda_turn};

static void wait_and_open(hyb_lu_t *lu, int k)
{
    if (is_open(lu, k))
        return;
    wait_until(lu, &all_for_opening, k, 0);
    open_iteration(lu, k);
}

/* ---- an iteration: all members -------------------------------------------
 */

static bool is_prepared(hyb_lu_t *lu, int k)
{
    return hyb_deal_done(&hyb_lu_plan(lu, k)->prepare);
}

static const wait_t prepared = {HYB_WAIT_COLUMNS, is_prepared, hyb_agenda_turn};

/* All columns are swapped and solved before any is updated. */
static void prepare_all(hyb_lu_t *lu, hyb_plan_t *plan, int member)
{
    hyb_run_t run;

    while (hyb_deal_take(&plan->prepare, &lu->columns, member, &run)) {
        hyb_update_prepare(lu, plan->k, run, member);
        hyb_deal_settle(&plan->prepare, run);
    }
    wait_until(lu, &prepared, plan->k, member);
    if (lu->devices != NULL && member == 0 &&
        plan->prepare.to > plan->prepare.from)
        hyb_devices_fed_all(lu, plan->k);
}

static void update_run(hyb_lu_t *lu, const hyb_plan_t *plan, hyb_run_t run,
                       int member)
{
    if (plan->mode != HYB_LOOKAHEAD_PIPELINE)
        hyb_update_multiply(lu, plan->k, run, member);
    else
        hyb_update_run(lu, plan->k, run, member);
}

static void update(hyb_lu_t *lu, hyb_plan_t *plan, hyb_deal_t *deal, int member)
{
    hyb_run_t run;

    while (hyb_deal_take(deal, &lu->columns, member, &run)) {
        update_run(lu, plan, run, member);
        hyb_deal_settle(deal, run);
    }
}

/* This member's part of panel k. */
static void factor_panel(hyb_lu_t *lu, int k, int member, int members)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    double started = xh_clock_now(), seconds;

    hyb_timer_begin(lu->spent, member, HYB_PANEL, k);
    if (member > 0) {
        hyb_panels_factor(lu, k, member, members);
        hyb_timer_end(lu->spent, member, HYB_PANEL, k, started);
        return;
    }
    HPL_ptimer(HPL_TIMING_RPFACT);
    hyb_panels_factor(lu, k, member, members);
    HPL_ptimer(HPL_TIMING_RPFACT);
    seconds = hyb_timer_end(lu->spent, 0, HYB_PANEL, k, started) - started;
    if (k > 0)
        hyb_lu_plan(lu, k - 1)->panel_seconds = seconds;
    lu->factored = k;
    hyb_regroup_learn(&lu->regroup, members, h->mp, h->jb, seconds);
    hyb_panels_broadcast(lu, k);
}

/* Swap and solve a run of what the devices get; false: there is none. */
static bool feed_run(hyb_lu_t *lu, const hyb_plan_t *plan, int member)
{
    hyb_run_t run;

    if (plan->mode != HYB_LOOKAHEAD_PIPELINE ||
        !hyb_devices_feed(lu, plan->k, &run))
        return false;
    hyb_update_prepare(lu, plan->k, run, member);
    hyb_devices_fed(lu, plan->k, run);
    return true;
}

static void feed_all(hyb_lu_t *lu, const hyb_plan_t *plan, int member)
{
    while (feed_run(lu, plan, member))
        ;
}

/* Until that keeps them busy. */
static void feed_enough(hyb_lu_t *lu, const hyb_plan_t *plan, int member)
{
    while (!hyb_devices_have_plenty(lu, plan->k) && feed_run(lu, plan, member))
        ;
}

static bool is_updated(hyb_lu_t *lu, int k)
{
    return hyb_deal_done(&hyb_lu_plan(lu, k)->rest) &&
           hyb_devices_finished(lu, k);
}

static const wait_t updated = {HYB_WAIT_COLUMNS, is_updated, hyb_agenda_turn};

/* The update is complete here before this member goes on. */
static void finish_update(hyb_lu_t *lu, hyb_plan_t *plan, int member)
{
    update(lu, plan, &plan->rest, member);
    wait_until(lu, &updated, plan->k, member);
}

/* Have panel k + 1's columns met panel k, of the team's hands ... */
static bool next_is_done(hyb_lu_t *lu, int k)
{
    return hyb_deal_done(&hyb_lu_plan(lu, k)->next);
}

/* ... or the devices'? */
static bool next_is_reached(hyb_lu_t *lu, int k)
{
    const hyb_plan_t *plan = hyb_lu_plan(lu, k);

    return hyb_columns_reached(&lu->columns, plan->next.from, plan->next.to,
                               k + 1);
}

static const wait_t next_by_team = {HYB_WAIT_COLUMNS, next_is_done,
                                    hyb_agenda_turn};

/* Devices are not helped meanwhile: that takes long. */
static const wait_t next_by_devices = {HYB_WAIT_COLUMNS, next_is_reached,
                                       hyb_agenda_short_turn};

/*
 * Until panel k + 1's columns have met panel k. The devices, if it is they,
 * are fed on.
 */
static void wait_for_next(hyb_lu_t *lu, hyb_plan_t *plan, int member)
{
    if (!plan->next_is_theirs) {
        wait_until(lu, &next_by_team, plan->k, member);
        return;
    }
    while (!next_is_reached(lu, plan->k) && feed_run(lu, plan, member))
        ;
    wait_until(lu, &next_by_devices, plan->k, member);
}

/* What comes first in iteration k: all that panel k + 1 and devices wait for.
 */
static void begin_iteration(hyb_lu_t *lu, int k, int member)
{
    hyb_plan_t *plan = hyb_lu_plan(lu, k);
    bool factors = hyb_lu_owns(lu, k + 1) && member < plan->panel_threads;
    bool feeds = lu->devices != NULL && plan->mode == HYB_LOOKAHEAD_PIPELINE;

    if (lu->multiplier == HYB_BY_BLAS || hyb_devices_flop(lu, k) > 0.0)
        hyb_l2_columns_fill(lu->flat, k);
    prepare_all(lu, plan, member);
    if (!plan->next_is_theirs)
        update(lu, plan, &plan->next, member);
    if (feeds && !factors)
        feed_all(lu, plan, member);
    else if (feeds && member == 0)
        feed_enough(lu, plan, member);
    if (plan->mode == HYB_LOOKAHEAD_NONE)
        finish_update(lu, plan, member);
    if (factors) {
        wait_for_next(lu, plan, member);
        factor_panel(lu, k + 1, member, plan->panel_threads);
    }
    if (feeds)
        feed_all(lu, plan, member);
}

/*
 * Has this member to leave iteration k's columns to others for now, as it is
 * to factor panel k + 2, whose columns are ready for it? Not with devices: they
 * may be fed these very columns next.
 */
static bool has_to_leave(hyb_lu_t *lu, int k, int member)
{
    const hyb_plan_t *next = hyb_lu_plan(lu, k + 1);

    return lu->devices == NULL && is_open(lu, k + 1) &&
           next->mode == HYB_LOOKAHEAD_PIPELINE &&
           next->next.to > next->next.from && member < next->panel_threads &&
           hyb_exchanges_reached(lu, k + 1, next->next.from, next->next.to);
}

static void update_rest(hyb_lu_t *lu, int k, int member)
{
    hyb_plan_t *plan = hyb_lu_plan(lu, k);
    hyb_run_t run;

    if (lu->deals_ahead) {
        wait_for_next(lu, plan, member);
        finish_update(lu, plan, member);
        return;
    }
    while (!has_to_leave(lu, k, member) &&
           hyb_deal_take(&plan->rest, &lu->columns, member, &run)) {
        update_run(lu, plan, run, member);
        hyb_deal_settle(&plan->rest, run);
        if (member == 0)
            open_early(lu, k);
    }
}

/* What this member left of iteration k. */
static void end_iteration(hyb_lu_t *lu, int k, int member)
{
    hyb_plan_t *plan;

    if (k < 0)
        return;
    plan = hyb_lu_plan(lu, k);
    update(lu, plan, &plan->rest, member);
    atomic_store(&lu->spent[member].iterations, k + 1);
}

static const wait_t opened = {HYB_WAIT_PANEL, is_open, hyb_agenda_turn};

/* Does nothing move any more, here or towards here, after the last panel? */
static bool is_at_rest(hyb_lu_t *lu, int last)
{
    return hyb_agenda_done(lu) && hyb_choice_ready(&lu->choice) &&
           hyb_devices_finished(lu, last);
}

static const wait_t at_rest = {HYB_WAIT_PANEL, is_at_rest, hyb_agenda_turn};

void hyb_schedule_work(void *argument, int member)
{
    hyb_lu_t *lu = argument;
    int k;

    hyb_pace_begin(&lu->pace[member]);
    if (hyb_lu_owns(lu, 0))
        factor_panel(lu, 0, member, lu->members);
    for (k = 0; k < lu->panels; k++) {
        if (member == 0)
            wait_and_open(lu, k);
        else
            wait_until(lu, &opened, k, member);
        begin_iteration(lu, k, member);
        end_iteration(lu, k - 1, member);
        update_rest(lu, k, member);
    }
    end_iteration(lu, k - 1, member);
    if (member > 0)
        return;
    hyb_report_last(lu);
    wait_until(lu, &at_rest, lu->panels - 1, 0);
    hyb_report_end(lu);
}
