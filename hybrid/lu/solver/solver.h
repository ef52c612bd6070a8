/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_solver.h"
#include "hybrid/lu/state/resources.h"

/*
 * The fast solver: panel factorization, broadcast, row exchange and solve on
 * the host, the update on its cores and on devices. It fills the socket of
 * hpl_solver.h.
 */

/*
 * Take this process's share of its node, as the settings say, and install the
 * solver; collective over MPI_COMM_WORLD. What was found is logged. With the
 * setting solver=reference nothing happens.
 *
 * funneled  in  MPI allows threads beside the one that calls it; if not, one
 *               thread works
 * Errors: XH_ERR_INPUT     a setting that cannot be met, or a device that only
 *                          models time; said
 *         XH_ERR_MEMORY, XH_ERR_INTERNAL
 *         All processes return the worst of theirs; nothing is installed.
 */
xh_status_t hyb_solver_open(bool funneled);

/* What the open solver computes with; NULL: it is not open. */
const hyb_resources_t *hyb_solver_resources(void);

/* Return to the reference solver and free what was taken. */
void hyb_solver_close(void);

/* Report and record of the run are where they are kept: checkpoints of a test
 * that has passed go. Did they? Collective over MPI_COMM_WORLD, open or not. */
bool hyb_solver_results_kept(void);
