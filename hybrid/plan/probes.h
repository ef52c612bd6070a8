/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PROBES_H
#define HYB_PROBES_H

#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/plan/host_panel.h"
#include "hybrid/plan/rates.h"

/*
 * What cores, memory and links give all processes at the same time, whatever is
 * solved. Each takes about `seconds`, if it is told. Collective over
 * MPI_COMM_WORLD.
 */

/* The largest of all processes' values. */
double hyb_slowest(double value);

/* Flop/s of multiply-adds on registers, of all processes together. */
double hyb_probe_ceiling(hyb_team_t *team, xh_isa_t isa, double seconds);

/*
 * B/s at which each process reads a matrix, as back-substitution does; of the
 * slowest.
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_probe_sweep(hyb_team_t *team, double seconds, double *rate_p);

/*
 * Latency and bandwidth between each process and the one step ranks further,
 * around a ring. One process has no link: all 0.
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_probe_link(int step, double seconds, hyb_model_link_t *link_p);

/*
 * Seconds of a panel of nb columns that all processes factor together, as a
 * column of processes does: median of so many calls, at most HYB_CALLS_MOST;
 * the slowest process counts.
 *
 * panel    in,out  rows below the top; the top is the first process's
 * members  in      of the team, that factor
 * Errors:  XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_probe_panel(hyb_host_panel_t *panel, int members, int nb,
                            int calls, double *seconds_p);

#endif
