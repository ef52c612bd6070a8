/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DEVICES_PRIVATE_H
#define HYB_DEVICES_PRIVATE_H

#include <pthread.h>
#include "hybrid/lu/devices.h"
#include "hybrid/device/offload.h"

/* shared by devices.c, which plans and feeds, and devices_tiles.c */

/* What the devices get of one iteration. */
typedef struct {
    int64_t from, to; /* columns */
    double share;     /* of the columns behind the next panel's */
    hyb_situation_t situation;
    hyb_deal_t feed;
    _Atomic int64_t *fed;     /* by block: columns that are ready */
    _Atomic int64_t released; /* all columns before this one are */
    xh_gemm_t product;
    double member_rate; /* flop/s of one member when it began, 0: unknown */
    double begun, ended;
    double multiplied[HYB_ITERATION_DEVICES]; /* s, by device */
    double waited[HYB_ITERATION_DEVICES];     /* likewise, for columns */
    double balanced; /* the share that rates and times would have asked for */
    _Atomic bool finished; /* the leader sets, all members ask */
} hyb_devices_part_t;

struct hyb_devices {
    hyb_machine_t *node;
    hyb_split_t split;
    hyb_ratio_t ratio;
    double rate; /* flop/s of all devices in the last update, 0: unknown */
    int64_t tile_columns; /* of the tiles in the last update, 0: unknown */
    hyb_devices_part_t part[HYB_IN_FLIGHT];
    double *l2;  /* in columns, pinned */
    double *u;   /* where the matrix has no room for it, pinned; or NULL */
    int current; /* the iteration whose tiles are on the devices, or come next
                  */
    int64_t applied;      /* columns of it that are complete */
    pthread_mutex_t lock; /* of what follows */
    hyb_offload_t *offload;
    int helpers; /* members at work on its tiles */
};

static inline hyb_devices_part_t *hyb_devices_part(const hyb_lu_t *lu, int k)
{
    return &lu->devices->part[k % HYB_IN_FLIGHT];
}

/* The first column behind those that are released whose block is not fed. */
int64_t hyb_devices_fed_until(const hyb_lu_t *lu, hyb_devices_part_t *part);

/*
 * Let the devices have what is fed of iteration k, if its tiles are on them.
 * Any member: the leader may be in a panel.
 */
void hyb_devices_release(hyb_lu_t *lu, int k);

#endif
