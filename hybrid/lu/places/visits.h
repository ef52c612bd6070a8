/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * Who multiplies the columns that live in host memory, where devices help: in
 * iteration k the blocks step->visiting are one list. The team swaps and solves
 * them from left to right. Each device with a free seat takes the leftmost that
 * is solved: it goes there, is multiplied, and comes back. Threads without work
 * take columns from the right.
 *
 * One iteration's list is open at a time; the next one opens while the last
 * visitors of the one before leave. Columns that are complete may meet the next
 * panel at once. Where no device multiplies for the host lu->visits is
 * NULL, which all functions accept.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, V.
 */

/* lu->visits. Needs lu's homes, with their places. Errors: XH_ERR_MEMORY */
xh_status_t hyb_visits_create(hyb_lu_t *lu);
void hyb_visits_destroy(hyb_lu_t *lu);

/* No columns visit unless they do so on all processes of the process column:
 * one that feeds its devices waits for rows of the others, before it factors a
 * panel with them. Collective there. */
void hyb_visits_agree(hyb_lu_t *lu);

/* Iteration k opens: nothing is known of its visitors. The leader. */
void hyb_visits_open(hyb_lu_t *lu, int k);

/* Have the devices work for as long as panel k + 1 takes? The leader. */
bool hyb_visits_are_enough(const hyb_worker_t *me, const hyb_step_t *step);

/* Open the list of the next iteration, send columns to devices; lu.
 * For the poller, behind the one that learns what devices have done. */
void hyb_visits_poll(void *lu);

/* A visitor of device, from 0, has come back in iteration k, or later, after so
 * many seconds in which no other one was before it. */
void hyb_visits_note(hyb_lu_t *lu, int k, int device, double flop,
                     double seconds);

/* Multiply some columns that devices can spare, if the worker is not urgent;
 * were there any? */
bool hyb_visits_help(hyb_worker_t *me);

/* Pass iterations without visitors; true once the list of iteration k, and all
 * before, are closed. The leader. */
bool hyb_visits_advance(hyb_lu_t *lu, int k);

/* What devices did in iteration k, with the team's sums and the time when the
 * last column was complete; NULL: nothing, or it is not. */
const hyb_lap_t *hyb_visits_lap(const hyb_lu_t *lu, int k);

/* flop of the columns that visited devices in iteration k. */
double hyb_visits_flop(const hyb_lu_t *lu, int k);
