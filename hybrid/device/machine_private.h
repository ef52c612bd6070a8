/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_NODE_PRIVATE_H
#define HYB_NODE_PRIVATE_H

#include "hybrid/cpu/product/gemm.h"
#include "hybrid/device/machine.h"
#include "hybrid/device/offload.h"
#include "hybrid/device/rate_table.h"
#include "hybrid/device/ratio.h"
#include "hybrid/device/split.h"
#include "hybrid/device/stream.h"

/* shared by node.c, which opens it, and those that work with it */
struct hyb_node {
    hyb_topology_t *topology;
    int *cpus; /* this process's cores */
    int cpu_count;
    hyb_team_t *team;
    const hyb_kernel_t *kernel; /* NULL: the BLAS library */
    hyb_host_gemm_t *host;
    hyb_stream_t *stream[HYB_EXECUTORS - 1];
    uint64_t tile_memory[HYB_EXECUTORS - 1];   /* bytes for tiles on each */
    hyb_rate_table_t rates[HYB_EXECUTORS - 1]; /* empty where not measured */
    int devices;
    int feeders; /* threads that take a core: those of devices that only model
                    time sleep */
    hyb_split_t split;
    hyb_ratio_t ratio;
    int64_t tile;     /* rows and columns of a tile, 0: chosen */
    int slots;        /* tiles in flight on a device */
    bool models_time; /* any device */
    bool offloads;    /* now */
    bool said_small;  /* that memory makes tiles small */
};

/* Does device take part where devices, bits as of hyb_executors_t, may? */
bool hyb_machine_uses(const hyb_machine_t *node, uint64_t devices, int device);

/* how an offload is begun; by default all of the node's devices, and columns */
typedef struct {
    uint64_t devices; /* bit i: device i may take part */
    xh_status_t (*plan)(const hyb_tiling_request_t *request,
                        hyb_tiling_t *tiling_p);
} hyb_offload_way_t;

/* Errors: as hyb_offload_begin; XH_ERR_DEVICE  none of these devices works */
xh_status_t hyb_offload_begin_as(hyb_machine_t *node, const xh_gemm_t *product,
                                 const hyb_offload_way_t *way,
                                 hyb_offload_t **offload_p);

/* The job, of which the team takes its share. */
hyb_job_t *hyb_offload_job(hyb_offload_t *offload);

#endif
