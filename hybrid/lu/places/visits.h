/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * Who multiplies the columns that live in host memory, where devices help: in
 * iteration k the blocks step->visiting are one list. The team swaps and solves
 * them from left to right. Each device with a free seat takes the leftmost
 * block that is solved: it goes there, is multiplied, and comes back. Threads
 * without work take columns from the right.
 *
 * One iteration's list is open at a time; the next list opens while the last
 * visitors of the one before leave. The next panel may be applied at once to
 * columns that are complete. Where no device multiplies for the host, there is
 * no hyb_visits_t: all functions accept NULL, but hyb_visits_note.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, V.
 */

typedef struct hyb_visits hyb_visits_t;

/* Create lu->visits from lu's homes and their places.
 * Errors: XH_ERR_MEMORY */
xh_status_t hyb_visits_create(hyb_lu_t *lu);
void hyb_visits_destroy(hyb_visits_t *visits);

/*
 * Let columns visit only if they do so on all processes of the process column:
 * a process that feeds its devices waits for rows of the others, before it
 * factors a panel with them. Collective over the process column.
 */
void hyb_visits_agree(hyb_lu_t *lu);

/* Iteration k opens: nothing is known of its visitors. Called by the leader. */
void hyb_visits_open(hyb_visits_t *visits, int k);

/* Do the devices have work for as long as panel k + 1 takes? Called by the
 * leader. */
bool hyb_visits_are_enough(const hyb_worker_t *me, const hyb_step_t *step);

/*
 * Open the list of the next iteration, and send columns to devices. For the
 * poller, after the function that learns what devices have done; `lu` is a
 * hyb_lu_t.
 */
void hyb_visits_poll(void *lu);

/* Note that a visitor of `device`, from 0, has come back in iteration k, or
 * later. `seconds` passed in which no other visitor was before it. */
void hyb_visits_note(hyb_visits_t *visits, int k, int device, double flop,
                     double seconds);

/* Multiply some columns that devices can spare, if the worker is not urgent.
 * Were there any? */
bool hyb_visits_help(hyb_worker_t *me);

/* Pass iterations without visitors. Are the list of iteration k, and all
 * before, over? Called by the leader. */
bool hyb_visits_advance(hyb_lu_t *lu, int k);

/* What devices did in iteration k, with the team's sums and the time when the
 * last column was complete; NULL: nothing, or it is not complete. */
const hyb_lap_t *hyb_visits_lap(hyb_visits_t *visits, int k);

/* flop of the columns that visited devices in iteration k. */
double hyb_visits_flop(hyb_visits_t *visits, int k);
