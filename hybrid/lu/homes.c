/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/homes.h"

#include <math.h>
#include <stdlib.h>
#include "base/log.h"
#include "base/settings.h"
#include "hpl/comm/waits.h"
#include "hpl/pauxil/map.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/place_device.h"
#include "hybrid/lu/tuner/home.h"

/* ---- dealing ------------------------------------------------------------- */

/* The highest rate, if all are known; else 0. */
static double highest_rate(const hpl_dealt_t *device, int devices)
{
    double most = 0.0, least = HUGE_VAL;

    for (int d = 0; d < devices; d++) {
        most = fmax(most, device[d].rate);
        least = fmin(least, device[d].rate);
    }
    return least > 0.0 ? most : 0.0;
}

void hyb_homes_deal(const hpl_dealt_t *device, int devices, int64_t blocks,
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

/* All local ones, with b's. */
static int64_t blocks_of(const hpl_shape_t *shape)
{
    hpl_map_t map = hpl_system_column_map(shape);
    int64_t columns_of_a = hpl_map_count(&map, shape->n);

    return xh_units(columns_of_a, shape->nb) +
           (hpl_system_columns(shape) > columns_of_a);
}

/* Devices that get columns. */
static int devices_of(const hyb_means_t *means, int nprow)
{
    int own = hyb_machine_devices(means->machine);

    return nprow > 1 ? Mmin(own, (int)means->figures.devices) : own;
}

/*
 * What devices have for blocks, beside seats for others or without: the blocks
 * that are left then. Where P > 1, what the least of all has.
 *
 * has_room_p  out  each has room for one beside seats
 */
static int64_t ask(const hyb_means_t *means, const hpl_shape_t *shape,
                   int seats, hpl_dealt_t *device, bool *has_room_p)
{
    int64_t all = blocks_of(shape), left = all;

    *has_room_p = true;
    for (int i = 0; i < devices_of(means, shape->nprow); i++) {
        device[i].rate = shape->nprow > 1
                             ? 1.0
                             : hyb_machine_rate(means->machine, i, shape->nb);
        device[i].room = hyb_place_device_room(means, shape, i, seats);
        *has_room_p = *has_room_p && device[i].room > 0;
        if (hyb_home_is_host())
            device[i].room = 0;
        left -= xh_smaller(device[i].room, left);
    }
    return left;
}

/* Who computes what. */
typedef struct {
    int64_t all;
    bool resident;  /* devices compute blocks: all but the team's */
    int64_t guests; /* for so many, the first ones, they have no room */
    int seats; /* of each device for these, as many as leave room for blocks */
    int64_t team; /* blocks of the team, spread among devices' */
} dealt_t;

/* How many of all blocks are the team's? Not all: devices hold some. */
static int64_t team_of(int64_t all, double share)
{
    return xh_smaller((int64_t)(share * (double)all + 0.5), all - 1);
}

static bool is_teams(const dealt_t *dealt, int64_t block)
{
    int64_t team = dealt->team, all = dealt->all;

    return !dealt->resident || (block + 1) * team / all > block * team / all;
}

/* The devices' blocks from .. to - 1. */
static int64_t devices_blocks(const dealt_t *dealt, int64_t from, int64_t to)
{
    int64_t count = 0;

    for (int64_t b = from; b < to; b++)
        count += !is_teams(dealt, b);
    return count;
}

static dealt_t survey(const hyb_means_t *means, const hpl_shape_t *shape,
                      hpl_dealt_t *device)
{
    int64_t all = blocks_of(shape), room;
    bool has_room;
    dealt_t d = {.all = all,
                 .resident = true,
                 .team = team_of(all, hyb_home_share(&means->figures, shape))};

    if (!means->resident)
        return (dealt_t){.all = all};
    if (ask(means, shape, 0, device, &has_room) <= d.team)
        return d;
    d.seats = HYB_SEATS + 1;
    do
        room = all - ask(means, shape, --d.seats, device, &has_room);
    while (!has_room && d.seats > HYB_GUEST_SEATS);
    if (!has_room)
        return (dealt_t){.all = all};
    for (d.guests = all; d.guests > 0; d.guests--)
        if (!is_teams(&d, d.guests - 1) && room-- == 0)
            break;
    return d;
}

static dealt_t dealt_of(const hyb_means_t *means, const hpl_shape_t *shape)
{
    hpl_dealt_t device[HYB_EXECUTORS];

    return survey(means, shape, device);
}

/* The columns of so many blocks of shape's process. */
static int64_t columns_of(const hpl_shape_t *shape, int64_t blocks)
{
    hpl_map_t map;

    if (blocks == blocks_of(shape))
        return hpl_system_columns(shape);
    map = hpl_system_column_map(shape);
    return xh_smaller(blocks * shape->nb, hpl_map_count(&map, shape->n));
}

int64_t hyb_homes_columns_left(const hyb_means_t *means,
                               const hpl_shape_t *shape)
{
    dealt_t d = dealt_of(means, shape);

    return columns_of(shape, d.resident ? d.guests : d.all);
}

int64_t hyb_homes_host_columns(const hyb_means_t *means,
                               const hpl_shape_t *shape)
{
    dealt_t d = dealt_of(means, shape);

    return columns_of(shape, d.all - devices_blocks(&d, d.guests, d.all));
}

bool hyb_homes_has_guests(const hyb_means_t *means, const hpl_shape_t *shape)
{
    return dealt_of(means, shape).guests > 0;
}

int64_t hyb_homes_team_columns(const hyb_means_t *means,
                               const hpl_shape_t *shape)
{
    dealt_t d = dealt_of(means, shape);

    return columns_of(shape, d.all - devices_blocks(&d, 0, d.all));
}

int hyb_homes_checked(const hyb_means_t *means, const hpl_shape_t *shape)
{
    int64_t team = hyb_homes_team_columns(means, shape);
    int devices =
        team < hpl_system_columns(shape) ? devices_of(means, shape->nprow) : 0;

    return means->checked ? (team > 0 || devices == 0) + devices : 0;
}

/* The last blocks are check columns: of the host if it has columns, and of each
 * device. */
static void deal_check_columns(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;
    int64_t b = lu->ledger.check;
    int devices = h->resident ? h->places - 1 : 0;
    bool host = lu->ledger.blocks - b > devices;

    for (int i = 0; i < h->places; i++) {
        bool any = lu->ledger.blocks > b && (i > 0 ? h->resident : host);

        h->check[i] = any ? b++ : -1;
        if (any && h->number != NULL)
            h->number[h->check[i]] = i;
    }
}

/* The devices' blocks from .. to - 1 go to them, as each has room. */
static xh_status_t deal_run(hyb_homes_t *h, const dealt_t *dealt, int64_t from,
                            int64_t to, const hpl_dealt_t *device, int devices)
{
    int64_t count = devices_blocks(dealt, from, to), next = 0;
    int *device_p = calloc((size_t)count + 1, sizeof(*device_p));

    if (device_p == NULL)
        return XH_ERR_MEMORY;
    hyb_homes_deal(device, devices, count, device_p);
    for (int64_t b = from; b < to; b++)
        if (is_teams(dealt, b))
            h->team_end = b + 1;
        else
            h->number[b] = 1 + device_p[next++];
    free(device_p);
    return XH_OK;
}

/* Guests only by rate: they find no room, but seats. */
static xh_status_t deal(hyb_lu_t *lu, const dealt_t *dealt, hpl_dealt_t *device,
                        int devices)
{
    hyb_homes_t *h = &lu->homes;
    hpl_dealt_t seats[HYB_EXECUTORS];

    for (int i = 0; i < devices; i++)
        seats[i] = (hpl_dealt_t){.rate = device[i].rate, .room = dealt->guests};
    h->number = calloc((size_t)lu->ledger.blocks + 1, sizeof(*h->number));
    if (h->number == NULL)
        return XH_ERR_MEMORY;
    lu->ledger.place = h->number;
    h->team_end = 0;
    XH_TRY(deal_run(h, dealt, 0, dealt->guests, seats, devices));
    return deal_run(h, dealt, dealt->guests, dealt->all, device, devices);
}

xh_status_t hyb_homes_deal_blocks(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;
    hpl_shape_t shape = hpl_system_shape(lu->grid, lu->mat->n, lu->mat->nb);
    hpl_dealt_t device[HYB_EXECUTORS];
    int devices = devices_of(&lu->means, shape.nprow);
    dealt_t dealt = survey(&lu->means, &shape, device);

    h->blocks = lu->ledger.blocks;
    h->seats = dealt.seats;
    h->resident = dealt.resident;
    h->takes_visits =
        !dealt.resident && hyb_machine_working_devices(lu->means.machine) > 0;
    h->places = h->resident       ? 1 + devices
                : h->takes_visits ? 1 + hyb_machine_devices(lu->means.machine)
                                  : 1;
    h->guests = dealt.guests;
    h->team_end = lu->ledger.blocks;
    if (h->resident)
        XH_TRY(deal(lu, &dealt, device, devices));
    deal_check_columns(lu);
    return XH_OK;
}

/* Does each device reach every other one? */
static bool are_peers(const hyb_homes_t *h)
{
    bool all = h->resident && h->places > 2;

    for (int i = 1; i < h->places && all; i++)
        for (int j = 1; j < h->places && all; j++)
            all = i == j || hyb_place_device_reaches(h->place[i], h->place[j]);
    return all;
}

xh_status_t hyb_homes_create(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;

    h->host = hyb_place_host;
    h->host.lu = lu;
    h->place[0] = &h->host;
    for (int i = 1; i < h->places; i++)
        XH_TRY(hyb_place_device_create(lu, i, &h->place[i]));
    h->peers = are_peers(h);
    for (int i = 1; i < h->places; i++) {
        XH_TRY(hyb_place_device_open_body(h->place[i]));
        XH_TRY(hyb_place_device_warm_up(h->place[i]));
    }
    return XH_OK;
}

bool hyb_homes_have_panel(const hyb_homes_t *h, int k)
{
    for (int i = 1; i < h->places; i++)
        if (!h->place[i]->has_panel(h->place[i], k))
            return false;
    return true;
}

static bool can_factor(const hyb_homes_t *h)
{
    for (int i = 1; i < h->places; i++)
        if (h->place[i]->factor_panel == NULL)
            return false;
    return true;
}

void hyb_homes_agree(hyb_lu_t *lu)
{
    hyb_homes_t *h = &lu->homes;

    h->can_factor = can_factor(h);
    if (!h->can_factor && lu->grid->iam == 0 && lu->means.self_test == NULL &&
        strcmp(hyb_means_panel(&lu->means), "device") == 0)
        xh_log_info("panel=device: a device of process 0 cannot factor panels: "
                    "the cores factor them");
    if (lu->grid->nprow > 1)
        hpl_waits_allreduce(&h->can_factor, 1, MPI_INT, MPI_MIN,
                            lu->grid->col_comm);
}

void hyb_homes_destroy(hyb_homes_t *h)
{
    while (h->places > 1)
        hyb_place_device_destroy(h->place[--h->places]);
    free(h->number);
}
