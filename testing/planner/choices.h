/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hybrid/plan/model.h"
#include "testing/ptest/parameters.h"

/* Which tests suit a job best. Pure. */

typedef struct {
    const hyb_model_rates_t *rates;
    int processes;
    xhpl_list_t nb, depth, bcast; /* none empty; the usual value first */
    int align;                    /* as in HPL.dat */
    double most_seconds;          /* a test may take; INFINITY: any */
    double most_bytes;            /* of a process */

    /* Bytes that a process of a test takes, all of it. */
    double (*bytes)(const hpl_shape_t *shape);
} xhpl_job_t;

typedef struct {
    hpl_shape_t test;
    int bcast;
    double seconds, gflops; /* that HPL will print */
    double bytes;           /* of the process that takes most */
} xhpl_choice_t;

/* The rows of the grid that is nearest to square, and at least as wide as high;
 * processes >= 1. */
int xhpl_choices_rows(int processes);

/* Is even that grid too flat? It is with prime numbers. */
bool xhpl_choices_are_flat(int processes);

/* NB * lcm(P, Q), from one N to the next. */
int64_t xhpl_choices_step(const hpl_shape_t *test);

/*
 * The largest N, a multiple of NB * lcm(P, Q), of a test on a grid of
 * processes that keeps within job's memory and time; 0 if none does.
 */
int xhpl_choices_largest(const xhpl_job_t *job, hpl_shape_t test, int bcast);

/* The prediction of one test; of job it takes rates and bytes. */
xhpl_choice_t xhpl_choices_of(const xhpl_job_t *job, hpl_shape_t test,
                              int bcast);

/*
 * The best choices, by predicted rate, the best first: every grid and NB with
 * the largest N, the best of these with every DEPTH and, if Q > 1, every BCAST.
 * Left out are variants that change the rate by less than a thousandth.
 *
 * capacity   in   of choices_p
 * choices_p  out  as many as are returned; 0: nothing fits
 */
int xhpl_choices_make(const xhpl_job_t *job, int capacity,
                      xhpl_choice_t *choices_p);
