/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/node/topology_private.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

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
    return levels - (double)hyb_bitmap_common(share, place->cpuset) /
                        hwloc_bitmap_weight(place->cpuset) / 2;
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
    int taker;

    for (int pair = 0; pair < deal->goods * deal->takers; pair++)
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
static void deal_places(deal_t *deal, const hwloc_obj_t *places,
                        const hwloc_bitmap_t *shares, bool enough)
{
    for (int good = 0; good < deal->goods; good++) {
        deal->taker[good] = -1;
        for (int taker = 0; taker < deal->takers; taker++)
            deal->cost[good * deal->takers + taker] =
                enough ? cost_of(places[good], shares[taker])
                       : cost_of(places[taker], shares[good]);
    }
    for (int i = 0; i < deal->goods; i++)
        give_one(deal);
}

/* The devices of process rank; returns how many. */
static int list_devices(const deal_t *deal, int rank, bool enough, int *mine)
{
    int count = 0;

    if (!enough) {
        mine[0] = deal->taker[rank];
        return 1;
    }
    for (int i = 0; i < deal->goods; i++)
        if (deal->taker[i] == rank)
            mine[count++] = i;
    return count;
}

xh_status_t hyb_topology_deal(const hyb_topology_t *topology,
                              const hyb_local_t *local,
                              const char *const *pci_addresses,
                              int device_count, int **mine_p, int *mine_count_p)
{
    bool enough = device_count >= local->count;
    size_t devices = (size_t)device_count, processes = (size_t)local->count;
    deal_t deal = {.goods = enough ? device_count : local->count,
                   .takers = enough ? local->count : device_count};
    hwloc_obj_t *places = calloc(devices + 1, sizeof(*places));
    int *mine = calloc(devices + 1, sizeof(*mine));
    hwloc_bitmap_t *shares = NULL;
    xh_status_t status = XH_ERR_MEMORY;
    int count = 0;

    deal.cost = calloc(devices * processes + 1, sizeof(*deal.cost));
    deal.taker = calloc(devices + processes, sizeof(*deal.taker));
    if (places == NULL || mine == NULL || deal.cost == NULL ||
        deal.taker == NULL)
        xh_log_error("no memory to give %d devices to processes", device_count);
    else
        status = hyb_topology_share(topology, local, &shares);
    if (status == XH_OK && device_count > 0) {
        deal.load = deal.taker + deal.goods;
        deal.larger = deal.goods % deal.takers;
        for (int i = 0; i < device_count; i++)
            places[i] = place_of(topology, pci_addresses[i]);
        deal_places(&deal, places, shares, enough);
        count = list_devices(&deal, local->rank, enough, mine);
    }
    if (status == XH_OK) {
        *mine_p = mine;
        *mine_count_p = count;
        mine = NULL;
    }
    hyb_bitmaps_destroy(shares);
    free(deal.taker);
    free(deal.cost);
    free(mine);
    free(places);
    return status;
}

void hyb_topology_put_near_last(const hyb_topology_t *topology,
                                const char *pci_address, int *cpus,
                                int cpu_count, int count)
{
    hwloc_obj_t place = place_of(topology, pci_address);

    for (; count > 0 && cpu_count > 0; count--, cpu_count--) {
        int nearest = 0, least = INT_MAX, cpu;

        for (int i = 0; i < cpu_count; i++) {
            hwloc_obj_t processor = hwloc_get_pu_obj_by_os_index(
                topology->machine, (unsigned)cpus[i]);
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
}
