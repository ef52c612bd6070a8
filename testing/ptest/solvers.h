/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"

/*
 * Open and install the solver that the settings ask for; collective over
 * MPI_COMM_WORLD. Only this file knows which solvers are built in.
 *
 * funneled  in  MPI allows threads besides the one that calls it
 * Errors: XH_ERR_INPUT  the build has no such solver, or its settings cannot be
 *                       met: reported
 *         XH_ERR_MEMORY, XH_ERR_INTERNAL
 */
xh_status_t xhpl_solver_open(bool funneled);
void xhpl_solver_close(void);

/*
 * Delete the checkpoints of a test that has passed, once report and record of
 * the run are written. Returns whether they were deleted. Collective over
 * MPI_COMM_WORLD; the solver may be closed.
 */
bool xhpl_solver_delete_checkpoints(void);

/*
 * Enclose the first exchange of this process with all others: report on stderr
 * that it waits if that takes longer than the watchdog's patience, which only
 * the environment can set this early. A build without a watchdog reports
 * nothing. Order: after MPI_Init_thread
 */
void xhpl_start_watch_begin(int rank, const char *host, bool funneled);
void xhpl_start_watch_end(void);

/*
 * From now on detect hangs: report the process that holds up the job, and end
 * the job; collective over MPI_COMM_WORLD, after the settings are shared. A
 * build without the hybrid solver does nothing.
 */
void xhpl_hang_watch_begin(void);
void xhpl_hang_watch_end(void);
