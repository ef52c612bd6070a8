/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/plan/rates.h"

/*
 * Predict how long a test takes, iteration by iteration, from the times of
 * parts of the solver; docs/PLAN.md has the formulae. The functions are pure:
 * equal rates give equal predictions everywhere.
 */

/*
 * Return the seconds of a test's timed phase: factorization and
 * back-substitution.
 *
 * bcast   as in HPL.dat
 * Cost:   n / nb * nprow * npcol steps, about a hundred thousand at most: for
 *         more, several panels are combined, and then process rows are taken as
 *         equal.
 * Errors: returns 0 if memory is short, and for n = 0
 */
double hyb_model_seconds(const hyb_model_rates_t *rates,
                         const hpl_shape_t *test, int bcast);
