/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/guard/seal.h"
#include "hybrid/lu/loop/loop.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/places/visits.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"

/* ---- runs ---------------------------------------------------------------- */

/* Work on columns that a worker takes run by run. */
typedef struct {
    hyb_worker_t *me;
    const hyb_step_t *step;
    hyb_block_range_t blocks;
    int64_t from, to; /* stages */
    int64_t width;    /* of a run, at most */
    bool (*is_enough)(const hyb_worker_t *me, const hyb_step_t *step);
    hyb_run_t run;
} task_t;

/* The stage that work in this iteration starts from: the panel before has been
 * applied and, if P > 1, the rows have arrived. */
static int64_t first_stage(const hyb_worker_t *me, const hyb_step_t *step)
{
    return me->lu->grid->nprow > 1 ? hyb_stage_after(step->k, HYB_STEP_ARRIVE)
                                   : hyb_stage(step->k);
}

/* The task to swap and solve the team's columns of `blocks`. */
static task_t solving(hyb_worker_t *me, const hyb_step_t *step,
                      hyb_block_range_t blocks)
{
    return (task_t){.me = me,
                    .step = step,
                    .blocks = blocks,
                    .from = first_stage(me, step),
                    .to = hyb_stage_after(step->k, HYB_STEP_SOLVE),
                    .width = hyb_resources_run_columns(&me->lu->resources,
                                                       me->lu->mat->nb)};
}

/* The task to multiply them as well; where they are solved already, only to
 * multiply them. */
static task_t updating(hyb_worker_t *me, const hyb_step_t *step,
                       hyb_block_range_t blocks)
{
    task_t t = solving(me, step, blocks);

    if (hyb_step_solves_first(step))
        t.from = t.to;
    t.to = hyb_stage_after(step->k, HYB_STEP_UPDATE);
    return t;
}

/* Take a run if there is one. Returns true if one was taken, or there is
 * nothing to wait for. */
static bool try_to_take(void *context)
{
    task_t *t = context;

    t->run.count = 0;
    return (t->is_enough != NULL && t->is_enough(t->me, t->step)) ||
           hyb_ledger_take(&t->me->lu->ledger, t->blocks, t->from, t->to,
                           t->width, &t->run);
}

/* What does this task wait for: other workers and devices, or other
 * processes? */
static hyb_activity_t reason_to_wait(const task_t *t)
{
    const hyb_lu_t *lu = t->me->lu;

    return lu->grid->nprow > 1 && hyb_ledger_reached(&lu->ledger, t->blocks,
                                                     hyb_stage(t->step->k))
               ? HYB_WAIT_ROWS
               : HYB_WAIT_COLUMNS;
}

/* Work on one run of `t`, once there is one. Returns false if none is left. */
static bool work_on_one(task_t *t)
{
    hyb_place_t *host = &t->me->lu->homes.host;

    if (!try_to_take(t))
        hyb_worker_wait_for(t->me, reason_to_wait(t), t->step->k, try_to_take,
                            t);
    return t->run.count > 0 &&
           host->apply(host, t->me, t->step, t->run, t->from, t->to);
}

/* ---- columns of the host ------------------------------------------------- */

static void work_on_all(task_t t)
{
    while (work_on_one(&t))
        ;
}

/* Work on what is left of an iteration for the team. */
static void work_on_rest(hyb_worker_t *me, const hyb_step_t *step)
{
    work_on_all(updating(me, step, step->rest));
}

static bool host_has_solved(hyb_lu_t *lu, int k)
{
    return hyb_ledger_team_reached(&lu->ledger, hyb_lu_step(lu, k)->all,
                                   hyb_stage_after(k, HYB_STEP_SOLVE));
}

/* Swap and solve all columns before any is multiplied. */
static void solve_all(hyb_worker_t *me, const hyb_step_t *step)
{
    work_on_all(solving(me, step, step->all));
    hyb_worker_wait(me, HYB_WAIT_COLUMNS, step->k, host_has_solved);
}

/* Swap and solve columns for the devices, until `is_enough`. */
static void feed(hyb_worker_t *me, const hyb_step_t *step,
                 bool (*is_enough)(const hyb_worker_t *me,
                                   const hyb_step_t *step))
{
    task_t t = solving(me, step, step->visiting);

    t.is_enough = is_enough;
    if (hyb_step_solves_first(step))
        return;
    while (work_on_one(&t))
        ;
}

bool hyb_factors_next(const hyb_worker_t *me, const hyb_step_t *step)
{
    return hyb_lu_owns(me->lu, step->k + 1) && me->member < step->panel_threads;
}

/* ---- columns of devices: the leader queues them -------------------------- */

