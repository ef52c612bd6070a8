/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/machine.h"
#include "hybrid/device/rates.h"
#include "hybrid/device/stream.h"

typedef struct {
    hyb_device_t *device;
    hyb_stream_t *stream;   /* opened for the first product */
    const int *cpu;         /* cores of the device's threads */
    hyb_device_info_t info; /* as it was when the device was opened */
    uint64_t budget;        /* bytes that this process may use */
    uint64_t memory; /* bytes for tiles: the budget, or less after a refusal */
    int refused;     /* how often the device refused memory */
    bool is_said;    /* has a message said so? */
    hyb_rate_table_t rates; /* empty if not measured */
} hyb_machine_device_t;

/* What machine.c, which opens the machine, and product.c, which opens the
 * devices' streams, share. */
struct hyb_machine {
    hyb_topology_t *topology;
    int *cpus; /* this process's cores */
    int cpu_count;
    hyb_team_t *team;
    const hyb_kernel_t *kernel; /* NULL: the BLAS library */
    hyb_machine_device_t device[HYB_EXECUTORS - 1];
    int devices;
    int feeders;  /* feeders that take a core each; those of devices that only
                     model time sleep */
    int64_t tile; /* rows and columns of a tile; 0: chosen automatically */
    int slots;    /* tiles in flight per device */
    hyb_pinned_memory_t pinned;
    int64_t segment_bytes; /* bytes per pinned segment */
    bool models_time;      /* does some device only model time? */
    bool multiplies;       /* is a product under way? */
    bool said_small;       /* has a message warned of small tiles? */
};
