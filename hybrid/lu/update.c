/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/update.h"

#include "hybrid/lu/iteration.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/share.h"

/* ---- runs ----------------------------------------------------------------
 */

/* Work on columns that a worker takes run by run. */
typedef struct {
    hyb_worker_t *me;
    const hyb_step_t *step;
    hyb_blocks_t blocks;
    int64_t from, to; /* stages */
    int64_t width;    /* of a run, at most */
    bool (*is_enough)(const hyb_worker_t *me, const hyb_step_t *step);
    hyb_run_t run;
} task_t;

/* The stage after the panel before, or after the arrival of rows. */
static int64_t first_stage(const hyb_worker_t *me, const hyb_step_t *step)
{
    return me->lu->grid->nprow > 1 ? hyb_stage_after(step->k, HYB_STEP_ARRIVE)
                                   : hyb_stage(step->k);
}

/* To swap and solve blocks. Nobody takes runs of columns whose place has a
 * queue. */
static task_t solving(hyb_worker_t *me, const hyb_step_t *step,
                      hyb_blocks_t blocks)
{
    if (me->lu->place->is_queued)
        blocks.to = blocks.from;
    return (task_t){.me = me,
                    .step = step,
                    .blocks = blocks,
                    .from = first_stage(me, step),
                    .to = hyb_stage_after(step->k, HYB_STEP_SOLVE),
                    .width =
                        hyb_means_run_columns(&me->lu->means, me->lu->mat->nb)};
}

/* To multiply them as well, or to multiply what is solved. */
static task_t updating(hyb_worker_t *me, const hyb_step_t *step,
                       hyb_blocks_t blocks)
{
    task_t t = solving(me, step, blocks);

    if (hyb_step_solves_first(step))
        t.from = t.to;
    t.to = hyb_stage_after(step->k, HYB_STEP_UPDATE);
    return t;
}

/* Upstream's timer of updates, which times the leader. */
static void toggle(const hyb_worker_t *me)
{
    if (me->member == 0)
        HPL_ptimer(HPL_TIMING_UPDATE);
}

/* The run goes from one stage to the other: all of it while it is in cache, or
 * some of it, where others do the rest. */
static void work_on_run(const task_t *t)
{
    const hyb_place_t *place = t->me->lu->place;
    bool multiplies = t->to == hyb_stage(t->step->k + 1);

    toggle(t->me);
    if (t->from == hyb_stage_after(t->step->k, HYB_STEP_SOLVE)) {
        place->fetch_u(t->me, t->step, t->run);
    } else {
        place->swap(t->me, t->step, t->run);
        place->solve(t->me, t->step, t->run, !multiplies);
    }
    if (multiplies)
        place->multiply(t->me, t->step, t->run);
    toggle(t->me);
    hyb_ledger_complete(&t->me->lu->ledger, t->run, t->to - t->from);
}

/* Is there a run, or nothing left to wait for? Takes the run. */
static bool try_to_take(void *context)
{
    task_t *t = context;

    t->run.count = 0;
    return (t->is_enough != NULL && t->is_enough(t->me, t->step)) ||
           hyb_ledger_take(&t->me->lu->ledger, t->blocks, t->from, t->to,
                           t->width, &t->run);
}

/* What is waited for: other workers and devices, or other processes. */
static hyb_activity_t reason_to_wait(const task_t *t)
{
    const hyb_lu_t *lu = t->me->lu;

    return lu->grid->nprow > 1 && hyb_ledger_reached(&lu->ledger, t->blocks,
                                                     hyb_stage(t->step->k))
               ? HYB_WAIT_ROWS
               : HYB_WAIT_COLUMNS;
}

/* One run of t, once there is one; false: none is left. */
static bool work_on_one(task_t *t)
{
    if (!try_to_take(t))
        hyb_worker_wait(t->me, reason_to_wait(t), t->step->k, try_to_take, t);
    if (t->run.count == 0)
        return false;
    work_on_run(t);
    return true;
}

/* ---- columns of the host -------------------------------------------------
 */

static void work_on_all(task_t t)
{
    while (work_on_one(&t))
        ;
}

