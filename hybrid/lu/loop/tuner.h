/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/step.h"

/*
 * The tuner: it decides what each iteration does, from what the ones before
 * took. The decisions themselves are pure functions in tuner/; here they get
 * this run's numbers. The look-ahead mode is agreed on by all processes: what
 * an iteration took is reduced while others run, and learnt everywhere before
 * the next one opens. Threads and shares are each process's own. All calls are
 * the leader's.
 */

/* lu->tuner. Needs lu's grid, algo, resources. Errors: XH_ERR_MEMORY;
 * XH_ERR_INPUT: the setting split makes no sense, said; destroy then all the
 * same */
xh_status_t hyb_tuner_create(hyb_lu_t *lu);
void hyb_tuner_destroy(hyb_lu_t *lu);

/* Iteration k is about to open: what those before it took is noted, learnt,
 * and told to the observer. */
void hyb_tuner_measure(hyb_lu_t *lu, int k);

/* Decide iteration k, whose panel is known. */
void hyb_tuner_step(hyb_lu_t *lu, int k, hyb_step_t *step_p);

/* Learn what was last measured, once all processes have told it; true if
 * nothing is outstanding: then they decide alike. Without waiting. */
bool hyb_tuner_advance(hyb_lu_t *lu);

/* The range's last iteration is over for the leader; and complete. */
void hyb_tuner_close(hyb_lu_t *lu);
void hyb_tuner_end(hyb_lu_t *lu);
