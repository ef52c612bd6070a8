/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hybrid/plan/model.h"
#include "testing/ptest/parameters.h"

/* The tests that suit a job best, chosen by pure functions. */

typedef struct {
    const hyb_model_rates_t *rates;
    int processes;
    xhpl_list_t nb, depth, bcast; /* values to choose from, at least one each;
                                     the usual value first */
    int align;                    /* as in HPL.dat */
    double most_seconds; /* time limit of a test in seconds; INFINITY: none */
    double most_bytes;   /* memory limit of a process in bytes */

    /* Return all memory, in bytes, of a process for a system of `shape`. */
    double (*bytes)(const hpl_shape_t *shape);
} xhpl_job_t;

typedef struct {
    hpl_shape_t test;
    int bcast;
    double seconds, gflops; /* gflops as HPL prints them */
    double bytes;           /* bytes of the process that needs the most */
} xhpl_choice_t;

/* Is even the grid nearest to square too flat, as for prime numbers? */
bool xhpl_choices_grid_is_flat(int processes);

/* Return NB * lcm(P, Q); every chosen N is a multiple of this. */
int64_t xhpl_choices_n_unit(const hpl_shape_t *test);

/*
 * The largest N, a multiple of NB * lcm(P, Q), of a test on a grid of processes
 * within job's memory and time; 0: none.
 */
int xhpl_choices_largest_n(const xhpl_job_t *job, hpl_shape_t test, int bcast);

/* Predict one test. Only the rates and bytes of `job` are used. */
xhpl_choice_t xhpl_choices_predict(const xhpl_job_t *job, hpl_shape_t test,
                                   int bcast);

/*
 * Find the best choices by predicted rate, the best first: every grid and NB
 * with the largest N, and the best of these choices with every DEPTH and, if Q
 * > 1, every BCAST. Variants that change the rate by less than a thousandth are
 * left out.
 *
 * capacity   in   of choices_p
 * choices_p  out  the returned number of choices; 0: nothing fits
 */
int xhpl_choices_best(const xhpl_job_t *job, int capacity,
                      xhpl_choice_t *choices_p);
