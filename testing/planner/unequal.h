/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/planner/choices.h"
#include "testing/ptest/weights.h"

/* What processes of unequal speed reach. Pure. The rates of a job are those of
 * the slowest process. */

/*
 * The prediction of a test whose columns are dealt by weights; NULL: equally.
 *
 * test  in  its n may be 0: the largest that fits is taken
 */
xhpl_choice_t xhpl_unequal_choice(const xhpl_job_t *job,
                                  const xhpl_weights_t *weights,
                                  HPL_T_ORDER order, hpl_shape_t test,
                                  int bcast);

/* The best grid for weights, with the largest N; the rest is as in best. */
xhpl_choice_t xhpl_unequal_best(const xhpl_job_t *job,
                                const xhpl_weights_t *weights,
                                HPL_T_ORDER order, const xhpl_choice_t *best);

/*
 * The best choice without the slowest processes, in equal columns.
 *
 * Returns how many these are: within 5% of the slowest; 0: all are alike.
 */
int xhpl_unequal_without(const xhpl_job_t *job, const xhpl_weights_t *weights,
                         xhpl_choice_t *choice_p);
