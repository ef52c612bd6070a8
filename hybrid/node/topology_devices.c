/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/node/topology_private.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/log.h"

typedef struct { /* goods to be given to takers, evenly and at little cost */
    int goods, takers;
    double *cost; /* of each pair: taker t gets good g at [g * takers + t] */
    int *taker;   /* of each good, -1: still to be given */
    int *load;    /* goods of each taker */
    int larger;   /* takers that may still have one more than the others */
} deal_t;

typedef struct { /* a processor that may serve a device */
    int cpu;
    int distance; /* from the device */
    int position; /* in the caller's list */
} candidate_t;

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

/* How much of part lies in whole, from 0 to 1. */
static double coverage(hwloc_const_bitmap_t whole, hwloc_const_bitmap_t part)
{
    double common = 0;
    unsigned id;

    hwloc_bitmap_foreach_begin(id, part)
    {
        common += hwloc_bitmap_isset(whole, id);
    }
    hwloc_bitmap_foreach_end();
    return common / hwloc_bitmap_weight(whole);
}

/* Equally far processes are told apart by how much of the place they hold. */
static double cost_of(hwloc_obj_t place, hwloc_const_bitmap_t share)
{
    double levels = distance(place, share);

    if (place == NULL || hwloc_bitmap_iszero(place->cpuset))
        return levels;
    return levels - coverage(place->cpuset, share) / 2;
}

static void close_deal(deal_t *deal)
{
    free(deal->cost);
    free(deal->taker);
    free(deal->load);
}

static xh_status_t open_deal(int goods, int takers, deal_t *deal_p)
{
    int i;

    *deal_p = (deal_t){.goods = goods, .takers = takers};
    deal_p->cost =
        calloc((size_t)goods * (size_t)takers, sizeof(*deal_p->cost));
    deal_p->taker = calloc((size_t)goods, sizeof(*deal_p->taker));
    deal_p->load = calloc((size_t)takers, sizeof(*deal_p->load));
    if (deal_p->cost == NULL || deal_p->taker == NULL || deal_p->load == NULL) {
        xh_log_error("no memory to give %d devices to processes", goods);
        close_deal(deal_p);
        return XH_ERR_MEMORY;
    }
    for (i = 0; i < goods; i++)
        deal_p->taker[i] = -1;
    deal_p->larger = goods % takers;
    return XH_OK;
}

static bool has_room(const deal_t *deal, int taker)
{
    int even = deal->goods / deal->takers;

    return deal->load[taker] < even + (deal->larger > 0);
}

/* Of two pairs, numbered as in cost, the first is the better next step. */
static bool is_better(const deal_t *deal, int pair, int other)
{
    double cost = deal->cost[pair], other_cost = deal->cost[other];

    return cost < other_cost ||
           (cost == other_cost &&
            deal->load[pair % deal->takers] < deal->load[other % deal->takers]);
}

static void give_one(deal_t *deal)
{
    int best = -1;
    int pair, taker;

    for (pair = 0; pair < deal->goods * deal->takers; pair++)
        if (deal->taker[pair / deal->takers] < 0 &&
            has_room(deal, pair % deal->takers) &&
            (best < 0 || is_better(deal, pair, best)))
            best = pair;
    taker = best % deal->takers;
    deal->taker[best / deal->takers] = taker;
    deal->larger -= deal->load[taker] == deal->goods / deal->takers;
    deal->load[taker]++;
}

/* Devices go to processes or, where these are more, processes to devices. */
static void set_costs(deal_t *deal, const hwloc_obj_t *places,
                      const hwloc_bitmap_t *shares, bool enough)
{
    int good, taker;

    for (good = 0; good < deal->goods; good++)
        for (taker = 0; taker < deal->takers; taker++)
            deal->cost[good * deal->takers + taker] =
                enough ? cost_of(places[good], shares[taker])
                       : cost_of(places[taker], shares[good]);
}

