/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_LINKS_H
#define HYB_LINKS_H

#include "base/status.h"
#include "hybrid/plan/host_panel.h"
#include "hybrid/plan/messages.h"

/* What takes messages between processes. Collective over MPI_COMM_WORLD. */

/* The largest of all processes' values. */
double hyb_links_slowest(double value);

/*
 * Latency and bandwidth between each process and the one step ranks further,
 * around a ring, all at the same time. One process has no link: all 0.
 *
 * seconds  in  that it may take, about
 * Errors:  XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_links_measure(int step, double seconds,
                              hyb_model_link_t *link_p);

/*
 * Seconds of a panel of nb columns that all processes factor together, as a
 * column of processes does: median of so many calls, at most HYB_CALLS_MOST;
 * the slowest process counts.
 *
 * panel    in,out  rows below the top; the top is the first process's
 * members  in      of the team, that factor
 * Errors:  XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_links_panel_seconds(hyb_host_panel_t *panel, int members,
                                    int nb, int calls, double *seconds_p);

#endif
