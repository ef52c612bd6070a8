/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/integers.h"
#include "hpl/pauxil/deal.h"
#include "hpl_solver.h"
#include "hybrid/device/machine.h"
#include "hybrid/lu/state/place.h"

/*
 * Block columns for which devices have no room live in host memory and come to
 * a device once for each group of panels, and for good HYB_GROUP_LEAD
 * iterations before they are factored.
 */
enum {
    HYB_SEATS = 7,        /* at most, of a device */
    HYB_GUEST_SEATS = 4,  /* at least: three guests stay */
    HYB_VISITOR_SEATS = 2 /* likewise: one comes while another one leaves */
};

/*
 * Where each local block column is computed, and whose memory it lives in, from
 * before the run until its end. Devices compute those that they hold. Those
 * that they have no room for are on the left, as they are finished first, and
 * their guests: they live in host memory and come, each time for several panels
 * at once. Where devices hold none, all are the team's, and devices multiply
 * some of them, which visit for one product (visits.h).
 *
 * Between the blocks of devices, guests too, stand as many of the team's as it
 * computes in the same time, evenly spread, so that this holds until the end
 * (hyb_residence_share).
 *
 * All processes of a process column deal alike, P > 1: to as many devices as
 * each of them has, by the least memory. Each place that computes columns has
 * check columns, too, behind all others.
 */
typedef struct {
    int64_t blocks;    /* of the process, check columns too */
    int64_t guests;    /* of so many, the first ones, devices' are guests */
    int64_t team_end;  /* behind the last block that the team computes, beside
                          its check columns; 0: there is none */
    bool resident;     /* devices compute columns: hold some, or have guests */
    bool takes_visits; /* devices multiply columns of the host */
    int seats;         /* of a device that holds columns, for others */
    int *number;       /* of each block's place; NULL: all are the host's */
    bool peers; /* devices reach each other's memory: from there they get L2 of
                   what they factored, but for guests' */
    int can_factor; /* devices, panels of their columns, here and on the other
                       processes of the process column */
    hyb_place_t host;
    struct hyb_panel_choice *choice; /* who factors panels */
    int places;                      /* the host, number 0, and one a device */
    hyb_place_t *place[HYB_EXECUTORS];
    int64_t check[HYB_EXECUTORS]; /* the block of its check columns, or -1 */
    struct {         /* what devices did in this run, for visitors too */
        double flop; /* of all iterations so far */
        hpl_device_work_t did[HYB_EXECUTORS - 1]; /* each */
        double waited[HYB_EXECUTORS - 1]; /* s with nothing to multiply */
        double up, down; /* bytes of their links before it began */
    } devices;
} hyb_homes_t;

/* The number of block's place. */
static inline int hyb_home_number(const hyb_homes_t *homes, int64_t block)
{
    return homes->number != NULL ? homes->number[block] : 0;
}

static inline hyb_place_t *hyb_home_of(const hyb_homes_t *homes, int64_t block)
{
    return homes->place[hyb_home_number(homes, block)];
}

static inline bool hyb_homes_is_guest(const hyb_homes_t *homes, int64_t block)
{
    return block < homes->guests && hyb_home_number(homes, block) > 0;
}

static inline bool hyb_homes_in_host_memory(const hyb_homes_t *homes,
                                            int64_t block)
{
    return hyb_homes_is_guest(homes, block) ||
           hyb_home_number(homes, block) == 0;
}

/* The place whose memory has block while no guest is on its way. */
static inline hyb_place_t *hyb_homes_memory(hyb_homes_t *homes, int64_t block)
{
    return hyb_homes_in_host_memory(homes, block) ? &homes->host
                                                  : hyb_home_of(homes, block);
}

/* Does L2 of block's panel come from the device that factored it to the others?
 */
static inline bool hyb_homes_by_peers(const hyb_homes_t *homes, int64_t block)
{
    return homes->peers && !hyb_homes_is_guest(homes, block);
}

/* Has panel k come up to all devices? True before the first one. */
static inline bool hyb_homes_have_panel(const hyb_homes_t *homes, int k)
{
    for (int i = 1; i < homes->places; i++)
        if (!homes->place[i]->has_panel(homes->place[i], k))
            return false;
    return true;
}
