/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/places/visits.h"

#include <math.h>
#include "base/clock.h"
#include "hpl/comm/waits.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"
#include "hybrid/lu/tune/split.h"

/* What a device did in an iteration. */
typedef struct {
    double flop;
    double busy; /* s with a visitor, or with one on its way */
} did_t;

typedef struct { /* by iteration */
    double begun;
    did_t did[HYB_EXECUTORS - 1];
    hyb_lap_t lap;
} part_t;

/* Lists under way: the open one, and the list before, whose last visitors
 * leave. */
enum { LISTS = 2 };

struct hyb_visits {
    part_t part[HYB_IN_FLIGHT];
    int devices; /* of the process */
    /* Flop/s of each device in the last list in which it had visitors; 0:
     * unknown. */
    _Atomic double rate[HYB_EXECUTORS - 1];
    int there[HYB_EXECUTORS - 1]; /* visitors on each device now */
    int next;                     /* iteration whose list opens next, */
    int done;                     /* first iteration that is not complete */
    _Atomic int open;             /* iteration of the open list, or -1 */
    _Atomic int helpers[LISTS];   /* workers that look at each list */
    _Atomic int64_t left; /* columns that nobody took, and visitors' columns */
};

static part_t *part_of(const hyb_lu_t *lu, int k)
{
    return &lu->visits->part[k % HYB_IN_FLIGHT];
}

/* ---- create and destroy -------------------------------------------------- */

/* Does any device have seats? */
static bool any_takes_part(const hyb_homes_t *homes)
{
    for (int i = 1; i < homes->places; i++)
        if (homes->place[i]->has_room != NULL)
            return true;
    return false;
}

xh_status_t hyb_visits_create(hyb_lu_t *lu)
{
    if (!lu->homes.takes_visits || !any_takes_part(&lu->homes))
        return XH_OK;
    lu->visits = calloc(1, sizeof(*lu->visits));
    if (lu->visits == NULL)
        return XH_ERR_MEMORY;
    lu->visits->devices = lu->homes.places - 1;
    atomic_store(&lu->visits->open, -1);
    return XH_OK;
}

void hyb_visits_destroy(hyb_lu_t *lu)
{
    free(lu->visits);
}

void hyb_visits_agree(hyb_lu_t *lu)
{
    int all = lu->visits != NULL;

    if (lu->grid->nprow > 1)
        hpl_waits_allreduce(&all, 1, MPI_INT, MPI_MIN, lu->grid->col_comm);
    if (all)
        return;
    hyb_visits_destroy(lu);
    lu->visits = NULL;
}

/* ---- the list ------------------------------------------------------------ */

static int64_t solved(const hyb_step_t *step)
{
    return hyb_stage_after(step->k, HYB_STEP_SOLVE);
}

static int64_t columns_of(const hyb_lu_t *lu, hyb_block_range_t blocks)
{
    return hyb_ledger_team_columns(&lu->ledger, blocks);
}

/* The leftmost block that is solved, and that nobody has begun to multiply. */
static int64_t next_visitor(const hyb_lu_t *lu, const hyb_step_t *step)
{
    hyb_block_range_t v = step->visiting;
    int64_t b = v.from;

    while (b < v.to && !hyb_ledger_is_free(&lu->ledger, b, solved(step)))
        b++;
    return b;
}

/* Columns that nobody has begun to multiply, and visitors' columns. */
static int64_t columns_left(const hyb_lu_t *lu, const hyb_step_t *step)
{
    int64_t count = 0;

    for (int64_t b = step->visiting.from; b < step->visiting.to; b++)
        if (!hyb_ledger_is_begun(&lu->ledger, b, solved(step)))
            count += columns_of(lu, hyb_one_block(b));
    for (int i = 0; i < lu->visits->devices; i++)
        count += lu->visits->there[i] * (int64_t)lu->mat->nb;
    return count;
}

bool hyb_visits_are_enough(const hyb_worker_t *me, const hyb_step_t *step)
{
    hyb_lu_t *lu = me->lu;
    hyb_block_range_t v = step->visiting;
    double rate = 0.0, columns;

    if (lu->visits == NULL)
        return true;
    v.to = hyb_ledger_team_first_before(&lu->ledger, v, solved(step));
    columns = (double)columns_of(lu, v);
    for (int i = 0; i < lu->visits->devices; i++)
        rate += lu->visits->rate[i];
    return columns > 0.0 &&
           columns * hyb_lu_flop(lu, step->k, 1) >= rate * step->panel_seconds;
}

/* ---- devices: the leader ------------------------------------------------- */

/* flop/s of a device, as measured last, or before the run; 0: unknown. */
static double rate_of(const hyb_lu_t *lu, int device)
{
    double rate = lu->visits->rate[device];

    return rate > 0.0
               ? rate
               : hyb_machine_rate(lu->resources.machine, device, lu->mat->nb);
}

