/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PROBES_H
#define HYB_PROBES_H

#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/plan/timing.h"

/*
 * What cores and memory give the teams of all processes at the same time,
 * whatever is solved; each takes about seconds. Collective over MPI_COMM_WORLD.
 */

/* Flop/s of multiply-adds on registers, of all processes together. */
double hyb_probe_ceiling(hyb_team_t *team, xh_isa_t isa, double seconds);

/*
 * B/s at which each process reads a matrix, as back-substitution does; of the
 * slowest.
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_probe_sweep(hyb_team_t *team, double seconds, double *rate_p);

#endif
