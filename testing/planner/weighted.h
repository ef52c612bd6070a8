/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/planner/choices.h"
#include "testing/ptest/weights.h"

/* Predictions for processes of unequal speed, with columns dealt by weights.
 * Pure functions. The rates of a job are those of the slowest process. */

/*
 * Predict a test whose columns are dealt by weights; NULL: equally many each.
 *
 * test  in  its n may be 0: the largest that fits is taken
 */
xhpl_choice_t xhpl_weighted_choice(const xhpl_job_t *job,
                                   const xhpl_weights_t *weights,
                                   HPL_T_ORDER order, hpl_shape_t test,
                                   int bcast);

/* The best grid for weights, with the largest N; the other parameters are those
 * of best. */
xhpl_choice_t xhpl_weighted_best(const xhpl_job_t *job,
                                 const xhpl_weights_t *weights,
                                 HPL_T_ORDER order, const xhpl_choice_t *best);

/*
 * The best choice without the slowest processes, with equal columns.
 *
 * Returns the number of the slowest processes: within 5% of the slowest one; 0:
 * all processes are.
 */
int xhpl_weighted_without_slowest(const xhpl_job_t *job,
                                  const xhpl_weights_t *weights,
                                  xhpl_choice_t *choice_p);
