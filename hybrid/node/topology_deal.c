/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/node/topology_private.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

typedef struct { /* who gets what, while it is being decided */
    const hyb_topology_t *topology;
    int processes;
    hwloc_bitmap_t *shares;   /* of each process, so far */
    hwloc_bitmap_t *masks;    /* of each process */
    hwloc_bitmap_t *eligible; /* processes for each core not yet given away */
    int *owned;               /* cores of each process */
    int *users;               /* processes of each core */
    int *run;                 /* cores that the same processes may have */
} plan_t;

/* Masks are cut down to what this machine has. */
static xh_status_t read_masks(const hyb_topology_t *topology,
                              const hyb_local_t *local, hwloc_bitmap_t *masks)
{
    hwloc_const_bitmap_t all =
        hwloc_topology_get_topology_cpuset(topology->machine);
    xh_status_t status = XH_OK;

    for (int i = 0; i < local->count && status == XH_OK; i++) {
        if (local->masks == NULL)
            hwloc_bitmap_copy(masks[i], topology->mask);
        else
            status = hyb_bitmap_read(local->masks[i], masks[i]);
        hwloc_bitmap_and(masks[i], masks[i], all);
    }
    if (status == XH_OK && hwloc_bitmap_iszero(masks[local->rank])) {
        xh_log_error("the affinity mask holds no processor of this machine");
        status = XH_ERR_ARG;
    }
    return status;
}

static hwloc_obj_t core_at(const plan_t *plan, int index)
{
    return hyb_topology_core(plan->topology, index);
}

/* How many processors are in both. */
static int common(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b)
{
    int count = 0;
    unsigned id;

    hwloc_bitmap_foreach_begin(id, a)
    {
        count += hwloc_bitmap_isset(b, id);
    }
    hwloc_bitmap_foreach_end();
    return count;
}

/*
 * The processor of core that its next user takes: the second user gets the
 * second hardware thread, if its mask allows.
 */
static int pick_processor(hwloc_obj_t core, hwloc_const_bitmap_t mask, int turn)
{
    unsigned id;

    turn %= common(core->cpuset, mask);
    hwloc_bitmap_foreach_begin(id, core->cpuset)
    {
        if (hwloc_bitmap_isset(mask, id) && turn-- == 0)
            return (int)id;
    }
    hwloc_bitmap_foreach_end();
    return -1;
}

static void give(plan_t *plan, int core, int process)
{
    int id = pick_processor(core_at(plan, core), plan->masks[process],
                            plan->users[core]++);

    hwloc_bitmap_set(plan->shares[process], (unsigned)id);
    plan->owned[process]++;
}

static bool may_have(const plan_t *plan, int process, int core)
{
    return hwloc_bitmap_intersects(core_at(plan, core)->cpuset,
                                   plan->masks[process]);
}

/* Cores that bring each of processes to level cores at least. */
static int needed(const plan_t *plan, hwloc_const_bitmap_t processes, int level)
{
    int cores = 0;
    unsigned process;

    hwloc_bitmap_foreach_begin(process, processes)
    {
        if (plan->owned[process] < level)
            cores += level - plan->owned[process];
    }
    hwloc_bitmap_foreach_end();
    return cores;
}

/*
 * Do shares of take cores, from position at of the run of count cores on, end
 * where a NUMA node ends?
 */
static bool is_tidy(const plan_t *plan, int at, int take, int count)
{
    hwloc_const_bitmap_t node;
    int end = at + take;

    if (take == 0)
        return false;
    node = core_at(plan, plan->run[end - 1])->nodeset;
    while (end < count &&
           hwloc_bitmap_isequal(core_at(plan, plan->run[end])->nodeset, node))
        end++;
    return (end - at) % take == 0;
}

/*
 * Give the run of count cores to processes, each a contiguous part that brings
 * all to the same level; some get one more, where NUMA nodes suggest it.
 */
static void share_run(plan_t *plan, int count, hwloc_const_bitmap_t processes)
{
    int level = 0, at = 0;
    int extra, candidates;
    unsigned process;

    while (needed(plan, processes, level + 1) <= count)
        level++;
    extra = count - needed(plan, processes, level);
    candidates = needed(plan, processes, level + 1) - (count - extra);
    hwloc_bitmap_foreach_begin(process, processes)
    {
        int take = level - plan->owned[process];

        if (take >= 0) {
            if (extra == candidates ||
                (extra > 0 && !is_tidy(plan, at, take, count))) {
                take++;
                extra--;
            }
            candidates--;
        }
        for (; take > 0; take--)
            give(plan, plan->run[at++], (int)process);
    }
    hwloc_bitmap_foreach_end();
}

