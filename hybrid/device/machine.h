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
 * Everything this process computes with: its share of the cores as a team of
 * threads, and its devices. A process opens it once; the settings devices,
 * device_memory, kernel, tile, pipeline and stall_seconds say how it works.
 */
typedef struct hyb_machine hyb_machine_t;

enum { HYB_EXECUTORS = 65 }; /* the team and at most 64 devices */

typedef struct { /* the devices that a process may use */
    hyb_device_choice_t *chosen;
    int count;
    bool own; /* no other process of the node may use any of them */
} hyb_visible_devices_t;

/*
 * Open the machine. A device that cannot be opened is left out with a warning.
 *
 * threads  in  of the team; 0: one for each core that no feeder needs
 * local    in  this process among the processes of the node; NULL: alone
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
 * A machine of the team and this device alone, or of no device if `device` is
 * negative; NULL: out of memory. The result borrows all of `machine`, which
 * rests meanwhile; for free().
 */
hyb_machine_t *hyb_machine_alone(const hyb_machine_t *machine, int device);

hyb_team_t *hyb_machine_team(hyb_machine_t *machine);

/* The kernel that the setting `kernel` asks for; NULL: the BLAS library. */
const hyb_kernel_t *hyb_machine_kernel(const hyb_machine_t *machine);

/* The number of devices opened, and each of them, 0 .. count - 1, whether it
 * works or not. */
int hyb_machine_devices(const hyb_machine_t *machine);
hyb_device_t *hyb_machine_device(const hyb_machine_t *machine, int index);

/* What a device said about itself when it was opened, whether it works or
 * not. */
const hyb_device_info_t *hyb_machine_device_info(const hyb_machine_t *machine,
                                                 int device);

/* Does `device` work, so that it has not failed? How many do? */
bool hyb_machine_works(const hyb_machine_t *machine, int device);
int hyb_machine_working_devices(const hyb_machine_t *machine);

/* Bytes of a device's memory that this process may use. */
uint64_t hyb_machine_memory(const hyb_machine_t *machine, int device);

/* flop/s of a device's large products of this depth: measured, or as the device
 * says; 0: unknown. */
double hyb_machine_rate(const hyb_machine_t *machine, int device,
                        int64_t depth);

/* B/s of a device's link each way: measured, or as the device says; 0:
 * unknown. */
double hyb_machine_link_rate(const hyb_machine_t *machine, int device);

/*
 * Free what a device has for tiles: memory, queues and threads; the next
 * product creates them anew.
 * Order: while there is no product.
 */
void hyb_machine_free_tiles(hyb_machine_t *machine, int device);

/* Does any device only model time, and leave its tiles as they were? */
bool hyb_machine_models_time(const hyb_machine_t *machine);

/* Print what was found, one line each; every line starts with `prefix`. */
void hyb_machine_describe(hyb_machine_t *machine, const char *prefix,
                          FILE *out);

/*
 * Make the columns of a host matrix reachable at full speed by all devices,
 * until unpin. This is slow, so call it before the timed phase, and not during
 * a product. Where the system refuses, which costs one segment of some columns,
 * devices copy by way of staging memory.
 */
void hyb_machine_pin(hyb_machine_t *machine, xh_view_t matrix);

/* Pin memory that is no matrix, in one segment. */
void hyb_machine_pin_flat(hyb_machine_t *machine, double *memory, size_t bytes);

/* Unpin; `data` is the matrix's, or the memory. Accepts what is not pinned. */
void hyb_machine_unpin(hyb_machine_t *machine, const double *data);
