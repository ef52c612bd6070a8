/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_NODE_H
#define HYB_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"
#include "hybrid/device/device.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/device/ratio.h"
#include "hybrid/device/split.h"
#include "hybrid/node/team.h"
#include "hybrid/device/tiling.h"
#include "hybrid/node/topology.h"
#include "base/view.h"

/*
 * Everything this process computes with: its share of the cores as a team of
 * threads, and its devices, each with threads that feed it. Opened once;
 * the settings devices, split, kernel, tile, pipeline, product_return, direct,
 * copy_threads and stall_seconds say how it works.
 */
typedef struct hyb_node hyb_machine_t;

enum { HYB_EXECUTORS = 65 }; /* the team and at most 64 devices */

/*
 * threads  in  of the team; 0: a thread a core that no feeder needs
 * local    in  this process among those of the node; NULL: alone
 *
 * Errors: XH_ERR_INPUT   a setting that cannot be met
 *         XH_ERR_MEMORY, XH_ERR_INTERNAL
 * A device that cannot be opened is left out with a warning.
 */
xh_status_t hyb_machine_open(int threads, const hyb_local_t *local,
                             hyb_machine_t **node_p);

typedef struct { /* the devices that a process may use */
    hyb_device_choice_t *chosen;
    int count;
    bool own; /* no other process of the node may use any of them */
} hyb_visible_devices_t;

/*
 * hyb_machine_open with these devices, borrowed, in place of those that the
 * setting chooses: all of them if they are this process's own, else its part of
 * them (hyb_topology_deal). seen NULL: as hyb_machine_open.
 */
xh_status_t hyb_machine_open_with(int threads, const hyb_local_t *local,
                                  const hyb_visible_devices_t *seen,
                                  hyb_machine_t **node_p);
void hyb_machine_close(hyb_machine_t *node); /* accepts NULL */

hyb_team_t *hyb_machine_team(hyb_machine_t *node);

/* The kernel that the setting asks for; NULL: the BLAS library. */
const hyb_kernel_t *hyb_machine_kernel(const hyb_machine_t *node);

/* The setting split. */
hyb_split_t hyb_machine_split(const hyb_machine_t *node);

/* Devices as opened, and each, 0 .. count - 1, whether it works or not. */
int hyb_machine_devices(const hyb_machine_t *node);
hyb_device_t *hyb_machine_device(const hyb_machine_t *node, int index);

/* Devices that have not failed. */
int hyb_machine_working_devices(const hyb_machine_t *node);

/* Does any device only model time, and leave its tiles as they were? */
bool hyb_machine_models_time(const hyb_machine_t *node);

/* Print what was found, a line each; every line starts with prefix. */
void hyb_machine_describe(hyb_machine_t *node, const char *prefix, FILE *out);

/*
 * Make the pages of an operand reachable at full speed by all devices, until
 * unpin; slow, so before what is timed. Where a device cannot, it copies by
 * way of staging memory.
 */
void hyb_machine_pin(hyb_machine_t *node, double *memory, size_t bytes);
void hyb_machine_unpin(hyb_machine_t *node, double *memory);

/* ---- the product -------------------------------------------------------- */

/* who takes part; for rates of one alone */
typedef struct {
    bool team;
    uint64_t devices; /* bit i: device i */
} hyb_executors_t;

/* All that the node has. */
hyb_executors_t hyb_executors_all(const hyb_machine_t *node);

/* what one executor did in a product */
typedef struct {
    int64_t tiles;
    double flop;
    double seconds;         /* begin to last result */
    double compute_seconds; /* multiplying */
    double in_seconds;      /* copying in, where that is separate */
    double out_seconds;
    double span_seconds; /* first multiplication's start to last's end */
    double wait_seconds; /* nothing in flight, for want of ready columns */
    uint64_t bytes_in, bytes_out;
    bool dropped; /* failed in this product */
} hyb_work_t;

typedef struct {
    double seconds;      /* of the whole product */
    double share;        /* of the devices, wanted by the policy */
    hyb_tiling_t tiling; /* all zero where the team worked alone */
    int16_t *owner;      /* executor of each tile; NULL as above; free() */
    hyb_work_t team;
    hyb_work_t device[HYB_EXECUTORS - 1];
} hyb_report_t;

/*
 * C := beta C + alpha op(A) op(B), all in host memory, by executors together;
 * returns when C is complete. Devices that fail are dropped, said so, and what
 * they had not returned is computed by others. One that stalls may still read
 * A, B and C until the node is closed, if its backend cannot stop it.
 *
 * report_p  out  what it took; NULL if nobody asks. With a device in dry mode
 *                the tiles that it took are left as they were.
 *
 * Errors: XH_ERR_ARG     shapes do not conform; nobody is to compute
 *         XH_ERR_MEMORY  C may be partly done
 *         XH_ERR_DEVICE  C is partly done: the team is not to take part and all
 *                        devices failed; or, with direct=on, one of them did,
 *                        which may still write into C if it stalled
 */
xh_status_t hyb_machine_gemm(hyb_machine_t *node, const xh_gemm_t *product,
                             hyb_executors_t executors, hyb_report_t *report_p);

#endif
