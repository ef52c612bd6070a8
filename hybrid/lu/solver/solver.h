/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_solver.h"
#include "hybrid/lu/state/resources.h"

/*
 * The fast solver: panel factorization, broadcast, row exchange and solve run
 * on the host, the update on its cores and on devices. The solver fills the
 * socket of hpl_solver.h.
 */

/*
 * Take this process's share of its node, as the settings ask, and install the
 * solver; collective over MPI_COMM_WORLD. Cores, kernel and devices are logged.
 * With the setting solver=reference nothing happens.
 *
 * funneled  in  MPI allows threads beside the one that calls it; if not, one
 *               thread computes
 * Errors: XH_ERR_INPUT     logged: a setting that cannot be met, or a device
 *                          that only models time
 *         XH_ERR_MEMORY, XH_ERR_INTERNAL
 *         On failure nothing is installed, and all processes return the worst
 *         error of any.
 */
xh_status_t hyb_solver_open(bool funneled);

/* Return the resources of the open solver; NULL: it is not open. */
const hyb_resources_t *hyb_solver_resources(void);

/* Install the reference solver again and free all resources. */
void hyb_solver_close(void);

/* Call this once report and record of the run are saved: if the newest test
 * passed on any process, remove its checkpoints and return true. Collective
 * over MPI_COMM_WORLD, whether the solver is open or not. */
bool hyb_solver_results_kept(void);
