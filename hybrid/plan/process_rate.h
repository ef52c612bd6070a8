/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "hybrid/lu/state/resources.h"

/*
 * Measure the flop/s of this process in updates with panels of nb columns: of
 * its threads, while all processes update; and of its devices, from their
 * tables of rates, or from updates at the same time if a table lacks the rate.
 * Collective over MPI_COMM_WORLD.
 *
 * Cost:   `seconds`, and one more update
 * Errors: XH_ERR_INPUT   logged: the devices cannot be measured
 *         XH_ERR_MEMORY
 *         on all processes
 */
xh_status_t hyb_process_rate(const hyb_resources_t *resources, int nb,
                             double seconds, double *rate_p);
