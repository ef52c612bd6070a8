/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl/pauxil/deal.h"
#include "hpl_solver.h"
#include "hybrid/lu/state/resources.h"

/*
 * Which block columns of a process live where: homes.h has the picture. Pure:
 * the same for a run and for those who ask before it.
 */
typedef struct {
    int64_t all;    /* blocks of the process, with b's */
    bool resident;  /* devices compute blocks: all but the team's */
    int64_t guests; /* for so many, the first ones, devices have no room */
    int seats; /* of each device for these, as many as leave room for blocks */
    int64_t team; /* blocks of the team, spread among devices' */
    int devices;  /* that get blocks; each has rate and room: */
    hpl_dealt_t device[HYB_EXECUTORS];
} hyb_dealing_t;

hyb_dealing_t hyb_deal(const hyb_resources_t *resources,
                       const hpl_shape_t *shape);

bool hyb_dealing_is_teams(const hyb_dealing_t *dealing, int64_t block);

/* The devices' blocks from .. to - 1. */
int64_t hyb_dealing_devices_blocks(const hyb_dealing_t *dealing, int64_t from,
                                   int64_t to);

/*
 * Deal blocks as hpl_deal_blocks does, with rates that are rounded. If one is
 * 0, unknown, all count as equal.
 *
 * blocks    in   not more than there is room for
 * device_p  out  by block: the number of its device
 */
void hyb_deal_by_rate(const hpl_dealt_t *device, int devices, int64_t blocks,
                      int *device_p);

/* Columns of shape's process in host memory: the team's share, and guests;
 * without columns on devices, as resources says, all. */
int64_t hyb_deal_host_columns(const hyb_resources_t *resources,
                              const hpl_shape_t *shape);

/* Those that the host computes. */
int64_t hyb_deal_team_columns(const hyb_resources_t *resources,
                              const hpl_shape_t *shape);

/* Those in host memory that cross links: up to the last guest; where devices
 * hold none, all. */
int64_t hyb_deal_columns_left(const hyb_resources_t *resources,
                              const hpl_shape_t *shape);

/* The places of shape's process that have columns, and so check columns where
 * resources asks for these. */
int hyb_deal_checked(const hyb_resources_t *resources,
                     const hpl_shape_t *shape);

/* Blocks of nb columns for which a device of shape's process has room, beside
 * so many seats for columns that come. */
int64_t hyb_deal_room(const hyb_resources_t *resources,
                      const hpl_shape_t *shape, int device, int seats);
