/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/update.h"

#include "hybrid/lu/iteration.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/place.h"
#include "hybrid/lu/share.h"

/* ---- what is done to a run ------------------------------------------------
 */

/* From the panel before, or the arrival of rows, to ... */
static int64_t first_stage(const hyb_worker_t *me, const hyb_step_t *step)
{
    return me->lu->grid->nprow > 1 ? hyb_stage_after(step->k, HYB_STEP_ARRIVE)
                                   : hyb_stage(step->k);
}

static hyb_stages_t solving(const hyb_worker_t *me, const hyb_step_t *step)
{
    return (hyb_stages_t){first_stage(me, step),
                          hyb_stage_after(step->k, HYB_STEP_SOLVE)};
}

static hyb_stages_t updating(const hyb_worker_t *me, const hyb_step_t *step)
{
    return (hyb_stages_t){hyb_step_solves_first(step)
                              ? hyb_stage_after(step->k, HYB_STEP_SOLVE)
                              : first_stage(me, step),
                          hyb_stage_after(step->k, HYB_STEP_UPDATE)};
}

/* Upstream's timer of updates, which times the leader. */
static void toggle(const hyb_worker_t *me)
{
    if (me->member == 0)
        HPL_ptimer(HPL_TIMING_UPDATE);
}

/* Swapped and solved; others multiply it. */
static void solve_run(const hyb_place_work_t *w)
{
    const hyb_place_ops_t *place = w->place->ops;

    toggle(w->me);
    place->swap(w);
    place->solve(w, true);
    toggle(w->me);
}

/* All of it while the run is in cache, or what is left where it is solved. */
static void update_run(const hyb_place_work_t *w)
{
    const hyb_place_ops_t *place = w->place->ops;

    toggle(w->me);
    if (hyb_step_solves_first(w->step)) {
        place->fetch_u(w);
    } else {
        place->swap(w);
        place->solve(w, false);
    }
    place->multiply(w);
    toggle(w->me);
}

/* ---- taking runs ---------------------------------------------------------
 */

/* Work on columns that a worker takes run by run. */
typedef struct {
    hyb_awaited_t awaited; /* first: the wait is for a run to take */
    const hyb_step_t *step;
    hyb_worker_t *me;
    hyb_stages_t stages;
    int64_t width;
    hyb_run_t run;
    hyb_taking_t taken;
    bool (*is_enough)(const hyb_worker_t *me, const hyb_step_t *step);
} task_t;

/* Is there a run, or nothing left to wait for? Takes the run. */
static bool try_to_take(void *context)
{
    task_t *t = context;

    if (t->is_enough != NULL && t->is_enough(t->me, t->step))
        t->taken = HYB_NOTHING_LEFT;
    else
        t->taken = hyb_ledger_take(&t->me->lu->ledger, t->awaited.blocks,
                                   t->stages, t->width, &t->run);
    return t->taken != HYB_NOT_READY;
}

/* What is waited for: other workers and devices, or other processes. */
static hyb_activity_t reason_to_wait(const task_t *t)
{
    const hyb_lu_t *lu = t->me->lu;

    return lu->grid->nprow > 1 &&
                   hyb_ledger_reached(&lu->ledger, t->awaited.blocks,
                                      hyb_stage(t->step->k))
               ? HYB_WAIT_ROWS
               : HYB_WAIT_COLUMNS;
}

static bool take(task_t *t)
{
    if (!try_to_take(t))
        hyb_worker_wait(t->me, reason_to_wait(t), t->step->k, HYB_HELPS,
                        &t->awaited);
    return t->taken == HYB_TAKEN;
}

/* Workers take runs of the host's columns alone. */
static task_t task(hyb_worker_t *me, const hyb_step_t *step,
                   hyb_blocks_t blocks, hyb_stages_t stages)
{
    return (task_t){
        .awaited = {.is_so = try_to_take,
                    .blocks = hyb_homes_host(&me->lu->homes, blocks)},
        .step = step,
        .me = me,
        .stages = stages,
        .width = me->lu->workers.run_columns};
}

