/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SHARE_H
#define HYB_SHARE_H

#include "hpl_solver.h"
#include "hybrid/lu/means.h"
#include "hybrid/lu/worker.h"

/*
 * The devices' share of updates whose columns live in host memory. In iteration
 * k it is the blocks step->streamed. The team swaps and solves them and
 * releases them from left to right; their products stream through the devices
 * tile by tile. One iteration's tiles are on the devices at a time; columns
 * that are complete may meet the next panel at once. Devices write into C, so a
 * lost device ends the run.
 *
 * Where there are no devices lu->share is NULL, which all functions accept.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, V.
 */

/* lu->share. Needs lu's means, mat, panels, exchange, ledger. NULL where no
 * device works. Errors: XH_ERR_MEMORY */
xh_status_t hyb_share_create(hyb_lu_t *lu);
void hyb_share_destroy(hyb_lu_t *lu);

/* Bytes on the host of a process of shape. */
uint64_t hyb_share_bytes(const hyb_means_t *means, const hpl_shape_t *shape);

/* Iteration k opens with these columns for devices. The leader. */
void hyb_share_open(hyb_lu_t *lu, const hyb_step_t *step);

/* Let devices have the columns of step that are solved, from the left, if its
 * tiles are on them. Any worker. */
void hyb_share_release(hyb_lu_t *lu, const hyb_step_t *step);

/* Have the devices work for as long as panel k + 1 takes? The leader. */
bool hyb_share_is_saturated(const hyb_worker_t *me, const hyb_step_t *step);

/* Begin, release, complete; lu. For the poller. */
void hyb_share_poll(void *lu);

/* Compute one tile that devices can spare, if it is not urgent; was there any?
 */
bool hyb_share_help(hyb_worker_t *me);

/* Pass iterations without tiles; true once those of iteration k, and of all
 * before, are complete and counted. The leader. */
bool hyb_share_advance(hyb_lu_t *lu, int k);

/* What they did in iteration k, with the team's sums and the time when the last
 * tile was complete; NULL: nothing, or it is not. */
const hyb_lap_t *hyb_share_lap(const hyb_lu_t *lu, int k);

/* flop of the columns that they got in iteration k. */
double hyb_share_flop(const hyb_lu_t *lu, int k);

/* Set the device members of row for iteration k. */
void hyb_share_record(const hyb_lu_t *lu, int k, hyb_iteration_t *row);

#endif
