/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/plan/rates.h"

/*
 * How long a test takes, iteration by iteration, from what parts of the solver
 * take on their own: docs/PLAN.md has the formulae. Pure: the same rates give
 * the same prediction everywhere.
 */

/*
 * Seconds of a test's timed phase: factorization and back-substitution.
 *
 * bcast   as in HPL.dat
 * Cost:   n / nb * nprow * npcol steps, about a hundred thousand at most: of
 *         more panels some are taken as one, and then rows of processes as
 *         equal.
 * Errors: 0 without memory, and for n = 0
 */
double hyb_model_seconds(const hyb_model_rates_t *rates,
                         const hpl_shape_t *test, int bcast);