/* One run of t, to the stage it is for; false: none is left. */
static bool work_on_one(task_t *t, void (*work)(const hyb_place_work_t *))
{
    if (!take(t))
        return false;
    work(&(hyb_place_work_t){&t->me->lu->homes.host, t->me, t->step, t->run});
    hyb_ledger_complete(&t->me->lu->ledger, t->run, t->stages);
    return true;
}

/* ---- columns of the host -------------------------------------------------
 */

static void update_blocks(hyb_worker_t *me, const hyb_step_t *step,
                          hyb_blocks_t blocks, int64_t width)
{
    task_t t = task(me, step, blocks, updating(me, step));

    t.width = width;
    while (work_on_one(&t, update_run))
        ;
}

/* All columns are swapped and solved before any is multiplied. */
static void solve_all(hyb_worker_t *me, const hyb_step_t *step)
{
    task_t t = task(me, step, step->all, solving(me, step));

    while (work_on_one(&t, solve_run))
        ;
    hyb_worker_wait_columns(me, step->k, HYB_HELPS, t.awaited.blocks,
                            t.stages.to);
    hyb_share_release(me->lu, step);
}

/* Swap and solve columns for the devices, until that is enough. */
static void feed(hyb_worker_t *me, const hyb_step_t *step,
                 bool (*is_enough)(const hyb_worker_t *me,
                                   const hyb_step_t *step))
{
    task_t t = task(me, step, step->streamed, solving(me, step));

    t.is_enough = is_enough;
    if (hyb_step_solves_first(step))
        return;
    while (work_on_one(&t, solve_run))
        hyb_share_release(me->lu, step);
}

/* The update is complete here before this worker goes on. */
static void finish(hyb_worker_t *me, const hyb_step_t *step)
{
    update_blocks(me, step, step->rest, me->lu->workers.run_columns);
    hyb_worker_wait_columns(me, step->k, HYB_HELPS, step->all,
                            hyb_stage(step->k + 1));
}

bool hyb_factors_next(const hyb_worker_t *me, const hyb_step_t *step)
{
    return hyb_lu_owns(me->lu, step->k + 1) && me->member < step->panel_threads;
}

/* ---- columns of devices: the leader queues them --------------------------
 */

/* All of blocks that live at place. */
static void queue_blocks(hyb_worker_t *leader, const hyb_step_t *step,
                         hyb_place_t *place, hyb_blocks_t blocks)
{
    hyb_ledger_t *ledger = &leader->lu->ledger;
    const hyb_place_work_t w = {place, leader, step,
                                hyb_ledger_columns(ledger, blocks)};
    hyb_stages_t stages = {first_stage(leader, step), hyb_stage(step->k + 1)};

    place->ops->swap(&w);
    place->ops->solve(&w, true);
    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (hyb_home_of(&leader->lu->homes, b) == place)
            hyb_ledger_queue_all(ledger, (hyb_blocks_t){b, b + 1}, stages);
    place->ops->multiply(&w);
}

/*
 * The next blocks of place that can be queued, from block b on: first what
 * panel k + 1 waits for, behind it what runs while that is factored. Where
 * P > 1, a group whose rows are here.
 */
static hyb_blocks_t blocks_to_queue(hyb_lu_t *lu, const hyb_step_t *step,
                                    int64_t b)
{
    hyb_blocks_t one = {b, b + 1};

    if (lu->grid->nprow == 1)
        return b < step->next.to ? one : (hyb_blocks_t){b, step->all.to};
    if (!hyb_ledger_queued(&lu->ledger, one,
                           hyb_stage_after(step->k, HYB_STEP_ARRIVE)))
        return (hyb_blocks_t){b, b};
    return hyb_homes_devices(&lu->homes, hyb_exchange_group(&lu->exchange, b));
}

