/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/machine.h"
#include "hybrid/device/rates.h"
#include "hybrid/device/stream.h"

typedef struct {
    hyb_device_t *device;
    hyb_stream_t *stream;   /* of its tiles, from the first product on */
    const int *cpu;         /* where its threads are */
    hyb_device_info_t info; /* when it was opened */
    uint64_t budget;        /* bytes of this process */
    uint64_t memory;        /* the same, less once refused: for tiles */
    int refused;            /* how often */
    bool is_said;           /* that it was */
    hyb_rate_table_t rates; /* empty where not measured */
} hyb_machine_device_t;

/* Shared by machine.c, which opens it, and product.c, which gives devices their
 * streams. */
struct hyb_machine {
    hyb_topology_t *topology;
    int *cpus; /* this process's cores */
    int cpu_count;
    hyb_team_t *team;
    const hyb_kernel_t *kernel; /* NULL: the BLAS library */
    hyb_machine_device_t device[HYB_EXECUTORS - 1];
    int devices;
    int feeders;  /* threads that take a core: those of devices that only model
                     time sleep */
    int64_t tile; /* rows and columns of a tile, 0: chosen */
    int slots;    /* tiles in flight on a device */
    hyb_pinned_memory_t pinned;
    int64_t segment_bytes; /* that are pinned at once */
    bool models_time;      /* any device */
    bool multiplies;       /* a product is under way */
    bool said_small;       /* that memory makes tiles small */
};
