/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_SOLVERS_H
#define XHPL_SOLVERS_H

#include <stdbool.h>
#include "base/status.h"

/*
 * Open the solver that the settings ask for, of those that this build has, and
 * install it; collective over MPI_COMM_WORLD. The one place that knows what
 * was built in.
 *
 * funneled  in  MPI allows threads beside the one that calls it
 * Errors: XH_ERR_INPUT  the build has no such solver, or its settings cannot be
 *                       met; said
 *         XH_ERR_MEMORY, XH_ERR_INTERNAL
 */
xh_status_t xhpl_solver_open(bool funneled);
void xhpl_solver_close(void);

/*
 * Around the first exchange of this process with all others: say on stderr
 * that it waits for them when that takes longer than the watchdog's patience,
 * as the environment has it; there are no other settings yet. A build without
 * a watchdog says nothing.
 * Order: behind MPI_Init_thread
 */
void xhpl_start_watch_begin(int rank, bool funneled);
void xhpl_start_watch_end(void);

#endif