/* The devices of process rank; mine has room for all. */
static int list_devices(const deal_t *deal, int rank, bool enough, int *mine)
{
    int count = 0;
    int i;

    if (!enough) {
        mine[0] = deal->taker[rank];
        return 1;
    }
    for (i = 0; i < deal->goods; i++)
        if (deal->taker[i] == rank)
            mine[count++] = i;
    return count;
}

/* mine has room for all device_count > 0 devices. */
static xh_status_t deal_places(const hwloc_obj_t *places, int device_count,
                               const hwloc_bitmap_t *shares,
                               const hyb_local_t *local, int *mine,
                               int *mine_count_p)
{
    bool enough = device_count >= local->count;
    xh_status_t status;
    deal_t deal;
    int i;

    status = open_deal(enough ? device_count : local->count,
                       enough ? local->count : device_count, &deal);
    if (status != XH_OK)
        return status;
    set_costs(&deal, places, shares, enough);
    for (i = 0; i < deal.goods; i++)
        give_one(&deal);
    *mine_count_p = list_devices(&deal, local->rank, enough, mine);
    close_deal(&deal);
    return XH_OK;
}

xh_status_t hyb_topology_deal(const hyb_topology_t *topology,
                              const hyb_local_t *local,
                              const char *const *pci_addresses,
                              int device_count, int **mine_p, int *mine_count_p)
{
    size_t room = (size_t)device_count + 1;
    hwloc_obj_t *places = calloc(room, sizeof(hwloc_obj_t));
    int *mine = calloc(room, sizeof(int));
    hwloc_bitmap_t *shares = NULL;
    xh_status_t status = XH_ERR_MEMORY;
    int count = 0;
    int i;

    if (places == NULL || mine == NULL) {
        xh_log_error("no memory for the places of %d devices", device_count);
        goto done;
    }
    status = hyb_topology_share(topology, local, &shares);
    if (status != XH_OK)
        goto done;
    for (i = 0; i < device_count; i++)
        places[i] = place_of(topology, pci_addresses[i]);
    if (device_count > 0)
        status = deal_places(places, device_count, shares, local, mine, &count);
    if (status == XH_OK) {
        *mine_p = mine;
        *mine_count_p = count;
        mine = NULL;
    }
done:
    hyb_bitmaps_destroy(shares, local->count);
    free(mine);
    free(places);
    return status;
}

static int nearer(const void *left, const void *right)
{
    const candidate_t *a = left, *b = right;

    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return b->position - a->position;
}

static xh_status_t measure(const hyb_topology_t *topology,
                           const char *pci_address, const int *cpus,
                           int cpu_count, candidate_t *candidates)
{
    hwloc_obj_t place = place_of(topology, pci_address);
    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    int i;

    if (one == NULL) {
        xh_log_error("no memory to look for cores near a device");
        return XH_ERR_MEMORY;
    }
    for (i = 0; i < cpu_count; i++) {
        hwloc_bitmap_only(one, (unsigned)cpus[i]);
        candidates[i] = (candidate_t){
            .cpu = cpus[i], .distance = distance(place, one), .position = i};
    }
    hwloc_bitmap_free(one);
    return XH_OK;
}

xh_status_t hyb_topology_near(const hyb_topology_t *topology,
                              const char *pci_address, const int *cpus,
                              int cpu_count, int count, int **near_p)
{
    xh_status_t status = XH_ERR_MEMORY;
    candidate_t *candidates;
    int *near;
    int i;

    if (count < 0 || count > cpu_count) {
        xh_log_error("%d cores near a device, out of %d", count, cpu_count);
        return XH_ERR_ARG;
    }
    candidates = calloc((size_t)cpu_count + 1, sizeof(*candidates));
    near = calloc((size_t)count + 1, sizeof(*near));
    if (candidates == NULL || near == NULL)
        xh_log_error("no memory to look for cores near a device");
    else
        status = measure(topology, pci_address, cpus, cpu_count, candidates);
    if (status == XH_OK) {
        qsort(candidates, (size_t)cpu_count, sizeof(*candidates), nearer);
        for (i = 0; i < count; i++)
            near[i] = candidates[i].cpu;
        *near_p = near;
        near = NULL;
    }
    free(near);
    free(candidates);
    return status;
}
