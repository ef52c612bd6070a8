/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_MODEL_H
#define HYB_MODEL_H

#include "hybrid/plan/rates.h"

/*
 * How long a test takes, iteration by iteration, from what parts of the solver
 * take on their own: docs/PLAN.md has the formulae. Pure: the same rates give
 * the same prediction everywhere.
 */

/* What is predicted: values as in HPL.dat. */
typedef struct {
    int n, nb;
    int nprow, npcol;
    int depth, bcast;
} hyb_model_case_t;

typedef struct {
    double seconds; /* of the timed phase: factorization and what follows */
    double factor;  /* the factorization ... */
    double idle;    /* ... and what of it the threads of a process wait for
                       panels and messages, mean over processes */
    double back;    /* back-substitution */
} hyb_model_prediction_t;

/* The flop that HPL counts for order n. */
double hyb_model_flop(int n);

/*
 * Predict a test.
 *
 * Cost:   n / nb * nprow * npcol steps, about a hundred thousand at most: of
 *         more panels some are taken as one, and then rows of processes as
 *         equal.
 * Errors: all 0 without memory, and for n = 0
 */
hyb_model_prediction_t hyb_model_predict(const hyb_model_rates_t *rates,
                                         const hyb_model_case_t *test);

#endif
