/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_PLANNER_DEVICES_H
#define XHPL_PLANNER_DEVICES_H

#include "base/status.h"
#include "hybrid/device/machine.h"

/*
 * The devices of a process, kept busy while its team is measured, and measured
 * meanwhile: they share memory, and often a core, with it. They multiply as in
 * the solver: C := C - L2 U, U and C in pinned memory of the host, L2 copied
 * into columns, tiles column by column.
 */
typedef struct xhpl_devices xhpl_devices_t;

typedef struct {
    int64_t rows; /* of C, at most */
    int64_t nb;   /* of panels, at most */
    double bytes; /* of C, about; U and L2 take more */
} xhpl_devices_extent_t;

/*
 * The devices of node that work; NULL where there is none.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_devices_create(hyb_machine_t *node, const hyb_kernel_t *kernel,
                                const xhpl_devices_extent_t *extent,
                                xhpl_devices_t **devices_p);
void xhpl_devices_destroy(xhpl_devices_t *devices); /* accepts NULL */

/*
 * Let them update C of m rows with panels of nb columns, again and again until
 * the end; as many columns as rows, if memory allows, and if that takes no
 * longer than about so many seconds. No other product on the node meanwhile.
 * NULL: nothing.
 */
void xhpl_devices_begin(xhpl_devices_t *devices, int64_t m, int64_t nb,
                        double seconds);

/* What was seen until the end, which waits for the product under way. */
typedef struct {
    double column;        /* seconds that all together take for a column of C,
                             median; INFINITY: none works */
    int64_t tile_columns; /* of their tiles */
} xhpl_devices_pace_t;

xhpl_devices_pace_t xhpl_devices_end(xhpl_devices_t *devices);

/*
 * Seconds that the team takes to copy an L2 of m rows and nb columns into
 * columns for them, median of so many calls; 0 for NULL. Not between begin and
 * end.
 */
double xhpl_devices_copy_seconds(xhpl_devices_t *devices, int64_t m, int64_t nb,
                                 int calls);

#endif
