/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "hpl.h"
#include "hpl_solver.h"
#include "testing/ptest/parameters.h"

/*
 * The tests of a run: every combination of the listed values. In the sequence
 * grid, N, NB, DEPTH, BCAST, RFACT, PFACT, NBMIN, NDIV the last changes
 * fastest.
 */

/* A test; values as in HPL.dat. */
typedef struct {
    int grid; /* index of the grid */
    int nprow, npcol;
    int n, nb;
    int depth, bcast;
    int rfact, pfact;
    int nbmin, ndiv;
} xhpl_test_t;

/* How many tests parameters describe, at least 1. */
int64_t xhpl_test_count(const xhpl_parameters_t *parameters);

/* Test number index, 0 .. count - 1. */
xhpl_test_t xhpl_test_at(const xhpl_parameters_t *parameters, int64_t index);

/*
 * How many consecutive tests share grid, N, NB and DEPTH, on which memory
 * depends.
 */
int64_t xhpl_test_same_shape(const xhpl_parameters_t *parameters);

/* The choices of test in the form of the library. */
HPL_T_palg xhpl_algorithm(const xhpl_parameters_t *parameters,
                          const xhpl_test_t *test);

/* What memory depends on, except for the process; align as in HPL.dat. */
hpl_shape_t xhpl_shape_of(const xhpl_test_t *test, int align);

/* How ranks are mapped to the grid. */
HPL_T_ORDER xhpl_order(const xhpl_parameters_t *parameters);

/* The expected times of tests; all zero: unknown. */
typedef struct {
    /* Seconds of the timed phase of test. */
    double (*seconds)(const void *context, const xhpl_test_t *test);
    const void *context;
    double ceiling;   /* flop/s of FMA on all cores, the basis of seconds */
    double latency;   /* s of a short message to the next rank */
    double bandwidth; /* B/s of a long message to the next rank, all ranks
                         sending; 0: one rank */
    bool disturbed;   /* other threads had these cores during the measurement */
} xhpl_forecast_t;
