/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/node/topology_private.h"

#include <stdbool.h>
#include <stdlib.h>
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

/*
 * The processor of core that its next user takes: the second user gets the
 * second hardware thread, if its mask allows.
 */
static int pick_processor(hwloc_obj_t core, hwloc_const_bitmap_t mask, int turn)
{
    unsigned id;

    turn %= hyb_bitmap_common(core->cpuset, mask);
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
                            plan->users[core]);

    hwloc_bitmap_set(plan->shares[process], (unsigned)id);
    plan->users[core]++;
    plan->owned[process]++;
}

static void find_eligible(plan_t *plan)
{
    for (int core = 0; core < plan->topology->cores; core++)
        for (int process = 0; process < plan->processes; process++)
            if (hwloc_bitmap_intersects(core_at(plan, core)->cpuset,
                                        plan->masks[process]))
                hwloc_bitmap_set(plan->eligible[core], (unsigned)process);
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

static bool same_node(const plan_t *plan, int core, int other)
{
    return hwloc_bitmap_isequal(core_at(plan, core)->nodeset,
                                core_at(plan, other)->nodeset);
}

/*
 * Do shares of take cores, from position at of the run of count cores on, end
 * where a NUMA node ends?
 */
static bool is_tidy(const plan_t *plan, int at, int take, int count)
{
    int end = at + take;

    if (take == 0)
        return false;
    while (end < count &&
           same_node(plan, plan->run[end], plan->run[at + take - 1]))
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
        if (hwloc_bitmap_intersects(core_at(plan, core)->cpuset,
                                    plan->masks[process]) &&
            (best < 0 || plan->users[core] < plan->users[best]))
            best = core;
    if (best >= 0)
        give(plan, best, process);
}

/* Cores that few may have go first: the others have more to choose from. */
static void share_all(plan_t *plan)
{
    find_eligible(plan);
    for (int rivals = 1; rivals <= plan->processes; rivals++)
        for (int core = 0; core < plan->topology->cores; core++)
            if (hwloc_bitmap_weight(plan->eligible[core]) == rivals)
                share_alike(plan, core);
    for (int process = 0; process < plan->processes; process++)
        if (plan->owned[process] == 0)
            share_core(plan, process);
}

xh_status_t hyb_topology_share(const hyb_topology_t *topology,
                               const hyb_local_t *local,
                               hwloc_bitmap_t **shares_p)
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
        plan.shares = NULL;
    }
    hyb_bitmaps_destroy(plan.shares);
    free(plan.owned);
    return status;
}

/* The processors of share in hwloc's order of cores. */
static xh_status_t list_processors(const hyb_topology_t *topology,
                                   hwloc_const_bitmap_t share, int **cpus_p,
                                   int *count_p)
{
    int *cpus = malloc((size_t)hwloc_bitmap_weight(share) * sizeof(*cpus));
    int count = 0;

    if (cpus == NULL) {
        xh_log_error("no memory for a list of processors");
        return XH_ERR_MEMORY;
    }
    for (int core = 0; core < topology->cores; core++) {
        hwloc_obj_t object = hyb_topology_core(topology, core);

        if (hwloc_bitmap_intersects(object->cpuset, share))
            cpus[count++] = pick_processor(object, share, 0);
    }
    *cpus_p = cpus;
    *count_p = count;
    return XH_OK;
}

xh_status_t hyb_topology_cores(const hyb_topology_t *topology,
                               const hyb_local_t *local, int **cpus_p,
                               int *count_p)
{
    hwloc_bitmap_t *shares;
    xh_status_t status;

    XH_TRY(hyb_topology_share(topology, local, &shares));
    status = list_processors(topology, shares[local->rank], cpus_p, count_p);
    hyb_bitmaps_destroy(shares);
    return status;
}
