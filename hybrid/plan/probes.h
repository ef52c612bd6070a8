/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/plan/host_parts.h"
#include "hybrid/plan/model.h"

/*
 * What cores, memory and links give all processes at the same time, whatever is
 * solved, measured in about so many seconds. Collective over MPI_COMM_WORLD.
 */

/* The largest of all processes' values. */
double hyb_slowest(double value);

/* hyb_time_runs of as many runs as fit into seconds, at most nine, alike on all
 * processes, which begin together. */
hyb_seconds_t hyb_time_together(hyb_crew_t crew, void (*prepare)(void *context),
                                void (*run)(void *context), void *context,
                                double seconds);

/*
 * Flop/s of all devices of machine together in products with panels of nb and
 * columns of the host, which come and go, from what is known of them: not
 * collective. If a device's own rate is unknown it counts as each; with 0 the
 * sum is 0, as without devices.
 */
double hyb_probe_visitors(const hyb_machine_t *machine, int nb, double each);

/* Flop/s of multiply-adds on registers, of all processes together. */
double hyb_probe_ceiling(hyb_team_t *team, xh_isa_t isa, double seconds);

/*
 * B/s at which each process reads a matrix by kernel, as back-substitution
 * does; of the slowest.
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_probe_sweep(hyb_team_t *team, const hyb_kernel_t *kernel,
                            double seconds, double *rate_p);

/*
 * Between each process and the one step ranks further, around a ring. One
 * process has no link: link_p, all 0, stays.
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_probe_link(int step, double seconds, hyb_model_link_t *link_p);
