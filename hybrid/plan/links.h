/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_LINKS_H
#define XHPL_LINKS_H

#include "base/status.h"
#include "hybrid/plan/model.h"

/*
 * Latency and bandwidth between each process and the one step ranks further,
 * around a ring, all at the same time; collective over MPI_COMM_WORLD. One
 * process has no link: all 0.
 *
 * seconds  in  that it may take, about
 * Errors:  XH_ERR_MEMORY  on all processes
 */
xh_status_t xhpl_links_measure(int step, double seconds, xhpl_link_t *link_p);

/* The largest of all processes' values. Collective over MPI_COMM_WORLD. */
double xhpl_links_slowest(double value);

#endif
