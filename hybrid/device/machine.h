/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"
#include "hybrid/device/device.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/node/team.h"
#include "hybrid/node/topology.h"
#include "base/view.h"

/*
 * Everything that this process computes with: a team of threads on its share of
 * the cores, and its devices. A process opens its machine once, by the settings
 * devices, device_memory, kernel, tile, pipeline and stall_seconds.
 */
typedef struct hyb_machine hyb_machine_t;

enum { HYB_EXECUTORS = 65 }; /* the team and at most 64 devices */

typedef struct { /* the devices that a process may use */
    hyb_device_choice_t *chosen;
    int count;
    bool own; /* no other process of the node uses them */
} hyb_visible_devices_t;

/*
 * Open the machine. A device that cannot be opened is left out with a warning.
 *
 * threads  in  size of the team; 0: one thread per core without a feeder
 * local    in  this process among those of the node; NULL: it is alone
 * seen     in  the devices to choose from, borrowed: all of them if they are
 *              this process's own, else its part of them (hyb_topology_deal);
 *              NULL: as the setting `devices` says
 *
 * Errors: XH_ERR_INPUT: a setting that cannot be met; XH_ERR_MEMORY,
 *         XH_ERR_INTERNAL
 */
xh_status_t hyb_machine_open(int threads, const hyb_local_t *local,
                             const hyb_visible_devices_t *seen,
                             hyb_machine_t **machine_p);
void hyb_machine_close(hyb_machine_t *machine); /* accepts NULL */

/*
 * Make a machine of the team and `device` alone, or of no device if `device` is
 * negative; NULL: out of memory. The result borrows all parts of `machine`,
 * which must stay idle meanwhile; the caller frees the result with free().
 */
hyb_machine_t *hyb_machine_alone(const hyb_machine_t *machine, int device);

hyb_team_t *hyb_machine_team(hyb_machine_t *machine);

/* The kernel chosen by the setting `kernel`; NULL: the BLAS library. */
const hyb_kernel_t *hyb_machine_kernel(const hyb_machine_t *machine);

/* The number of opened devices, and device `index`, 0 .. count - 1. Both
 * include devices that have failed. */
int hyb_machine_devices(const hyb_machine_t *machine);
hyb_device_t *hyb_machine_device(const hyb_machine_t *machine, int index);

/* What a device reported when it was opened; valid even if it has failed since.
 */
const hyb_device_info_t *hyb_machine_device_info(const hyb_machine_t *machine,
                                                 int device);

/* Does `device` still work? The number of devices that still do. */
bool hyb_machine_works(const hyb_machine_t *machine, int device);
int hyb_machine_working_devices(const hyb_machine_t *machine);

/* The core that the team leaves to the threads of a device. */
int hyb_machine_core(const hyb_machine_t *machine, int device);

/* Bytes of the device's memory that this process may use. */
uint64_t hyb_machine_memory(const hyb_machine_t *machine, int device);

/* flop/s of a device for large products with k = `depth`, as measured or as the
 * device reports; 0: unknown. */
double hyb_machine_rate(const hyb_machine_t *machine, int device,
                        int64_t depth);

/* bytes/s of a device's link each way, as measured or as the device reports; 0:
 * unknown. */
double hyb_machine_link_rate(const hyb_machine_t *machine, int device);

/*
 * Free a device's memory, queues and threads for tiles; the next product
 * creates them again.
 * Order: while no product is under way.
 */
void hyb_machine_free_tiles(hyb_machine_t *machine, int device);

/* Does any device only model time and compute no results? */
bool hyb_machine_models_time(const hyb_machine_t *machine);

/* Print what was found, one item per line, each with `prefix` in front. */
void hyb_machine_describe(hyb_machine_t *machine, const char *prefix,
                          FILE *out);

/*
 * Pin a host matrix, so that all devices reach its columns at full speed until
 * unpin. Pinning is slow, so call this before the timed phase, and not during a
 * product. If the system refuses to pin a segment of columns, devices copy that
 * segment through staging memory.
 */
void hyb_machine_pin(hyb_machine_t *machine, xh_view_t matrix);

/* Pin memory that is not a matrix, in one segment. */
void hyb_machine_pin_flat(hyb_machine_t *machine, double *memory, size_t bytes);

/* Unpin a matrix or memory that begins at `data`; nothing happens if it is not
 * pinned. */
void hyb_machine_unpin(hyb_machine_t *machine, const double *data);
