/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_CLOCKS_H
#define XHPL_RECORD_CLOCKS_H

#include <jansson.h>
#include <mpi.h>
#include "base/status.h"
#include "testing/ptest/record_energy.h"

/*
 * Clock rates of the cores that the solver uses, and the temperature, while a
 * test runs. On the first process of each host a thread reads them some time
 * after the timed phase has begun, and then at intervals. A shorter phase is
 * read once, right after it.
 */
typedef struct xhpl_clocks xhpl_clocks_t;

/*
 * local_rank  in  of this process on its host
 * first       in  seconds from the start of the phase to the first reading
 * between     in  seconds between two readings
 * energy      in  is read at the same times, before its counters wrap; NULL:
 *                 none
 *
 * Order:  before threads are pinned: the thread may run on other cores.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_clocks_open(int local_rank, double first, double between,
                             xhpl_energy_t *energy, xhpl_clocks_t **clocks_p);
void xhpl_clocks_close(xhpl_clocks_t *clocks); /* accepts NULL */

/* Find out which cores the solver, which is open, uses; collective over
 * MPI_COMM_WORLD. */
void xhpl_clocks_begin(xhpl_clocks_t *clocks);

/* Around the timed phase of a test. */
void xhpl_clocks_start(xhpl_clocks_t *clocks);
void xhpl_clocks_stop(xhpl_clocks_t *clocks);

/*
 * "clocks" of the last test on process 0 of comm, the processes of the test;
 * NULL on others. Collective.
 */
json_t *xhpl_clocks_gather(const xhpl_clocks_t *clocks, MPI_Comm comm);

#endif