/* P > 1: the stage of block b once its rows have come in iteration k. */
static int64_t has_arrived(const hyb_lu_t *lu, int64_t b, int k)
{
    return hyb_stage_after(hyb_lu_applied_before(lu, b, k), HYB_STEP_ARRIVE);
}

/* Queue blocks of `place`, or its guest. Returns false if there is no room for
 * the guest now. */
static bool queue_blocks(hyb_lu_t *lu, const hyb_step_t *step,
                         hyb_place_t *place, hyb_block_range_t blocks)
{
    int64_t from =
        lu->grid->nprow == 1
            ? hyb_stage(hyb_ledger_panels_queued(&lu->ledger, blocks.from))
            : has_arrived(lu, blocks.from, step->k);

    return place->apply(place, lu->worker, step,
                        hyb_ledger_columns(&lu->ledger, blocks), from,
                        hyb_stage(hyb_lu_applied(lu, blocks.from, step->k)));
}

/* Is the application of all panels before iteration k queued for block b? If P
 * = 1 the block can catch up, so the answer is yes. */
static bool has_come_up(const hyb_lu_t *lu, int k, int64_t b)
{
    return lu->grid->nprow == 1 ||
           hyb_ledger_queued(&lu->ledger, hyb_one_block(b),
                             hyb_stage(hyb_lu_applied_before(lu, b, k)));
}

/* Must `place` still queue block b for iteration k, and can it? */
static bool is_due(const hyb_lu_t *lu, int k, const hyb_place_t *place,
                   int64_t b)
{
    return hyb_place_of(&lu->homes, b) == place && has_come_up(lu, k, b) &&
           !hyb_ledger_queued(&lu->ledger, hyb_one_block(b),
                              hyb_stage(hyb_lu_applied(lu, b, k)));
}

/* P = 1: the blocks from b on, up to the first one of `place` that does not
 * need the same panels. */
static hyb_block_range_t due_blocks(const hyb_lu_t *lu, const hyb_step_t *step,
                                    const hyb_place_t *place, int64_t b)
{
    int from = hyb_ledger_panels_queued(&lu->ledger, b);
    int to = hyb_lu_applied(lu, b, step->k);
    hyb_block_range_t due = hyb_one_block(b);

    while (due.to < step->all.to &&
           (hyb_place_of(&lu->homes, due.to) != place ||
            (is_due(lu, step->k, place, due.to) &&
             hyb_ledger_panels_queued(&lu->ledger, due.to) == from &&
             hyb_lu_applied(lu, due.to, step->k) == to)))
        due.to++;
    return due;
}

/* Have the rows arrived that block b needs in iteration k? */
static bool has_rows(const hyb_lu_t *lu, int k, int64_t b)
{
    return lu->grid->nprow == 1 ||
           hyb_ledger_queued(&lu->ledger, hyb_one_block(b),
                             has_arrived(lu, b, k));
}

/*
 * The next blocks of `place` that can be queued, from block b on: first what
 * panel k + 1 waits for, then what runs while that panel is factored. With
 * several process rows they are a parcel whose rows are here.
 */
static hyb_block_range_t blocks_to_queue(hyb_lu_t *lu, const hyb_step_t *step,
                                         const hyb_place_t *place, int64_t b)
{
    if (lu->grid->nprow == 1)
        return b < step->next.to ? hyb_one_block(b)
                                 : due_blocks(lu, step, place, b);
    if (!has_rows(lu, step->k, b))
        return (hyb_block_range_t){b, b};
    return hyb_exchange_parcel(lu->exchange, b)->blocks;
}

/* Queue the guests of `place` that arrive in iteration k, as long as it has
 * room. */
static void queue_guests(hyb_lu_t *lu, int k, hyb_place_t *place)
{
    const hyb_step_t *step = hyb_lu_step(lu, k);

    for (int64_t b = step->all.from; b < lu->homes.guests; b++)
        if (is_due(lu, k, place, b) && has_rows(lu, k, b) &&
            !queue_blocks(lu, step, place, hyb_one_block(b)))
            return;
}

/* Queue what is ready of iteration k at `place`. */
static void queue_ready(hyb_lu_t *lu, int k, hyb_place_t *place)
{
    const hyb_step_t *step = hyb_lu_step(lu, k);
    hyb_block_range_t left = step->all, ready;

    queue_guests(lu, k, place);
    left.from = Mmax(left.from, lu->homes.guests);
    while (left.from < left.to) {
        ready = hyb_one_block(left.from);
        if (is_due(lu, k, place, left.from)) {
            ready = blocks_to_queue(lu, step, place, left.from);
            if (hyb_blocks_count(ready) == 0)
                return;
            queue_blocks(lu, step, place, ready);
        }
        left.from = ready.to;
    }
    place->sweep(place, k);
}

