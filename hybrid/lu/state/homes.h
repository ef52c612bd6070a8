/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/integers.h"
#include "hpl/pauxil/map.h"
#include "hpl_solver.h"
#include "hybrid/device/machine.h"
#include "hybrid/lu/state/place.h"

/*
 * Block columns that do not fit on the devices live in host memory. They come
 * to a device once for each group of panels, and for good HYB_GROUP_LEAD
 * iterations before they are factored.
 */
enum {
    HYB_SEATS = 7,       /* of a device, at most */
    HYB_GUEST_SEATS = 4, /* for guests, at least: three guests stay */
    /* For visitors, at least: one comes while another leaves. */
    HYB_VISITOR_SEATS = 2
};

/*
 * Where each local block column is computed, and in whose memory it lives. This
 * is fixed before the run. Devices compute the columns that they hold. Columns
 * that do not fit are the leftmost, which are finished first. They are the
 * devices' guests: they live in host memory and come to a device, each time for
 * several panels at once. Where devices hold no columns and have no guests, the
 * team computes all columns, and devices multiply some of them, which visit for
 * one product (visits.h).
 *
 * Between the devices' blocks, guests included, lie the blocks of the team's
 * share: as many as the team computes in the same time, evenly spread, so that
 * the balance lasts until the end (hyb_residence_share).
 *
 * If P > 1, all processes of a process column deal columns in the same way: to
 * as many devices as each process has, by the smallest memory. Each place that
 * computes columns has check columns, behind all other columns.
 */
typedef struct {
    int64_t blocks;   /* of the process, check columns included */
    int64_t guests;   /* devices' blocks below this number are guests */
    int64_t team_end; /* end of the blocks that the team computes, check columns
                         aside; 0: there are none */
    bool resident; /* devices compute columns: they hold some, or have guests */
    bool takes_visits; /* devices multiply columns of the host */
    int seats;         /* of a device that holds columns, for guests */
    int *number;    /* number of each block's place; NULL: all are the host's */
    bool peers;     /* devices read each other's memory: there they find L2 of
                       panels that a device factored, except guests' panels */
    int can_factor; /* devices can factor panels of their columns, here and on
                       the other processes of the process column */
    hyb_place_t host;
    struct hyb_panel_choice *choice; /* who factors panels */
    int places;                      /* the host, number 0, and the devices */
    hyb_place_t *place[HYB_EXECUTORS];
    int64_t check[HYB_EXECUTORS]; /* the block of each place's check columns, or
                                     -1 */
    struct {         /* what devices did in this run, visitors included */
        double flop; /* of all iterations so far */
        hpl_device_work_t did[HYB_EXECUTORS - 1]; /* of each device */
        double waited[HYB_EXECUTORS - 1]; /* s with nothing to multiply */
        hyb_traffic_t before; /* sums over devices before the run began */
        /* Operations queued on each device when the newest iteration opened. */
        uint64_t operations[HYB_EXECUTORS - 1];
        /* Operations that an iteration queued on one device, at most. */
        uint64_t most_operations;
    } devices;
} hyb_homes_t;

/* The number of the place that computes `block`. */
static inline int hyb_place_number(const hyb_homes_t *homes, int64_t block)
{
    return homes->number != NULL ? homes->number[block] : 0;
}

static inline hyb_place_t *hyb_place_of(const hyb_homes_t *homes, int64_t block)
{
    return homes->place[hyb_place_number(homes, block)];
}

/* The first local block to the right of panel k, where blocks have `nb`
 * columns. */
static inline int64_t hyb_homes_first_behind(const HPL_T_grid *grid, int64_t nb,
                                             int k)
{
    hpl_map_t map = hpl_map_columns(grid, nb);

    return hpl_map_block_count(&map, (int64_t)k + 1);
}

/* Does the team compute blocks behind panel k, and so read the panel? */
static inline bool hyb_homes_team_reads(const hyb_homes_t *homes,
                                        const HPL_T_grid *grid, int64_t nb,
                                        int k)
{
    return hyb_homes_first_behind(grid, nb, k) < homes->team_end;
}

static inline bool hyb_homes_is_guest(const hyb_homes_t *homes, int64_t block)
{
    return block < homes->guests && hyb_place_number(homes, block) > 0;
}

static inline bool hyb_homes_in_host_memory(const hyb_homes_t *homes,
                                            int64_t block)
{
    return hyb_homes_is_guest(homes, block) ||
           hyb_place_number(homes, block) == 0;
}

/* The place whose memory holds `block` while no guest is on its way. */
static inline hyb_place_t *hyb_homes_memory(hyb_homes_t *homes, int64_t block)
{
    return hyb_homes_in_host_memory(homes, block) ? &homes->host
                                                  : hyb_place_of(homes, block);
}

/* Do the other devices copy L2 of `block`'s panel from the device that factored
 * it? */
static inline bool hyb_homes_by_peers(const hyb_homes_t *homes, int64_t block)
{
    return homes->peers && !hyb_homes_is_guest(homes, block);
}

/* Have all devices received panel k? Always true before the first panel. */
static inline bool hyb_homes_have_panel(const hyb_homes_t *homes, int k)
{
    for (int i = 1; i < homes->places; i++)
        if (!homes->place[i]->has_panel(homes->place[i], k))
            return false;
    return true;
}
