/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "hpl.h"

/*
 * Random combinations of everything that HPL.dat can ask for, solved by the
 * solver in use. x is compared with that of textbook Gaussian elimination.
 */

enum {
    N,
    NB,
    P,
    Q,
    PMAP,
    PFACT,
    NBMIN,
    NDIV,
    RFACT,
    BCAST,
    DEPTH,
    SWAP,
    SWAP_THRESHOLD,
    L1,
    U,
    EQUIL,
    ALIGN,
    QUANTITIES
};

/* the values least, least + step, ... up to most */
typedef struct {
    int quantity;
    int least, most, step;
} range_t;

enum { COMBINATION_RATES = 4 };

typedef struct {
    int value[QUANTITIES];
    const double *rate; /* of process columns 0, 4, ..., of 1, 5, ..., by which
                           they get block columns; NULL: in turn */
} combination_t;

/* Those of a case. */
typedef struct combinations {
    uint64_t seed;
    int count;            /* 0: 24 in jobs of 1, 4 and 9, fewest in the last */
    const char *settings; /* what is said of them if one fails */
    const range_t *narrowed; /* everything else is random; N is at most 500 */
    size_t ranges;           /* that are narrowed */

    const double *rate; /* of each combination */

    /* Before the i-th of them; returns what was set. NULL: nothing to do. */
    const char *(*prepare)(int i);
} combinations_t;

/* The ranges that are narrowed, as they stand in a combinations_t. */
#define NARROWED(...)                                                          \
    .narrowed = (const range_t[]){__VA_ARGS__},                                \
    .ranges = sizeof((range_t[]){__VA_ARGS__}) / sizeof(range_t)

/* One at random; P Q is at most the processes of the job. */
combination_t combination_next(const combinations_t *of, uint64_t *random);

/*
 * Solve c on the first P Q processes; NULL, or what is wrong with the result
 * on this process. Collective over the job.
 */
const char *combination_solve(const combination_t *c);

/*
 * Solve all of them; how many failed on this process. Prints the options of
 * xhpl that repeat a failure.
 */
int combinations_solve(const combinations_t *of);

/* Fail on every process if there are failures on any. */
void combinations_end(int failures);
