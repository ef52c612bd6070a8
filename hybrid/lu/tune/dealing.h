/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl/pauxil/deal.h"
#include "hpl_solver.h"
#include "hybrid/lu/state/resources.h"

/*
 * Which block columns of a process live where; state/homes.h explains it. The
 * functions are pure, so a run and whoever asks before it get the same answer.
 */
typedef struct {
    int64_t all;    /* blocks of the process, b's included */
    bool resident;  /* devices compute all blocks but the team's */
    int64_t guests; /* the first `guests` blocks do not fit on devices; devices'
                       blocks among them are guests */
    int seats; /* of each device for guests, as many as leave room for blocks */
    int64_t team; /* blocks of the team, spread among the devices' */
    int devices;  /* devices that get blocks; each has rate and room: */
    hpl_dealt_t device[HYB_EXECUTORS];
} hyb_dealing_t;

hyb_dealing_t hyb_deal(const hyb_resources_t *resources,
                       const hpl_shape_t *shape);

bool hyb_dealing_is_teams(const hyb_dealing_t *dealing, int64_t block);

/* How many of blocks from .. to - 1 are the devices'? */
int64_t hyb_dealing_devices_blocks(const hyb_dealing_t *dealing, int64_t from,
                                   int64_t to);

/*
 * Deal blocks as hpl_deal_blocks does, with rounded rates. If any rate is 0,
 * unknown, all count as equal.
 *
 * blocks    in   at most as many as there is room for
 * device_p  out  by block: the number of its device
 */
void hyb_deal_by_rate(const hpl_dealt_t *device, int devices, int64_t blocks,
                      int *device_p);

/* Columns in host memory on `shape`'s process: the team's share and guests; all
 * columns if `resources` says that none live on devices. */
int64_t hyb_deal_host_columns(const hyb_resources_t *resources,
                              const hpl_shape_t *shape);

/* Columns that the team computes. */
int64_t hyb_deal_team_columns(const hyb_resources_t *resources,
                              const hpl_shape_t *shape);

/* Columns up to the last guest, which cross links if they are the devices'; all
 * columns where devices hold none. */
int64_t hyb_deal_columns_left(const hyb_resources_t *resources,
                              const hpl_shape_t *shape);

/* The number of places of `shape`'s process that have columns, and so check
 * columns; 0 unless `resources` asks for check columns. */
int hyb_deal_checked(const hyb_resources_t *resources,
                     const hpl_shape_t *shape);