/* What is ready of iteration k at place. */
static void queue_ready(hyb_lu_t *lu, int k, hyb_place_t *place)
{
    const hyb_step_t *step = hyb_lu_step(lu, k);
    hyb_blocks_t left = hyb_homes_devices(&lu->homes, step->all), ready;

    while (left.from < left.to) {
        ready = (hyb_blocks_t){left.from, left.from + 1};
        if (hyb_home_of(&lu->homes, left.from) == place &&
            !hyb_ledger_queued(&lu->ledger, ready, hyb_stage(k + 1))) {
            ready = blocks_to_queue(lu, step, left.from);
            if (hyb_blocks_count(ready) == 0)
                return;
            queue_blocks(&lu->workers.worker[0], step, place, ready);
        }
        left.from = ready.to;
    }
}

void hyb_update_poll(void *context)
{
    hyb_lu_t *lu = context;
    int open = atomic_load(&lu->open);

    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->ops->poll(lu->homes.place[i]);
    for (int k = Mmax(open - 2, 0); k < open; k++)
        for (int i = 1; i < lu->homes.places; i++)
            queue_ready(lu, k, lu->homes.place[i]);
}

/* ---- an iteration --------------------------------------------------------
 */

void hyb_update_next(hyb_worker_t *me, const hyb_step_t *step)
{
    hyb_lu_t *lu = me->lu;
    bool factors = hyb_factors_next(me, step);

    if (me->member == 0)
        hyb_update_poll(lu);
    if (lu->means.by_blas || hyb_blocks_count(step->streamed) > 0)
        hyb_l2_columns_fill(lu->panel.l2, step->k);
    if (hyb_step_solves_first(step))
        solve_all(me, step);
    if (!step->next_is_streamed)
        update_blocks(me, step, step->next,
                      hyb_means_narrow_columns(&lu->means, lu->ledger.nb));
    if (!factors)
        feed(me, step, NULL);
    else if (me->member == 0)
        feed(me, step, hyb_share_is_saturated);
    if (step->mode == HYB_LOOKAHEAD_NONE)
        finish(me, step);
}

static bool next_is_updated(const hyb_worker_t *me, const hyb_step_t *step)
{
    return hyb_ledger_reached(&me->lu->ledger, step->next,
                              hyb_stage(step->k + 1));
}

/* Where devices update them they get more columns meanwhile, and are not
 * helped, which takes long. */
void hyb_update_wait_next(hyb_worker_t *me, const hyb_step_t *step)
{
    if (step->next_is_streamed)
        feed(me, step, next_is_updated);
    hyb_worker_wait_columns(
        me, step->k, step->next_is_streamed ? HYB_HELPS_SHORT : HYB_HELPS,
        step->next, hyb_stage(step->k + 1));
}

/*
 * Has this worker to leave the rest of iteration k to others for now, as it
 * factors panel k + 2, whose columns are ready for it? Not with devices: they
 * may get these very columns next.
 */
static bool has_to_leave(const hyb_worker_t *me, const hyb_step_t *step)
{
    hyb_lu_t *lu = me->lu;
    const hyb_step_t *next = hyb_lu_step(lu, step->k + 1);

    return lu->share == NULL && hyb_lu_is_open(lu, step->k + 1) &&
           !hyb_step_solves_first(next) && hyb_factors_next(me, next) &&
           hyb_ledger_reached(&lu->ledger, next->next, first_stage(me, next));
}

void hyb_update_leave(hyb_worker_t *me, int k)
{
    hyb_lu_t *lu = me->lu;

    if (k < 0)
        return;
    update_blocks(me, hyb_lu_step(lu, k), hyb_lu_step(lu, k)->rest,
                  lu->workers.run_columns);
    atomic_store(&me->iteration, k + 1);
}

void hyb_update_rest(hyb_worker_t *me, const hyb_step_t *step)
{
    task_t t = task(me, step, step->rest, updating(me, step));

    feed(me, step, NULL);
    hyb_update_leave(me, step->k - 1);
    t.is_enough = has_to_leave;
    while (work_on_one(&t, update_run))
        hyb_iteration_open_early(me, step->k + 1);
}
