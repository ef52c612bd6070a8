/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_RANKS_H
#define XHPL_RECORD_RANKS_H

#include <jansson.h>
#include <mpi.h>
#include <stdint.h>
#include "hpl_solver.h"

/*
 * What each process did in a test, some numbers of each. Process 0 keeps them
 * for the first tests of a run only: thousands of tests of thousands of
 * processes would fill its memory. All zero is one of no test.
 */
typedef struct {
    struct xhpl_share *share; /* of each, by its rank in the job; NULL: none */
    int count;
    int64_t taken; /* numbers of processes in all tests so far */
} xhpl_ranks_t;

/*
 * Those of comm, the processes of a test, after it; collective.
 *
 * system  in  that was solved; unused where the solver does not tell
 */
void xhpl_ranks_gather(xhpl_ranks_t *ranks, MPI_Comm comm,
                       const hpl_system_t *system);

/* "ranks" of the test that was gathered last, on process 0. */
json_t *xhpl_ranks_take(xhpl_ranks_t *ranks);

void xhpl_ranks_free(xhpl_ranks_t *ranks);

#endif
