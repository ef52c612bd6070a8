/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_NODE_PRIVATE_H
#define HYB_NODE_PRIVATE_H

#include "hybrid/engine/host/gemm.h"
#include "hybrid/engine/node.h"
#include "hybrid/engine/rate_table.h"
#include "hybrid/engine/ratio.h"
#include "hybrid/engine/split.h"
#include "hybrid/engine/stream.h"

/* shared by node.c, which opens it, and node_gemm.c, which works with it */
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
    hyb_split_t split;
    hyb_ratio_t ratio;
    int64_t tile; /* rows and columns of a tile, 0: chosen */
    int slots;    /* tiles in flight on a device */
    bool product_only;
};

#endif
