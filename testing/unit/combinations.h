/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMBINATIONS_H
#define COMBINATIONS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Random combinations of everything that HPL.dat can ask for, solved by the
 * solver in use. The x of the reference solver is compared with that of
 * textbook Gaussian elimination, any other's with that of the reference solver.
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

typedef struct {
    int value[QUANTITIES];
} combination_t;

/* The next number of a fixed random sequence, in 0 .. below - 1. */
int combination_random(uint64_t *random, int below);

/* Everything at random, except for the count narrowed ranges; N is at most 500
 * and P Q at most the processes of the job. */
combination_t combination_next(const range_t *narrowed, size_t count,
                               uint64_t *random);

/*
 * Solve c on the first P Q processes; NULL, or what is wrong with the result
 * on this process. Collective over the job.
 */
const char *combination_solve(const combination_t *c);

/* Print what is wrong, and the options of xhpl that repeat it; settings is a
 * part of them. */
void combination_print(const combination_t *c, const char *wrong,
                       const char *settings);

/* Combinations of one case: fewer in a job of many processes, where each takes
 * longer; 24 in jobs of 1, 4 and 9. */
int combinations_of_case(void);

/* Fail on every process if there are failures on any. */
void combinations_end(int failures);

#endif