/* Share all cores that the same processes may have as may have core first. */
static void share_alike(plan_t *plan, int first)
{
    hwloc_bitmap_t processes = hwloc_bitmap_dup(plan->eligible[first]);
    int count = 0;

    for (int core = first; core < plan->topology->cores; core++)
        if (hwloc_bitmap_isequal(plan->eligible[core], processes)) {
            plan->run[count++] = core;
            hwloc_bitmap_zero(plan->eligible[core]);
        }
    share_run(plan, count, processes);
    hwloc_bitmap_free(processes);
}

/* A process that came away empty shares the core with the fewest users. */
static void share_core(plan_t *plan, int process)
{
    int best = -1;

    for (int core = 0; core < plan->topology->cores; core++)
        if (may_have(plan, process, core) &&
            (best < 0 || plan->users[core] < plan->users[best]))
            best = core;
    if (best >= 0)
        give(plan, best, process);
}

/* Cores that few may have go first: the others have more to choose from. */
static void share_all(plan_t *plan)
{
    for (int core = 0; core < plan->topology->cores; core++)
        for (int process = 0; process < plan->processes; process++)
            if (may_have(plan, process, core))
                hwloc_bitmap_set(plan->eligible[core], (unsigned)process);
    for (int rivals = 1; rivals <= plan->processes; rivals++)
        for (int core = 0; core < plan->topology->cores; core++)
            if (hwloc_bitmap_weight(plan->eligible[core]) == rivals)
                share_alike(plan, core);
    for (int process = 0; process < plan->processes; process++)
        if (plan->owned[process] == 0)
            share_core(plan, process);
}

/*
 * What every process of local has of the cores, one processor a core.
 *
 * shares_p  out  local->count sets, and more; for hyb_bitmaps_destroy
 * Errors: as hyb_topology_cores
 */
static xh_status_t share(const hyb_topology_t *topology,
                         const hyb_local_t *local, hwloc_bitmap_t **shares_p)
{
    int cores = topology->cores, processes = local->count;
    plan_t plan = {.topology = topology, .processes = processes};
    xh_status_t status = XH_ERR_MEMORY;

    if (local->rank < 0 || local->rank >= processes) {
        xh_log_error("local process %d of %d", local->rank, processes);
        return XH_ERR_ARG;
    }
    plan.shares = hyb_bitmaps_create(2 * processes + cores);
    plan.owned = calloc((size_t)(processes + 2 * cores), sizeof(int));
    if (plan.shares != NULL && plan.owned != NULL) {
        plan.masks = plan.shares + processes;
        plan.eligible = plan.masks + processes;
        plan.users = plan.owned + processes;
        plan.run = plan.users + cores;
        status = read_masks(topology, local, plan.masks);
    }
    if (status == XH_OK) {
        share_all(&plan);
        *shares_p = plan.shares;
    } else {
        hyb_bitmaps_destroy(plan.shares);
    }
    free(plan.owned);
    return status;
}

xh_status_t hyb_topology_cores(const hyb_topology_t *topology,
                               const hyb_local_t *local, int **cpus_p,
                               int *count_p)
{
    hwloc_obj_t processor = NULL;
    hwloc_bitmap_t *shares, mine;
    int *cpus, count = 0;

    XH_TRY(share(topology, local, &shares));
    mine = shares[local->rank];
    cpus = malloc((size_t)hwloc_bitmap_weight(mine) * sizeof(*cpus));
    while (cpus != NULL &&
           (processor = hwloc_get_next_obj_inside_cpuset_by_type(
                topology->machine, mine, HWLOC_OBJ_PU, processor)) != NULL)
        cpus[count++] = (int)processor->os_index;
    hyb_bitmaps_destroy(shares);
    if (cpus == NULL) {
        xh_log_error("no memory for a list of processors");
        return XH_ERR_MEMORY;
    }
    *cpus_p = cpus;
    *count_p = count;
    return XH_OK;
}

/* ---- devices ------------------------------------------------------------- */

typedef struct { /* goods to be given to takers, evenly and at little cost */
    int goods, takers;
    double *cost; /* of each pair: taker t gets good g at [g * takers + t] */
    int *taker;   /* of each good, -1: still to be given */
    int *load;    /* goods of each taker */
    int larger;   /* takers that may still have one more than the others */
} deal_t;

/* The part of the machine that a device hangs on; NULL: unknown, or all. */
static hwloc_obj_t place_of(const hyb_topology_t *topology,
                            const char *pci_address)
{
    hwloc_obj_t device =
        hwloc_get_pcidev_by_busidstring(topology->machine, pci_address);
    hwloc_obj_t place =
        device == NULL
            ? NULL
            : hwloc_get_non_io_ancestor_obj(topology->machine, device);

    return place == NULL || place->parent == NULL ? NULL : place;
}

