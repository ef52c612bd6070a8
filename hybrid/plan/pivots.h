/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_PIVOTS_H
#define XHPL_PIVOTS_H

#include "base/status.h"
#include "hybrid/plan/host_panel.h"

/*
 * Seconds of a panel of nb columns that all processes factor together, as the
 * solver does in a column of processes: median of so many calls,
 * 1 <= calls <= 16, the slowest process counts. Collective over MPI_COMM_WORLD.
 *
 * panel    in/out  rows below the top; the top is the first process's
 * members  in      of the team, that factor
 * Errors:  XH_ERR_MEMORY  on all processes
 */
xh_status_t xhpl_pivots_seconds(xhost_panel_t *panel, int members, int nb,
                                int calls, double *seconds_p);

#endif
