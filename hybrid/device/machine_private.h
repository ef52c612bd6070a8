/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/machine.h"
#include "hybrid/device/rates.h"
#include "hybrid/device/stream.h"

typedef struct {
    hyb_device_t *device;
    hyb_stream_t *stream;   /* for its tiles, from the first product on */
    const int *cpu;         /* cores of its threads */
    hyb_device_info_t info; /* as it was when opened */
    uint64_t budget;        /* bytes for this process */
    uint64_t memory; /* bytes for tiles: the budget, or less once memory was
                        refused */
    int refused;     /* how often memory was refused */
    bool is_said;    /* a message has said so */
    hyb_rate_table_t rates; /* empty if not measured */
} hyb_machine_device_t;

/* What machine.c, which opens it, and product.c, which gives devices their
 * streams, share. */
struct hyb_machine {
    hyb_topology_t *topology;
    int *cpus; /* this process's cores */
    int cpu_count;
    hyb_team_t *team;
    const hyb_kernel_t *kernel; /* NULL: the BLAS library */
    hyb_machine_device_t device[HYB_EXECUTORS - 1];
    int devices;
    int feeders;  /* threads that take a core each: feeders of devices that only
                     model time sleep */
    int64_t tile; /* rows and columns of a tile; 0: chosen */
    int slots;    /* tiles in flight per device */
    hyb_pinned_memory_t pinned;
    int64_t segment_bytes; /* bytes that are pinned at once */
    bool models_time;      /* some device only models time */
    bool multiplies;       /* a product is under way */
    bool said_small; /* a message has said that memory makes tiles small */
};
