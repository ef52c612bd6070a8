/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_PLAN_H
#define XHPL_PLAN_H

#include <stdint.h>
#include "testing/ptest/parameters.h"

/*
 * The tests of a run: every combination of the listed values, the last of
 * grid, N, NB, DEPTH, BCAST, RFACT, PFACT, NBMIN, NDIV changing fastest.
 */

/* one of them; values as in HPL.dat */
typedef struct {
    int grid; /* which of the grids */
    int nprow, npcol;
    int n, nb;
    int depth, bcast;
    int rfact, pfact;
    int nbmin, ndiv;
} xhpl_test_t;

/* How many tests parameters describe, at least 1. */
int64_t xhpl_plan_count(const xhpl_parameters_t *parameters);

/* Test number index, 0 .. count - 1. */
xhpl_test_t xhpl_plan_test(const xhpl_parameters_t *parameters, int64_t index);

/*
 * Among consecutive tests, how many differ in nothing that memory depends on:
 * they share grid, N, NB and DEPTH.
 */
int64_t xhpl_plan_same_shape(const xhpl_parameters_t *parameters);

#endif
