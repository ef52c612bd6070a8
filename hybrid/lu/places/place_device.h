/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"

/*
 * Block columns that one device swaps, solves and multiplies: they live in its
 * memory, or are its guests. Visitors, which the team swaps and solves, come
 * for one product. The team or the device factors the panels. Over the link a
 * panel goes down and up once each; of a panel that the device factored, only
 * what others read. If P > 1, rows of other processes cross it, too.
 *
 * Queues: the work on resident columns runs in order on the first. Panels, and
 * rows that come, travel on the second, so that panel k + 1 comes down while
 * the rest of iteration k runs. Rows leave on the third, while other columns
 * are multiplied. On the fourth, of high priority, panel k + 1 is factored
 * meanwhile. Guests arrive and are computed on two more, and leave on the
 * third; visitors are computed on the first.
 */

/* Can the devices of this process keep columns, with nprow process rows? If
 * not, `why` says so, in less than `size` characters. */
bool hyb_place_device_able(const hyb_resources_t *resources, int nprow,
                           char *why, size_t size);

/* Largest P with which this device can factor panels (HUGE_VAL: any P). */
double hyb_place_device_panel_rows(hyb_device_t *device);

/*
 * Create place number `number` of lu's homes, that of device number - 1, from
 * lu's resources, mat, ledger, exchange and panels, after blocks have been
 * dealt to homes. All device memory is taken here.
 * Errors: XH_ERR_MEMORY on the host or the device, with a message;
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_place_device_create(hyb_lu_t *lu, int number,
                                    hyb_place_t **place_p);
void hyb_place_device_destroy(hyb_place_t *place); /* accepts NULL */

/*
 * Take host memory for panels that the device factors and others read there,
 * once homes say whether devices are peers.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_place_device_open_body(hyb_place_t *place);

/*
 * Run each operation of a factorization once, on its queue, with few elements
 * of the memory, which have no meaning yet: this loads libraries and kernels.
 * Errors: errors of the device, logged
 */
xh_status_t hyb_place_device_warm_up(const hyb_place_t *place);

/*
 * Can this place copy from the memory of `other`? A trial reads what `other`
 * was given.
 * Order: before the columns are generated.
 */
bool hyb_place_device_reaches(const hyb_place_t *place,
                              const hyb_place_t *other);

/* Bytes that all devices' places take on the host, with or without guests,
 * besides what every place needs. */
uint64_t hyb_place_device_bytes(const hyb_resources_t *resources,
                                const hpl_shape_t *shape, bool guests);