/* All columns are swapped and solved before any is multiplied. */
static void solve_all(hyb_worker_t *me, const hyb_step_t *step)
{
    work_on_all(solving(me, step, step->all));
    hyb_worker_wait_columns(me, step->k, step->all,
                            hyb_stage_after(step->k, HYB_STEP_SOLVE));
    hyb_share_release(me->lu, step);
}

/* Swap and solve columns for the devices, until that is enough. */
static void feed(hyb_worker_t *me, const hyb_step_t *step,
                 bool (*is_enough)(const hyb_worker_t *me,
                                   const hyb_step_t *step))
{
    task_t t = solving(me, step, step->streamed);

    t.is_enough = is_enough;
    if (hyb_step_solves_first(step))
        return;
    while (work_on_one(&t))
        hyb_share_release(me->lu, step);
}

bool hyb_factors_next(const hyb_worker_t *me, const hyb_step_t *step)
{
    return hyb_lu_owns(me->lu, step->k + 1) && me->member < step->panel_threads;
}

/* ---- columns whose place has a queue -------------------------------------
 */

/* The leader queues them; the place tells the ledger what has run. */
static void queue_blocks(hyb_worker_t *me, const hyb_step_t *step,
                         hyb_blocks_t blocks)
{
    hyb_ledger_t *ledger = &me->lu->ledger;
    const hyb_place_t *place = me->lu->place;
    hyb_run_t run = hyb_ledger_columns(ledger, blocks);

    if (me->member != 0 || run.count == 0)
        return;
    place->swap(me, step, run);
    place->solve(me, step, run, true);
    hyb_ledger_queue_all(ledger, blocks, HYB_STEPS);
    place->multiply(me, step, run);
}

/* ---- an iteration --------------------------------------------------------
 */

/* All that panel k + 1 waits for, and behind it what runs while it is factored.
 */
static void queue_next(hyb_worker_t *me, const hyb_step_t *step)
{
    queue_blocks(me, step, step->next);
    queue_blocks(me, step, (hyb_blocks_t){step->next.to, step->all.to});
}

static void compute_next(hyb_worker_t *me, const hyb_step_t *step)
{
    hyb_lu_t *lu = me->lu;
    task_t next = updating(me, step, step->next);

    next.width = hyb_means_narrow_columns(&lu->means, lu->ledger.nb);
    if (lu->means.by_blas ||
        hyb_blocks_count(step->streamed) > 0)
        hyb_l2_columns_fill(hyb_lu_panel(lu, step->k));
    if (hyb_step_solves_first(step))
        solve_all(me, step);
    if (!step->next_is_streamed)
        work_on_all(next);
    if (!hyb_factors_next(me, step))
        feed(me, step, NULL);
    else if (me->member == 0)
        feed(me, step, hyb_share_is_saturated);
    if (step->mode == HYB_LOOKAHEAD_NONE)
        work_on_all(updating(me, step, step->rest));
}

void hyb_update_next(hyb_worker_t *me, const hyb_step_t *step)
{
    if (me->lu->place->is_queued)
        queue_next(me, step);
    else
        compute_next(me, step);
    if (step->mode == HYB_LOOKAHEAD_NONE)
        hyb_worker_wait_columns(me, step->k, step->all, hyb_stage(step->k + 1));
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
    me->is_urgent = step->next_is_streamed;
    hyb_worker_wait_columns(me, step->k, step->next, hyb_stage(step->k + 1));
    me->is_urgent = false;
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
    const hyb_step_t *step = hyb_lu_step(me->lu, k);

    work_on_all(updating(me, step, step->rest));
    atomic_store(&me->iteration, k + 1);
}

void hyb_update_rest(hyb_worker_t *me, const hyb_step_t *step)
{
    task_t t = updating(me, step, step->rest);

    feed(me, step, NULL);
    if (step->k > 0)
        hyb_update_leave(me, step->k - 1);
    t.is_enough = has_to_leave;
    while (work_on_one(&t))
        hyb_iteration_open_early(me, step->k + 1);
}
