/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl/pauxil/deal.h"
#include "hpl_solver.h"
#include "hybrid/lu/state/resources.h"

/*
 * How the block columns of a process are dealt to host and devices;
 * state/homes.h explains it. The functions are pure, so a run and its
 * prediction get the same answer.
 */
typedef struct {
    int64_t all;    /* blocks of the process, b's included */
    bool resident;  /* devices hold all blocks but the team's */
    int64_t guests; /* blocks 0 .. guests - 1 do not fit on devices; the
                       devices' blocks among them are guests */
    int seats; /* seats for guests per device, as many as leave room for blocks
                */
    int64_t team; /* number of the team's blocks, spread among the devices' */
    int devices;  /* devices that get blocks, each with rate and room: */
    hpl_dealt_t device[HYB_EXECUTORS];
} hyb_dealing_t;

hyb_dealing_t hyb_deal(const hyb_resources_t *resources,
                       const hpl_shape_t *shape);

bool hyb_dealing_is_teams(const hyb_dealing_t *dealing, int64_t block);

/* Number of blocks from .. to - 1 that belong to devices. */
int64_t hyb_dealing_devices_blocks(const hyb_dealing_t *dealing, int64_t from,
                                   int64_t to);

/*
 * Deal blocks as hpl_deal_blocks does, with rounded rates. If any rate is 0
 * (unknown), all rates count as equal.
 *
 * blocks    in   at most as many as the devices have room for
 * device_p  out  by block: the number of its device
 */
void hyb_deal_by_rate(const hpl_dealt_t *device, int devices, int64_t blocks,
                      int *device_p);

/* Number of columns in host memory on this process: the team's share and
 * guests; or all columns, if `resources` says that no column lives on a device.
 */
int64_t hyb_deal_host_columns(const hyb_resources_t *resources,
                              const hpl_shape_t *shape);

/* Number of columns that the team computes. */
int64_t hyb_deal_team_columns(const hyb_resources_t *resources,
                              const hpl_shape_t *shape);

/* Number of columns up to the last guest; the devices' columns among them cross
 * links. All columns, if devices hold none. */
int64_t hyb_deal_columns_left(const hyb_resources_t *resources,
                              const hpl_shape_t *shape);

/* Number of places of this process that have columns, and so check columns; 0
 * unless `resources` asks for check columns. */
int hyb_deal_checked(const hyb_resources_t *resources,
                     const hpl_shape_t *shape);
