/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"

/*
 * Block columns that one device swaps, solves and multiplies: they live in its
 * memory, or are guests. Others, which the team swaps and solves, visit it for
 * one product. The team, or the device, factors the panels. The link
 * carries a panel down and up once each, or of one that the device factors what
 * others read, and where P > 1 rows of other processes.
 *
 * Queues: the columns' work is in order on one; panels, and rows that come,
 * travel on another, so that panel k + 1 comes down while the rest of iteration
 * k runs; rows leave by a third, while other columns are multiplied; on a
 * fourth, of high priority, panel k + 1 is factored meanwhile. Guests arrive
 * and are computed on two more, and leave by the third; visitors are computed
 * on the first.
 */

/* Can this process keep columns so, with P process rows? Else why not, less
 * than size characters. */
bool hyb_place_device_able(const hyb_resources_t *resources, int nprow,
                           char *why, size_t size);

/* Most process rows with which a device can factor panels; HUGE_VAL: any. */
double hyb_place_device_panel_rows(hyb_device_t *device);

/*
 * Place number `number` of lu's homes: that of device number - 1. Needs lu's
 * resources, mat, ledger, exchange and panels, and blocks that have been dealt
 * to homes. All device memory is taken. Errors: XH_ERR_MEMORY  on the host or
 * the device: said XH_ERR_DEVICE
 */
xh_status_t hyb_place_device_create(hyb_lu_t *lu, int number,
                                    hyb_place_t **place_p);
void hyb_place_device_destroy(hyb_place_t *place); /* accepts NULL */

/*
 * Host memory for panels that it factors and others read there, once homes say
 * whether devices are peers. Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_place_device_open_body(hyb_place_t *place);

/*
 * Run each operation of a factorization once, on the queue that it will be on,
 * with few elements of the memory, of no meaning yet: it brings in libraries
 * and kernels. Errors: those of the device, logged
 */
xh_status_t hyb_place_device_warm_up(const hyb_place_t *place);

/* Can it copy from the memory of other, as it finds by a try, which reads what
 * other was given? Order: before the columns are generated. */
bool hyb_place_device_reaches(const hyb_place_t *place,
                              const hyb_place_t *other);

/* Bytes on the host of all devices' places, beside what every place needs; do
 * they take guests? */
uint64_t hyb_place_device_bytes(const hyb_resources_t *resources,
                                const hpl_shape_t *shape, bool guests);
