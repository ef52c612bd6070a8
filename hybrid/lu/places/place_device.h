/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"

/*
 * The place of one device: block columns that it swaps, solves and multiplies.
 * They live in its memory, or are its guests. Visitors, which the team swaps
 * and solves, come for one product. The team or the device factors the panels.
 * A panel crosses the link once down and once up; if the device factored it,
 * only the parts that others read. If P > 1, rows of other processes cross the
 * link, too.
 *
 * Queues: `compute` runs all work on resident columns, and on visitors, in
 * order. `link` copies panels and received rows, so that panel k + 1 comes down
 * while the rest of iteration k runs. `leave` copies rows and guests down while
 * other columns are multiplied. `factor`, of high priority, factors panel k + 1
 * meanwhile. Guests come up on `arrive` and are computed on `guests`.
 */

/* Can the devices of this process hold columns, with nprow process rows? If
 * not, `why`, of `size` bytes, says so. */
bool hyb_place_device_able(const hyb_resources_t *resources, int nprow,
                           char *why, size_t size);

/* Largest P with which this device can factor panels; HUGE_VAL: any P. */
double hyb_place_device_panel_rows(hyb_device_t *device);

/*
 * Create place `number` of lu's homes, for device number - 1, from lu's
 * resources, mat, ledger, exchange and panels, after blocks have been dealt.
 * All device memory is taken here.
 * Errors: XH_ERR_MEMORY on the host or the device, with a message;
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_place_device_create(hyb_lu_t *lu, int number,
                                    hyb_place_t **place_p);
void hyb_place_device_destroy(hyb_place_t *place); /* accepts NULL */

/*
 * Run each operation of a factorization once, on its queue, on a few elements
 * of its still unused memory: this loads libraries and kernels.
 * Errors: errors of the device, logged
 */
xh_status_t hyb_place_device_warm_up(const hyb_place_t *place);

/*
 * Can this place copy from the memory of `other`? A trial copy decides.
 * Order: before the columns are generated.
 */
bool hyb_place_device_reaches(const hyb_place_t *place,
                              const hyb_place_t *other);

/* Bytes of host memory that the places of all devices take, in addition to what
 * every place needs. */
uint64_t hyb_place_device_bytes(const hyb_resources_t *resources,
                                const hpl_shape_t *shape);
