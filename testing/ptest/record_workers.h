/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_WORKERS_H
#define XHPL_RECORD_WORKERS_H

#include <jansson.h>

/*
 * Add to "hosts" what the solver in use took of them: to each rank its threads
 * and cores, to each host what all of it is and what these cores can do, which
 * is measured here; where it was measured before, the larger is kept.
 * Collective over MPI_COMM_WORLD.
 *
 * hosts  in,out  on process 0; unused on others
 *
 * Order:  the solver is open, and its threads have no work.
 */
void xhpl_record_workers(json_t *hosts);

/* "kernel": of this process's updates, as the solver tells it. */
json_t *xhpl_record_kernel(void);

#endif