/*
 * Would the device have another visitor back before all devices together have
 * computed what is left, and the fastest one block more? All blocks count as
 * equally wide.
 */
static bool is_in_time(hyb_lu_t *lu, int device)
{
    const struct hyb_visits *v = lu->visits;
    double left = (double)atomic_load(&v->left) / lu->mat->nb;
    double all = 0.0, fastest = 0.0, mine = rate_of(lu, device);

    for (int i = 0; i < v->devices; i++) {
        all += rate_of(lu, i);
        fastest = fmax(fastest, rate_of(lu, i));
    }
    return mine <= 0.0 ||
           (v->there[device] + 1) / mine <= left / all + 1.0 / fastest;
}

static bool has_room(const hyb_place_t *place, int k)
{
    return place->has_room != NULL && place->has_room(place, k);
}

/* Send `block` to place number i. */
static void send(hyb_lu_t *lu, const hyb_step_t *step, int i, int64_t block)
{
    hyb_place_t *place = lu->homes.place[i];

    lu->visits->there[i - 1]++;
    place->meet(place, lu->worker, step,
                hyb_ledger_columns(&lu->ledger, hyb_one_block(block)),
                solved(step), hyb_stage(step->k + 1));
}

/* Send one visitor to each device, in turn. Was there any? */
static bool send_some(hyb_lu_t *lu, const hyb_step_t *step)
{
    bool any = false;

    for (int i = 1; i < lu->homes.places; i++) {
        int64_t b = next_visitor(lu, step);

        if (b == step->visiting.to)
            return false;
        if (has_room(lu->homes.place[i], step->k) && is_in_time(lu, i - 1) &&
            hyb_ledger_take_block(&lu->ledger, b, solved(step),
                                  hyb_stage(step->k + 1))) {
            send(lu, step, i, b);
            any = true;
        }
    }
    return any;
}

void hyb_visits_note(hyb_lu_t *lu, int k, int device, double flop,
                     double seconds)
{
    did_t *did = &part_of(lu, k)->did[device];

    did->flop += flop;
    did->busy += seconds;
    lu->visits->there[device]--;
}

/* ---- lists one after the other: the leader ------------------------------- */

void hyb_visits_open(hyb_lu_t *lu, int k)
{
    if (lu->visits != NULL)
        *part_of(lu, k) = (part_t){.begun = 0.0};
}

static bool has_visitors(const hyb_lu_t *lu, int k)
{
    return hyb_blocks_count(lu->flight[k % HYB_IN_FLIGHT].step.visiting) > 0;
}

static bool has_begun(const hyb_lu_t *lu, int k)
{
    return part_of(lu, k)->begun > 0.0;
}

/* Open the list of the next iteration that has one, once L2 is there in
 * columns. */
static void open_next(hyb_lu_t *lu)
{
    struct hyb_visits *v = lu->visits;

    while (v->next < hyb_lu_opened(lu) && !has_visitors(lu, v->next))
        v->next++;
    if (v->next == hyb_lu_opened(lu) || v->next >= v->done + LISTS ||
        !hyb_l2_columns_complete(hyb_lu_panel(lu, v->next)))
        return;
    part_of(lu, v->next)->begun = xh_clock_now();
    atomic_store(&v->left, columns_left(lu, hyb_lu_step(lu, v->next)));
    atomic_store(&v->open, v->next++);
}

/* Sum up a list, for the record and for the tuner. */
static void sum_up(hyb_lu_t *lu, part_t *part)
{
    struct hyb_visits *v = lu->visits;

    part->lap = hyb_timer_lap(lu->worker, hyb_team_size(lu->resources.team));
    part->lap.devices_columns = lu->mat->nb;
    for (int i = 0; i < v->devices; i++) {
        const did_t *did = &part->did[i];

        if (did->busy <= 0.0)
            continue;
        v->rate[i] = did->flop / did->busy;
        part->lap.devices_flop += did->flop;
        part->lap.devices_rate += v->rate[i];
    }
    lu->homes.devices.flop += part->lap.devices_flop;
}

/* Is the list of iteration k closed, with all its columns complete and no
 * worker at it? */
static bool is_over(const hyb_lu_t *lu, int k)
{
    return atomic_load(&lu->visits->open) != k &&
           hyb_ledger_team_reached(&lu->ledger,
                                   lu->flight[k % HYB_IN_FLIGHT].step.visiting,
                                   hyb_stage(k + 1)) &&
           atomic_load(&lu->visits->helpers[k % LISTS]) == 0;
}

/* Pass lists that are over, and iterations without a list. */
static void pass_lists(hyb_lu_t *lu)
{
    struct hyb_visits *v = lu->visits;

    for (; v->done < hyb_lu_opened(lu); v->done++) {
        if (!has_visitors(lu, v->done))
            continue;
        if (!has_begun(lu, v->done) || !is_over(lu, v->done))
            return;
        sum_up(lu, part_of(lu, v->done));
    }
}

