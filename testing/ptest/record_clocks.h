/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_CLOCKS_H
#define XHPL_RECORD_CLOCKS_H

#include <jansson.h>
#include <mpi.h>
#include "base/status.h"

/*
 * Clocks of the cores that the solver uses, and the temperature, while a test
 * runs. On the first process of each host a thread reads them first when
 * the timed phase has lasted a while, and again and again from then on; where
 * it is shorter they are read once, right behind it. Else that thread sleeps.
 */
typedef struct xhpl_clocks xhpl_clocks_t;

/*
 * local_rank      in  of this process on its host
 * first, between  in  s from the beginning; between two readings
 *
 * Order:  before threads are pinned: the thread may run where others do not.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_clocks_open(int local_rank, double first, double between,
                             xhpl_clocks_t **clocks_p);
void xhpl_clocks_close(xhpl_clocks_t *clocks); /* accepts NULL */

/* The solver is open: find out which cores it uses. Collective over
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
