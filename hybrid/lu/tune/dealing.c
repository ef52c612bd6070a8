/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/dealing.h"

#include <math.h>
#include "base/integers.h"
#include "hpl.h"
#include "hpl/pauxil/map.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/residence.h"
#include "hybrid/lu/tune/sizes.h"

/* ---- by rate ------------------------------------------------------------- */

/* The highest rate, or 0 if any rate is unknown. */
static double highest_rate(const hpl_dealt_t *device, int devices)
{
    double most = 0.0, least = HUGE_VAL;

    for (int d = 0; d < devices; d++) {
        most = fmax(most, device[d].rate);
        least = fmin(least, device[d].rate);
    }
    return least > 0.0 ? most : 0.0;
}

void hyb_deal_by_rate(const hpl_dealt_t *device, int devices, int64_t blocks,
                      int *device_p)
{
    double most = highest_rate(device, devices);
    hpl_dealt_t to[HYB_EXECUTORS];

    for (int d = 0; d < devices; d++)
        to[d] = (hpl_dealt_t){
            .rate = most > 0.0 ? hpl_deal_round(device[d].rate, most) : 1.0,
            .room = device[d].room};
    hpl_deal_blocks(to, devices, blocks, blocks, device_p);
}

/* ---- homes of a process -------------------------------------------------- */

/* Number of local blocks, b's included. */
static int64_t blocks_of(const hpl_shape_t *shape)
{
    hpl_map_t map = hpl_system_column_map(shape);
    int64_t columns_of_a = hpl_map_count(&map, shape->n);

    return xh_units(columns_of_a, shape->nb) +
           (hpl_system_columns(shape) > columns_of_a);
}

/* Number of devices that get columns. */
static int devices_of(const hyb_resources_t *resources, int nprow)
{
    int own = hyb_machine_devices(resources->machine);

    return nprow > 1 ? Mmin(own, (int)resources->figures.devices) : own;
}

/* Number of blocks of nb columns for which a device has room besides its seats.
 */
static int64_t room_of(const hyb_resources_t *resources,
                       const hpl_shape_t *shape, int device, int seats)
{
    double memory =
        shape->nprow > 1
            ? resources->figures.memory
            : (double)hyb_machine_memory(resources->machine, device);
    int width = hyb_residence_group(&resources->figures, shape);
    hyb_extent_t e =
        hyb_residence_extent(shape, width, seats, resources->checked);

    return hyb_sizes_blocks(&e, memory);
}

/*
 * Compute how many blocks each device has room for, besides `seats` seats. If P
 * > 1, every device counts as the smallest. Returns the number of blocks left
 * over.
 *
 * has_room_p  out  does each device have room for a block besides the seats?
 */
static int64_t ask(hyb_dealing_t *dealing, const hyb_resources_t *resources,
                   const hpl_shape_t *shape, int seats, bool *has_room_p)
{
    int64_t left = dealing->all;

    *has_room_p = true;
    for (int i = 0; i < dealing->devices; i++) {
        int64_t room = room_of(resources, shape, i, seats);

        *has_room_p = *has_room_p && room > 0;
        dealing->device[i] = (hpl_dealt_t){
            .rate = shape->nprow > 1
                        ? 1.0
                        : hyb_machine_rate(resources->machine, i, shape->nb),
            .room = hyb_residence_is_host() ? 0 : room};
        left -= xh_smaller(dealing->device[i].room, left);
    }
    return left;
}

/* Number of the team's blocks: fewer than all, because devices hold some. */
static int64_t team_of(int64_t all, double share)
{
    return xh_smaller((int64_t)(share * (double)all + 0.5), all - 1);
}

bool hyb_dealing_is_teams(const hyb_dealing_t *dealing, int64_t block)
{
    int64_t team = dealing->team, all = dealing->all;

    return !dealing->resident || (block + 1) * team / all > block * team / all;
}

int64_t hyb_dealing_devices_blocks(const hyb_dealing_t *dealing, int64_t from,
                                   int64_t to)
{
    int64_t count = 0;

    for (int64_t b = from; b < to; b++)
        count += !hyb_dealing_is_teams(dealing, b);
    return count;
}

hyb_dealing_t hyb_deal(const hyb_resources_t *resources,
                       const hpl_shape_t *shape)
{
    int64_t all = blocks_of(shape), room;
    bool has_room;
    hyb_dealing_t d = {.all = all,
                       .resident = true,
                       .devices = devices_of(resources, shape->nprow)};

    if (!resources->resident)
        return (hyb_dealing_t){.all = all};
    d.team = team_of(all, hyb_residence_share(&resources->figures, shape));
    if (ask(&d, resources, shape, 0, &has_room) <= d.team)
        return d;
    d.seats = HYB_SEATS + 1;
    do
        room = all - ask(&d, resources, shape, --d.seats, &has_room);
    while (!has_room && d.seats > HYB_GUEST_SEATS);
    if (!has_room)
        return (hyb_dealing_t){.all = all};
    for (d.guests = all; d.guests > 0; d.guests--)
        if (!hyb_dealing_is_teams(&d, d.guests - 1) && room-- == 0)
            break;
    return d;
}

/* Number of columns in the first `blocks` blocks of this process. */
static int64_t columns_of(const hpl_shape_t *shape, int64_t blocks)
{
    hpl_map_t map;

    if (blocks == blocks_of(shape))
        return hpl_system_columns(shape);
    map = hpl_system_column_map(shape);
    return xh_smaller(blocks * shape->nb, hpl_map_count(&map, shape->n));
}

int64_t hyb_deal_columns_left(const hyb_resources_t *resources,
                              const hpl_shape_t *shape)
{
    hyb_dealing_t d = hyb_deal(resources, shape);

    return columns_of(shape, d.resident ? d.guests : d.all);
}

int64_t hyb_deal_host_columns(const hyb_resources_t *resources,
                              const hpl_shape_t *shape)
{
    hyb_dealing_t d = hyb_deal(resources, shape);

    return columns_of(shape,
                      d.all - hyb_dealing_devices_blocks(&d, d.guests, d.all));
}

int64_t hyb_deal_team_columns(const hyb_resources_t *resources,
                              const hpl_shape_t *shape)
{
    hyb_dealing_t d = hyb_deal(resources, shape);

    return columns_of(shape, d.all - hyb_dealing_devices_blocks(&d, 0, d.all));
}

int hyb_deal_checked(const hyb_resources_t *resources, const hpl_shape_t *shape)
{
    int64_t team = hyb_deal_team_columns(resources, shape);
    int devices = team < hpl_system_columns(shape)
                      ? devices_of(resources, shape->nprow)
                      : 0;

    return resources->checked ? (team > 0 || devices == 0) + devices : 0;
}
