/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PLACE_DEVICE_H
#define HYB_PLACE_DEVICE_H

#include "hpl/pgesv/back_substitution.h"
#include "hpl_solver.h"
#include "hybrid/lu/place.h"

/*
 * All local columns live in the memory of one device, where they are swapped,
 * solved and multiplied; the team factors the panels. The link carries a panel
 * down and up once each. For one row of processes, P = 1.
 *
 * Two queues: the columns' work is in order on one; panels travel on the other,
 * so that panel k + 1 comes down while the rest of iteration k runs.
 */

/*
 * Can this process keep its columns so? If not the reason is logged.
 * Errors: XH_ERR_INPUT  P > 1, not one device, or one that lacks an operation
 */
xh_status_t hyb_place_device_check(const hyb_means_t *means,
                                   const HPL_T_grid *grid);

/*
 * lu->place, if only to be destroyed. Needs lu's means, mat, ledger and panel.
 * All device memory is taken here.
 * Errors: XH_ERR_MEMORY  on the host or the device: said
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_place_device_create(hyb_lu_t *lu);
void hyb_place_device_destroy(hyb_lu_t *lu);

/* Bytes on the host, beside what all places need. */
uint64_t hyb_place_device_bytes(const hpl_shape_t *shape);

/* Fill the columns with the random matrix of seed. A failure ends the job. */
void hyb_place_device_generate(hyb_lu_t *lu, int seed);

/* y := y - A x, where product's A lies on the device: its address only says
 * which part of mat it is. For hpl_subtract_t; lu. A failure ends the job. */
void hyb_place_device_subtract(void *lu, const hpl_product_t *product);

#endif
