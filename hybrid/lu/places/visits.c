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
    double busy; /* s with a visitor on the device or on its way */
} did_t;

typedef struct { /* one iteration */
    double begun;
    did_t did[HYB_EXECUTORS - 1];
    hyb_lap_t lap;
} part_t;

/* Lists in use: the open list, and the previous one, whose last visitors leave.
 */
enum { LISTS = 2 };

struct hyb_visits {
    hyb_ledger_t *ledger;
    hyb_homes_t *homes;
    const hyb_resources_t *resources;
    hyb_worker_t *worker; /* one per member */
    int nb;
    int devices; /* devices of the process */
    part_t part[HYB_IN_FLIGHT];
    /* flop/s of each device in the last list in which it had visitors; 0:
     * unknown. */
    _Atomic double rate[HYB_EXECUTORS - 1];
    int there[HYB_EXECUTORS - 1]; /* visitors on each device now */
    int next;                     /* iteration whose list opens next */
    int done;                     /* first iteration that is not complete */
    _Atomic int open;             /* iteration of the open list, or -1 */
    _Atomic int helpers[LISTS];   /* workers that use each list */
    _Atomic int64_t left;         /* columns not taken, and visitors' columns */
};

static part_t *part_of(hyb_visits_t *v, int k)
{
    return &v->part[k % HYB_IN_FLIGHT];
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
    *lu->visits = (hyb_visits_t){.ledger = &lu->ledger,
                                 .homes = &lu->homes,
                                 .resources = &lu->resources,
                                 .worker = lu->worker,
                                 .nb = lu->mat->nb,
                                 .devices = lu->homes.places - 1,
                                 .open = -1};
    return XH_OK;
}

void hyb_visits_destroy(hyb_visits_t *v)
{
    free(v);
}

void hyb_visits_agree(hyb_lu_t *lu)
{
    int all = lu->visits != NULL;

    if (lu->grid->nprow > 1)
        hpl_waits_allreduce(&all, 1, MPI_INT, MPI_MIN, lu->grid->col_comm);
    if (all)
        return;
    hyb_visits_destroy(lu->visits);
    lu->visits = NULL;
}

/* ---- the list ------------------------------------------------------------ */

static int64_t solved(const hyb_step_t *step)
{
    return hyb_stage_after(step->k, HYB_STEP_SOLVE);
}

/* The leftmost solved block that nobody has begun to multiply. */
static int64_t next_visitor(const hyb_ledger_t *ledger, const hyb_step_t *step)
{
    int64_t b = step->visiting.from;

    while (b < step->visiting.to &&
           !hyb_ledger_is_free(ledger, b, solved(step)))
        b++;
    return b;
}

/* Columns that nobody has begun to multiply, and visitors' columns. */
static int64_t columns_left(const hyb_visits_t *v, const hyb_step_t *step)
{
    int64_t count = 0;

    for (int64_t b = step->visiting.from; b < step->visiting.to; b++)
        if (!hyb_ledger_is_begun(v->ledger, b, solved(step)))
            count += hyb_ledger_team_columns(v->ledger, hyb_one_block(b));
    for (int i = 0; i < v->devices; i++)
        count += v->there[i] * (int64_t)v->nb;
    return count;
}

bool hyb_visits_are_enough(const hyb_worker_t *me, const hyb_step_t *step)
{
    const hyb_visits_t *v = me->lu->visits;
    hyb_block_range_t blocks = step->visiting;
    double rate = 0.0, columns;

    if (v == NULL)
        return true;
    blocks.to = hyb_ledger_team_first_before(v->ledger, blocks, solved(step));
    columns = (double)hyb_ledger_team_columns(v->ledger, blocks);
    for (int i = 0; i < v->devices; i++)
        rate += v->rate[i];
    return columns > 0.0 &&
           columns * step->column_flop >= rate * step->panel_seconds;
}

/* ---- devices, called by the leader --------------------------------------- */

/* flop/s of a device, from its last list or measured before the run; 0:
 * unknown. */
static double rate_of(const hyb_visits_t *v, int device)
{
    double rate = v->rate[device];

    return rate > 0.0 ? rate
                      : hyb_machine_rate(v->resources->machine, device, v->nb);
}

/*
 * Would the device send another visitor back before all devices together have
 * computed the remaining blocks, and the fastest device one block more? All
 * blocks count as equally wide.
 */
