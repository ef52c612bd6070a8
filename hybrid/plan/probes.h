/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_PROBES_H
#define XHPL_PROBES_H

#include "base/status.h"
#include "hybrid/lu/factor.h"

/*
 * What cores and memory give the teams of all processes at the same time,
 * whatever is solved; each takes about seconds. Collective over MPI_COMM_WORLD.
 */

/* Flop/s of multiply-adds on registers, of all processes together. */
double xhpl_probe_ceiling(const hyb_means_t *means, double seconds);

/*
 * B/s at which each process reads a matrix, as back-substitution does; of the
 * slowest.
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t xhpl_probe_sweep(const hyb_means_t *means, double seconds,
                             double *rate_p);

#endif
