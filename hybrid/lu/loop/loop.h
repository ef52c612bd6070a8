/* SPDX-License-Identifier: BSD-3-Clause */

#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"
#pragma once

/*
 * The iterations of lu's range by one member of its team; lu is a hyb_lu_t. All
 * members run it together; member 0 leads. Nothing moves behind it: all columns
 * have met the panels of the range, and no other.
 *
 * Order:  lu is set up, the range's first panel open.
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, IV and V.
 */
void hyb_loop(void *lu, int member);

/* ---- iteration.c --------------------------------------------------------- */

/* Wait until iteration k is open: panel k is here, and what to do is decided.
 * The leader opens it. */
const hyb_step_t *hyb_iteration_open(hyb_worker_t *me, int k);

/* Open iteration k now, if its panel is here; by the leader between two runs of
 * the iteration before, as others may be without work. */
void hyb_iteration_open_early(hyb_worker_t *me, int k);

/* Wait until nothing moves any more after the range's last one. The leader. */
void hyb_iteration_drain(hyb_worker_t *me);

/* ---- update.c ------------------------------------------------------------
 *
 * Which columns a worker swaps, solves and multiplies in an iteration, and
 * when. What it does to a run of them is the place's.
 */

/*
 * All that panel k + 1 and the devices wait for comes first: the columns of
 * panel k + 1, and enough columns for the devices. With look-ahead 0 and 1 all
 * columns are swapped and solved before, with look-ahead 0 all are updated.
 */
void hyb_update_next(hyb_worker_t *me, const hyb_step_t *step);

/* Learn what devices have done, and queue columns of open iterations that live
 * there and are ready; lu. For the poller. */
void hyb_update_poll(void *lu);

/* Does this worker factor panel k + 1? */
bool hyb_factors_next(const hyb_worker_t *me, const hyb_step_t *step);

/* Wait until the columns of panel k + 1 have met panel k. */
void hyb_update_wait_next(hyb_worker_t *me, const hyb_step_t *step);

/*
 * What is left of iteration k - 1, then the other columns, as long as this
 * worker is not needed for the next iteration's panel.
 */
void hyb_update_rest(hyb_worker_t *me, const hyb_step_t *step);

/* What is left of iteration k; the worker then leaves it. */
void hyb_update_leave(hyb_worker_t *me, int k);

/* Work for who waits: L2 of the panel that the leader is about to open is
 * copied for devices that hold columns; columns that devices can spare are
 * multiplied. Were there any columns? */
bool hyb_update_help(hyb_worker_t *me);

/* Has each block behind panel k met what it meets in iteration k, here and on
 * devices? */
bool hyb_iteration_has_met(hyb_lu_t *lu, int k);
