/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/machine.h"

/*
 * The devices of a process, kept busy while its team is measured, and measured
 * meanwhile: they share memory, and often a core, with it. They multiply as in
 * the solver: C := C - L2 U, all in pinned memory of the host, tiles column by
 * column. NULL in place of them: there is none.
 */
typedef struct hyb_busy_devices hyb_busy_devices_t;

/*
 * The working devices of node.
 *
 * rows, nb  in  of C, and of panels, at most
 * bytes     in  of C, about; U and L2 take more
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_busy_devices_create(hyb_machine_t *node, int64_t rows,
                                    int64_t nb, double bytes,
                                    hyb_busy_devices_t **devices_p);
void hyb_busy_devices_destroy(hyb_busy_devices_t *devices);

/*
 * Let them update C of m rows with panels of nb columns, again and again until
 * the end; as many columns as rows, if memory allows, and if that takes no
 * longer than about so many seconds. No other product on the node meanwhile.
 */
void hyb_busy_devices_begin(hyb_busy_devices_t *devices, int64_t m, int64_t nb,
                            double seconds);

/*
 * When the product under way has ended: seconds that all together take for a
 * column of C, median; INFINITY: none works.
 *
 * tile_p  out  columns of their tiles
 */
double hyb_busy_devices_end(hyb_busy_devices_t *devices);