static bool all_are_taken(const hyb_lu_t *lu, const hyb_step_t *step)
{
    for (int64_t b = step->visiting.from; b < step->visiting.to; b++)
        if (hyb_ledger_is_teams(&lu->ledger, b) &&
            !hyb_ledger_queued(&lu->ledger, hyb_one_block(b),
                               hyb_stage(step->k + 1)))
            return false;
    return true;
}

/* Send columns of the open list. Close the list once nobody can take any. */
static void attend(hyb_lu_t *lu, int k)
{
    struct hyb_visits *v = lu->visits;
    const hyb_step_t *step = hyb_lu_step(lu, k);

    while (send_some(lu, step))
        ;
    atomic_store(&v->left, columns_left(lu, step));
    if (all_are_taken(lu, step))
        atomic_store(&v->open, -1);
}

void hyb_visits_poll(void *context)
{
    hyb_lu_t *lu = context;
    struct hyb_visits *v = lu->visits;

    if (v == NULL)
        return;
    if (atomic_load(&v->open) < 0)
        open_next(lu);
    if (atomic_load(&v->open) >= 0)
        attend(lu, atomic_load(&v->open));
    pass_lists(lu);
}

bool hyb_visits_advance(hyb_lu_t *lu, int k)
{
    if (lu->visits == NULL)
        return true;
    pass_lists(lu);
    return k < lu->visits->done;
}

/* ---- helping: all workers ------------------------------------------------ */

static void leave(struct hyb_visits *v, int k)
{
    atomic_fetch_sub(&v->helpers[k % LISTS], 1);
}

/* Enter the open list, which then stays until this worker leaves it. Returns
 * its iteration, or -1. */
static int enter(struct hyb_visits *v)
{
    int k = atomic_load(&v->open);

    if (k < 0)
        return -1;
    atomic_fetch_add(&v->helpers[k % LISTS], 1);
    if (atomic_load(&v->open) == k)
        return k;
    leave(v, k);
    return -1;
}

/* flop/s of one worker; in the first iterations by what all have done so
 * far. */
static double worker_rate(const hyb_lu_t *lu, const hyb_step_t *step)
{
    int members = hyb_team_size(lu->resources.team);
    hyb_lap_t lap;

    if (step->thread_rate > 0.0)
        return step->thread_rate;
    lap = hyb_timer_lap(lu->worker, members);
    return lap.flop > 0.0 ? lap.flop / members / lap.team[HYB_MULTIPLY] : 0.0;
}

/* Would the worker be done with a run before the devices are with what is
 * left? */
static bool is_worth_it(const hyb_lu_t *lu, const hyb_step_t *step, int64_t run)
{
    double devices = 0.0;

    for (int i = 0; i < lu->visits->devices; i++)
        devices += rate_of(lu, i);
    return !step->share_is_fixed &&
           hyb_split_helps(worker_rate(lu, step), (double)run, devices,
                           (double)atomic_load(&lu->visits->left));
}

/* Take the rightmost columns that are solved, and that nobody multiplies. */
static bool take_last(hyb_lu_t *lu, const hyb_step_t *step, int64_t width,
                      hyb_run_t *run_p)
{
    for (int64_t b = step->visiting.to - 1; b >= step->visiting.from; b--)
        if (hyb_ledger_take_run(&lu->ledger, b, solved(step),
                                hyb_stage(step->k + 1), width, run_p))
            return true;
    return false;
}

static bool help_with(hyb_worker_t *me, const hyb_step_t *step)
{
    hyb_lu_t *lu = me->lu;
    hyb_place_t *host = &lu->homes.host;
    int64_t width = hyb_resources_run_columns(&lu->resources, lu->mat->nb);
    hyb_run_t run;

    return is_worth_it(lu, step, width) && take_last(lu, step, width, &run) &&
           host->meet(host, me, step, run, solved(step),
                      hyb_stage(step->k + 1));
}

bool hyb_visits_help(hyb_worker_t *me)
{
    struct hyb_visits *v = me->lu->visits;
    int k = v != NULL && !me->is_urgent ? enter(v) : -1;
    bool any;

    if (k < 0)
        return false;
    any = help_with(me, hyb_lu_step(me->lu, k));
    leave(v, k);
    return any;
}

/* ---- what they did ------------------------------------------------------- */

const hyb_lap_t *hyb_visits_lap(const hyb_lu_t *lu, int k)
{
    return lu->visits != NULL && part_of(lu, k)->lap.time > 0.0
               ? &part_of(lu, k)->lap
               : NULL;
}

double hyb_visits_flop(const hyb_lu_t *lu, int k)
{
    return lu->visits != NULL ? part_of(lu, k)->lap.devices_flop : 0.0;
}
