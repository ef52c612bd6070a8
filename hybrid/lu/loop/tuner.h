/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/step.h"

/*
 * The tuner decides what each iteration does, from what earlier iterations
 * took. The decisions are pure functions in hybrid/lu/tune/, which also
 * predicts, before a run, where columns live and how much memory that takes;
 * here the decisions get this run's numbers.
 *
 * All processes agree on the look-ahead mode: the times of an iteration are
 * reduced while later ones run, and every process learns the result before the
 * next iteration opens. Threads and shares are each process's own. Only the
 * leader calls the functions below.
 */

typedef struct hyb_tuner hyb_tuner_t;

/*
 * Create lu->tuner from lu's grid, algo, mat, resources and range.
 * Errors: XH_ERR_MEMORY; XH_ERR_INPUT: the setting `split` makes no sense, and
 *         a message says so. Call hyb_tuner_destroy all the same
 */
xh_status_t hyb_tuner_create(hyb_lu_t *lu);
void hyb_tuner_destroy(hyb_tuner_t *tuner);

/* Iteration k is about to open: measure the earlier iterations, learn from
 * them, and report them to the observer. */
void hyb_tuner_measure(hyb_lu_t *lu, int k);

/* Decide iteration k, whose panel is known. */
void hyb_tuner_step(hyb_lu_t *lu, int k, hyb_step_t *step_p);

/* Learn the last times measured, once all processes have contributed, without
 * waiting. Is nothing outstanding, so that all processes decide alike? */
bool hyb_tuner_advance(hyb_lu_t *lu);

/* Note that the range's last iteration is over for the leader; then, that it is
 * complete. */
void hyb_tuner_close(hyb_lu_t *lu);
void hyb_tuner_end(hyb_lu_t *lu);