static bool is_in_time(const hyb_visits_t *v, int device)
{
    double left = (double)atomic_load(&v->left) / v->nb;
    double all = 0.0, fastest = 0.0, mine = rate_of(v, device);

    for (int i = 0; i < v->devices; i++) {
        all += rate_of(v, i);
        fastest = fmax(fastest, rate_of(v, i));
    }
    return mine <= 0.0 ||
           (v->there[device] + 1) / mine <= left / all + 1.0 / fastest;
}

static bool has_room(const hyb_place_t *place, int k)
{
    return place->has_room != NULL && place->has_room(place, k);
}

/* Send `block` to place number i. */
static void send(hyb_visits_t *v, const hyb_step_t *step, int i, int64_t block)
{
    hyb_place_t *place = v->homes->place[i];

    v->there[i - 1]++;
    place->apply(place, v->worker, step,
                 hyb_ledger_columns(v->ledger, hyb_one_block(block)),
                 solved(step), hyb_stage(step->k + 1));
}

/* Send one visitor to each device in turn. Returns whether there was any. */
static bool send_some(hyb_visits_t *v, const hyb_step_t *step)
{
    bool any = false;

    for (int i = 1; i <= v->devices; i++) {
        int64_t b = next_visitor(v->ledger, step);

        if (b == step->visiting.to)
            return false;
        if (has_room(v->homes->place[i], step->k) && is_in_time(v, i - 1) &&
            hyb_ledger_take_block(v->ledger, b, solved(step),
                                  hyb_stage(step->k + 1))) {
            send(v, step, i, b);
            any = true;
        }
    }
    return any;
}

void hyb_visits_note(hyb_visits_t *v, int k, int device, double flop,
                     double seconds)
{
    did_t *did = &part_of(v, k)->did[device];

    did->flop += flop;
    did->busy += seconds;
    v->there[device]--;
}

/* ---- lists in turn, called by the leader --------------------------------- */

void hyb_visits_open(hyb_visits_t *v, int k)
{
    if (v != NULL)
        *part_of(v, k) = (part_t){.begun = 0.0};
}

static bool has_visitors(const hyb_step_t *step)
{
    return hyb_blocks_count(step->visiting) > 0;
}

/* Open the list of the next iteration that has visitors, once L2 is complete in
 * columns. */
static void open_next(hyb_lu_t *lu)
{
    hyb_visits_t *v = lu->visits;

    while (v->next < hyb_lu_opened(lu) &&
           !has_visitors(hyb_lu_step(lu, v->next)))
        v->next++;
    if (v->next == hyb_lu_opened(lu) || v->next >= v->done + LISTS ||
        !hyb_l2_has_columns(hyb_lu_panel(lu, v->next)))
        return;
    part_of(v, v->next)->begun = xh_clock_now();
    atomic_store(&v->left, columns_left(v, hyb_lu_step(lu, v->next)));
    atomic_store(&v->open, v->next++);
}

/* Sum up a list, for the record and for the tuner. */
static void sum_up(hyb_visits_t *v, part_t *part)
{
    part->lap = hyb_timer_lap(v->worker, hyb_team_size(v->resources->team));
    part->lap.devices_columns = v->nb;
    for (int i = 0; i < v->devices; i++) {
        const did_t *did = &part->did[i];

        if (did->busy <= 0.0)
            continue;
        v->rate[i] = did->flop / did->busy;
        part->lap.devices_flop += did->flop;
        part->lap.devices_rate += v->rate[i];
    }
    v->homes->devices.flop += part->lap.devices_flop;
}

/* Is the list of the step's iteration closed, are all its columns complete, and
 * has every worker left it? */
static bool is_over(const hyb_visits_t *v, const hyb_step_t *step)
{
    return atomic_load(&v->open) != step->k &&
           hyb_ledger_team_reached(v->ledger, step->visiting,
                                   hyb_stage(step->k + 1)) &&
           atomic_load(&v->helpers[step->k % LISTS]) == 0;
}

/* Pass lists that are over, and iterations without a list. */
static void pass_lists(hyb_lu_t *lu)
{
    hyb_visits_t *v = lu->visits;

    for (; v->done < hyb_lu_opened(lu); v->done++) {
        const hyb_step_t *step = hyb_lu_step(lu, v->done);
        part_t *part = part_of(v, v->done);

        if (!has_visitors(step))
            continue;
        if (part->begun == 0.0 || !is_over(v, step))
            return;
        sum_up(v, part);
    }
}