/* Levels to climb from place until set is met; INT_MAX if place is NULL. */
static int distance(hwloc_obj_t place, hwloc_const_bitmap_t set)
{
    int levels = 0;

    if (place == NULL)
        return INT_MAX;
    while (place->parent != NULL &&
           !hwloc_bitmap_intersects(place->cpuset, set)) {
        place = place->parent;
        levels++;
    }
    return levels;
}

/*
 * Equally far processes are told apart by how much of the place, from 0 to 1,
 * they hold.
 */
static double cost_of(hwloc_obj_t place, hwloc_const_bitmap_t share)
{
    double levels = distance(place, share);

    if (place == NULL || hwloc_bitmap_iszero(place->cpuset))
        return levels;
    return levels - (double)common(share, place->cpuset) /
                        hwloc_bitmap_weight(place->cpuset) / 2;
}

/* Is `pair` a better next step than `other`? Both are numbers in cost. */
static bool is_better(const deal_t *deal, int pair, int other)
{
    double cost = deal->cost[pair], other_cost = deal->cost[other];

    return cost < other_cost ||
           (cost == other_cost &&
            deal->load[pair % deal->takers] < deal->load[other % deal->takers]);
}

static void give_one(deal_t *deal)
{
    int even = deal->goods / deal->takers, best = -1, taker;

    for (int pair = 0; pair < deal->goods * deal->takers; pair++)
        if (deal->taker[pair / deal->takers] < 0 &&
            deal->load[pair % deal->takers] < even + (deal->larger > 0) &&
            (best < 0 || is_better(deal, pair, best)))
            best = pair;
    taker = best % deal->takers;
    deal->taker[best / deal->takers] = taker;
    deal->larger -= deal->load[taker]++ == even;
}

/* The devices of process rank, which has enough or one; returns how many. */
static int list_devices(const deal_t *deal, int rank, bool enough, int *mine)
{
    int count = 0;

    if (!enough)
        mine[count++] = deal->taker[rank];
    for (int i = 0; i < deal->goods && enough; i++)
        if (deal->taker[i] == rank)
            mine[count++] = i;
    return count;
}

/* Devices go to processes or, where these are more, processes to devices. */
xh_status_t hyb_topology_deal(const hyb_topology_t *topology,
                              const hyb_local_t *local,
                              const char *const *pci_addresses,
                              int device_count, int **mine_p, int *mine_count_p)
{
    int processes = local->count, pairs = device_count * processes;
    bool enough = device_count >= processes;
    deal_t deal = {.goods = enough ? device_count : processes,
                   .takers = enough ? processes : device_count};
    hwloc_bitmap_t *shares;
    int *mine, count = 0;

    XH_TRY(share(topology, local, &shares));
    mine = calloc((size_t)device_count + 1, sizeof(*mine));
    deal.cost = calloc((size_t)pairs + 1, sizeof(*deal.cost));
    deal.taker = calloc((size_t)(device_count + processes), sizeof(int));
    if (mine == NULL || deal.cost == NULL || deal.taker == NULL) {
        xh_log_error("no memory to give %d devices to processes", device_count);
        free(mine);
        mine = NULL;
    } else if (device_count > 0) {
        deal.load = deal.taker + deal.goods;
        deal.larger = deal.goods % deal.takers;
        for (int i = 0; i < pairs; i++) {
            int good = i / deal.takers, taker = i % deal.takers;

            deal.taker[good] = -1;
            deal.cost[i] = cost_of(
                place_of(topology, pci_addresses[enough ? good : taker]),
                shares[enough ? taker : good]);
        }
        for (int i = 0; i < deal.goods; i++)
            give_one(&deal);
        count = list_devices(&deal, local->rank, enough, mine);
    }
    hyb_bitmaps_destroy(shares);
    free(deal.taker);
    free(deal.cost);
    if (mine == NULL)
        return XH_ERR_MEMORY;
    *mine_p = mine;
    *mine_count_p = count;
    return XH_OK;
}

void hyb_topology_put_nearest_last(const hyb_topology_t *topology,
                                   const char *pci_address, int *cpus,
                                   int cpu_count)
{
    hwloc_obj_t place = place_of(topology, pci_address);
    int nearest = 0, least = INT_MAX, cpu;

    for (int i = 0; i < cpu_count; i++) {
        hwloc_obj_t processor =
            hwloc_get_pu_obj_by_os_index(topology->machine, (unsigned)cpus[i]);
        int levels = distance(place, processor->cpuset);

        if (levels <= least) {
            least = levels;
            nearest = i;
        }
    }
    cpu = cpus[nearest];
    memmove(cpus + nearest, cpus + nearest + 1,
            (size_t)(cpu_count - 1 - nearest) * sizeof(*cpus));
    cpus[cpu_count - 1] = cpu;
}
