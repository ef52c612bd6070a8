/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "hybrid/lu/state/resources.h"

/*
 * Flop/s of this process in updates with panels of nb: of its threads, as all
 * processes update at the same time, and of its devices, as their tables have
 * it; where those lack one, as they work meanwhile. Collective over
 * MPI_COMM_WORLD.
 *
 * Cost:   seconds, and an update more
 * Errors: XH_ERR_INPUT   the devices cannot be measured: said
 *         XH_ERR_MEMORY
 *         on all processes
 */
xh_status_t hyb_process_rate(const hyb_resources_t *resources, int nb,
                             double seconds, double *rate_p);
