/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * Devices help the team to multiply columns that live in host memory. In
 * iteration k the blocks step->visiting form one list. The team swaps and
 * solves them from left to right. Each device with a free seat takes the
 * leftmost solved block: the block visits the device, is multiplied, and comes
 * back. Idle threads take columns from the right.
 *
 * One iteration's list is open at a time; the next list opens while the last
 * visitors of the one before leave. The next panel may be applied at once to
 * columns that are complete. If no device multiplies for the host, there is no
 * hyb_visits_t; all functions except hyb_visits_note accept NULL.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, V.
 */

typedef struct hyb_visits hyb_visits_t;

/* Create lu->visits from lu's homes and their places.
 * Errors: XH_ERR_MEMORY */
xh_status_t hyb_visits_create(hyb_lu_t *lu);
void hyb_visits_destroy(hyb_visits_t *visits);

/*
 * Let columns visit only if they visit on all processes of the process column:
 * a process that feeds its devices waits for rows of the other processes,
 * before it factors a panel with them. Collective over the process column.
 */
void hyb_visits_agree(hyb_lu_t *lu);

/* Note that iteration k opens, so far without visitors. Called by the leader.
 */
void hyb_visits_open(hyb_visits_t *visits, int k);

/* Do the devices have work for as long as panel k + 1 takes? Called by the
 * leader. */
bool hyb_visits_are_enough(const hyb_worker_t *me, const hyb_step_t *step);

/*
 * Open the list of the next iteration, and send columns to devices. The poller
 * calls this after it has polled the devices; `lu` is a hyb_lu_t.
 */
void hyb_visits_poll(void *lu);

/* Note that a visitor of `device`, counted from 0, has come back in iteration k
 * or later. For `seconds` no other visitor was before this one. */
void hyb_visits_note(hyb_visits_t *visits, int k, int device, double flop,
                     double seconds);

/* Multiply some columns that devices can spare, unless the worker is urgent.
 * Returns whether there were any. */
bool hyb_visits_help(hyb_worker_t *me);

/* Skip iterations without visitors. Are the lists of iteration k and of all
 * earlier iterations over? Called by the leader. */
bool hyb_visits_advance(hyb_lu_t *lu, int k);

/* What devices did in iteration k, with the team's sums and the time when the
 * last column was complete. NULL: devices did nothing, or the iteration is not
 * complete. */
const hyb_lap_t *hyb_visits_lap(hyb_visits_t *visits, int k);

/* flop of the columns that visited devices in iteration k. */
double hyb_visits_flop(hyb_visits_t *visits, int k);
