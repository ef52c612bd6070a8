/* SPDX-License-Identifier: BSD-3-Clause */

#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"
#pragma once

/*
 * This folder holds the main loop: it opens iterations, decides by the tuner
 * what each one does, and says which columns a worker swaps, solves and
 * multiplies, and when. How this is done is the places' matter.
 *
 * hyb_loop runs the iterations of lu's range for one member of its team; `lu`
 * is a hyb_lu_t. All members run it together; member 0 leads. When it returns
 * nothing moves any more, and exactly the panels up to the end of the range
 * have been applied to all columns.
 *
 * Order: lu is set up, the range's first panel open.
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, IV and V.
 */
void hyb_loop(void *lu, int member);

/* ---- iteration.c --------------------------------------------------------- */

/* Wait until iteration k is open: panel k is here, and the step is decided. The
 * leader opens it. */
const hyb_step_t *hyb_iteration_open(hyb_worker_t *me, int k);

/* Open iteration k now, if its panel is here. The leader calls this between two
 * runs of the iteration before, as other members may be without work. */
void hyb_iteration_open_early(hyb_worker_t *me, int k);

/* Wait until nothing moves any more after the range's last iteration. Only the
 * leader waits. */
void hyb_iteration_drain(hyb_worker_t *me);

/* ---- update.c ------------------------------------------------------------
 *
 * Which columns a worker swaps, solves and multiplies in an iteration, and
 * when. The place does the work on a run of them.
 */

/*
 * Do first what panel k + 1 and the devices wait for: update the columns of
 * panel k + 1, and solve enough columns for the devices. With look-ahead 0 and
 * 1, swap and solve all columns before that; with look-ahead 0, also update
 * all.
 */
void hyb_update_next(hyb_worker_t *me, const hyb_step_t *step);

/* Learn what devices have done, and queue blocks of open iterations that live
 * there and are ready. For the poller; `lu` is a hyb_lu_t. */
void hyb_update_poll(void *lu);

/* Does this worker factor panel k + 1? */
bool hyb_factors_next(const hyb_worker_t *me, const hyb_step_t *step);

/* Wait until panel k has been applied to the columns of panel k + 1. */
void hyb_update_wait_next(hyb_worker_t *me, const hyb_step_t *step);

/*
 * Do what is left of iteration k - 1, then update the remaining columns, until
 * this worker is needed for the next iteration's panel.
 */
void hyb_update_rest(hyb_worker_t *me, const hyb_step_t *step);

/* Do what is left of iteration k; the worker then leaves it. */
void hyb_update_leave(hyb_worker_t *me, int k);

/*
 * Find work for a member that waits: copy L2 of the panel that the leader is
 * about to open, for devices that hold columns; multiply columns that devices
 * can spare. Were there any columns?
 */
bool hyb_update_help(hyb_worker_t *me);

/* Has each block behind panel k had all panels applied that iteration k applies
 * to it, here and on devices? */
bool hyb_iteration_is_applied(hyb_lu_t *lu, int k);