void hyb_update_poll(void *context)
{
    hyb_lu_t *lu = context;
    int open = hyb_lu_opened(lu);

    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->poll(lu->homes.place[i]);
    for (int k = Mmax(open - 2, lu->range.first); k < open; k++)
        for (int i = 1; i < lu->homes.places; i++)
            queue_ready(lu, k, lu->homes.place[i]);
}

bool hyb_update_help(hyb_worker_t *me)
{
    hyb_lu_t *lu = me->lu;

    int open = hyb_lu_opened(lu);

    if (me->member > 0 && lu->homes.resident && open < hyb_lu_end(lu)) {
        hyb_l2_convert(hyb_lu_panel(lu, open));
        hyb_seal_compare(lu->check, hyb_lu_panel(lu, open));
    }
    return hyb_visits_help(me);
}

/* ---- an iteration -------------------------------------------------------- */

void hyb_update_next(hyb_worker_t *me, const hyb_step_t *step)
{
    hyb_lu_t *lu = me->lu;
    task_t next = updating(me, step, step->next);

    if (me->member == 0)
        hyb_poller_poll(&lu->poller);
    next.width = hyb_resources_narrow_columns(&lu->resources, lu->ledger.nb);
    hyb_l2_convert(hyb_lu_panel(lu, step->k));
    hyb_seal_compare(lu->check, hyb_lu_panel(lu, step->k));
    if (hyb_step_solves_first(step))
        solve_all(me, step);
    if (!step->next_visits)
        work_on_all(next);
    if (!hyb_factors_next(me, step))
        feed(me, step, NULL);
    else if (me->member == 0)
        feed(me, step, hyb_visits_are_enough);
    if (step->mode == HYB_LOOKAHEAD_NONE) {
        work_on_rest(me, step);
        hyb_worker_wait(me, HYB_WAIT_COLUMNS, step->k,
                        hyb_iteration_is_applied);
    }
}

static bool next_is_queued(hyb_lu_t *lu, int k)
{
    return hyb_ledger_queued(&lu->ledger, hyb_lu_step(lu, k)->next,
                             hyb_stage(k + 1));
}

static bool next_is_applied(hyb_lu_t *lu, int k)
{
    return hyb_ledger_reached(&lu->ledger, hyb_lu_step(lu, k)->next,
                              hyb_stage(k + 1));
}

static bool next_is_updated(const hyb_worker_t *me, const hyb_step_t *step)
{
    return next_is_applied(me->lu, step->k);
}

/*
 * If devices update the next panel's columns, the worker meanwhile feeds them
 * more columns; it does not help them, which would take long. A device that
 * factors the panel runs its queue in order, so it is enough that the columns
 * are queued.
 */
void hyb_update_wait_next(hyb_worker_t *me, const hyb_step_t *step)
{
    if (step->by_device) {
        hyb_worker_wait(me, HYB_WAIT_COLUMNS, step->k, next_is_queued);
        return;
    }
    if (step->next_visits)
        feed(me, step, next_is_updated);
    me->is_urgent = step->next_visits;
    hyb_worker_wait(me, HYB_WAIT_COLUMNS, step->k, next_is_applied);
    me->is_urgent = false;
}

/*
 * Must this worker leave the rest of iteration k to other workers for now? Yes,
 * if it factors panel k + 2, whose columns are ready for iteration k + 1. But
 * not if devices multiply for the host: they may get those columns next.
 */
static bool has_to_leave(const hyb_worker_t *me, const hyb_step_t *step)
{
    hyb_lu_t *lu = me->lu;
    const hyb_step_t *next = hyb_lu_step(lu, step->k + 1);

    return lu->visits == NULL && hyb_lu_is_open(lu, step->k + 1) &&
           !hyb_step_solves_first(next) && hyb_factors_next(me, next) &&
           hyb_ledger_reached(&lu->ledger, next->next, first_stage(me, next));
}

void hyb_update_leave(hyb_worker_t *me, int k)
{
    const hyb_step_t *step = hyb_lu_step(me->lu, k);

    work_on_rest(me, step);
    atomic_store(&me->iteration, k + 1);
}

/* Work on `blocks` of the rest until `has_to_leave`. */
static void work_on(hyb_worker_t *me, const hyb_step_t *step,
                    hyb_block_range_t blocks)
{
    task_t t = updating(me, step, blocks);

    t.is_enough = has_to_leave;
    while (work_on_one(&t))
        hyb_iteration_open_early(me, step->k + 1);
}

void hyb_update_rest(hyb_worker_t *me, const hyb_step_t *step)
{
    feed(me, step, NULL);
    if (step->k > me->lu->range.first)
        hyb_update_leave(me, step->k - 1);
    work_on(me, step, step->rest);
}