static bool all_are_taken(const hyb_ledger_t *ledger, const hyb_step_t *step)
{
    for (int64_t b = step->visiting.from; b < step->visiting.to; b++)
        if (hyb_ledger_is_teams(ledger, b) &&
            !hyb_ledger_queued(ledger, hyb_one_block(b),
                               hyb_stage(step->k + 1)))
            return false;
    return true;
}

/* Send columns of the open list to devices. Close the list once nobody can take
 * any. */
static void attend(hyb_visits_t *v, const hyb_step_t *step)
{
    while (send_some(v, step))
        ;
    atomic_store(&v->left, columns_left(v, step));
    if (all_are_taken(v->ledger, step))
        atomic_store(&v->open, -1);
}

void hyb_visits_poll(void *context)
{
    hyb_lu_t *lu = context;
    hyb_visits_t *v = lu->visits;

    if (v == NULL)
        return;
    if (atomic_load(&v->open) < 0)
        open_next(lu);
    if (atomic_load(&v->open) >= 0)
        attend(v, hyb_lu_step(lu, atomic_load(&v->open)));
    pass_lists(lu);
}

bool hyb_visits_advance(hyb_lu_t *lu, int k)
{
    if (lu->visits == NULL)
        return true;
    pass_lists(lu);
    return k < lu->visits->done;
}

/* ---- helping, called by all workers -------------------------------------- */

static void leave(hyb_visits_t *v, int k)
{
    atomic_fetch_sub(&v->helpers[k % LISTS], 1);
}

/* Enter the open list, which then stays until this worker leaves it. Returns
 * its iteration, or -1. */
static int enter(hyb_visits_t *v)
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

/* flop/s of one worker; in the first iterations, the mean of all workers so
 * far. */
static double worker_rate(const hyb_visits_t *v, const hyb_step_t *step)
{
    int members = hyb_team_size(v->resources->team);
    hyb_lap_t lap;

    if (step->thread_rate > 0.0)
        return step->thread_rate;
    lap = hyb_timer_lap(v->worker, members);
    return lap.flop > 0.0 ? lap.flop / members / lap.team[HYB_MULTIPLY] : 0.0;
}

/* Would the worker finish a run before the devices finish the remaining
 * columns? */
static bool is_worth_it(const hyb_visits_t *v, const hyb_step_t *step,
                        int64_t run)
{
    double devices = 0.0;

    for (int i = 0; i < v->devices; i++)
        devices += rate_of(v, i);
    return !step->share_is_fixed &&
           hyb_split_helps(worker_rate(v, step), (double)run, devices,
                           (double)atomic_load(&v->left));
}

/* Take the rightmost solved columns that nobody multiplies. */
static bool take_last(hyb_ledger_t *ledger, const hyb_step_t *step,
                      int64_t width, hyb_run_t *run_p)
{
    for (int64_t b = step->visiting.to - 1; b >= step->visiting.from; b--)
        if (hyb_ledger_take_run(ledger, b, solved(step), hyb_stage(step->k + 1),
                                width, run_p))
            return true;
    return false;
}

static bool help_with(hyb_visits_t *v, hyb_worker_t *me, const hyb_step_t *step)
{
    hyb_place_t *host = &v->homes->host;
    int64_t width = hyb_resources_run_columns(v->resources, v->nb);
    hyb_run_t run;

    return is_worth_it(v, step, width) &&
           take_last(v->ledger, step, width, &run) &&
           host->apply(host, me, step, run, solved(step),
                       hyb_stage(step->k + 1));
}

bool hyb_visits_help(hyb_worker_t *me)
{
    hyb_visits_t *v = me->lu->visits;
    int k = v != NULL && !me->is_urgent ? enter(v) : -1;
    bool any;

    if (k < 0)
        return false;
    any = help_with(v, me, hyb_lu_step(me->lu, k));
    leave(v, k);
    return any;
}

/* ---- results ------------------------------------------------------------- */

const hyb_lap_t *hyb_visits_lap(hyb_visits_t *v, int k)
{
    const hyb_lap_t *lap = v != NULL ? &part_of(v, k)->lap : NULL;

    return lap != NULL && lap->time > 0.0 ? lap : NULL;
}

double hyb_visits_flop(hyb_visits_t *v, int k)
{
    return v != NULL ? part_of(v, k)->lap.devices_flop : 0.0;
}
