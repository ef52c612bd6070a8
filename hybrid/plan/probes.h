/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/trial/host_parts.h"
#include "hybrid/plan/model.h"

/*
 * Measure the rates of cores, memory and links while all processes use them,
 * independent of the system to solve, in about `seconds` seconds. Collective
 * over MPI_COMM_WORLD.
 */

/* Return the largest value of all processes. */
double hyb_slowest(double value);

/* Call hyb_time_runs for as many runs as fit into `seconds`, at most nine, with
 * the same number on all processes, which begin together. */
hyb_seconds_t hyb_time_together(hyb_crew_t crew, void (*prepare)(void *context),
                                void (*run)(void *context), void *context,
                                double seconds);

/*
 * Return the flop/s of all devices of `machine` together in products of panels
 * of nb columns with visitors, from known rates; not collective. A device whose
 * rate is unknown counts with the rate `default_rate`; if that is 0, the result
 * is 0, as without devices.
 */
double hyb_probe_visitors(const hyb_machine_t *machine, int nb,
                          double default_rate);

/* Return the flop/s of multiply-adds in registers, of all processes together.
 */
double hyb_probe_ceiling(hyb_team_t *team, xh_isa_t isa, double seconds);

/*
 * Measure the bytes/s at which the slowest process reads a matrix by `kernel`,
 * as in the back-substitution.
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_probe_sweep(hyb_team_t *team, const hyb_kernel_t *kernel,
                            double seconds, double *rate_p);

/*
 * Measure the link between each process and the process `step` ranks after it,
 * in a ring. With one process, link_p stays unchanged.
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_probe_link(int step, double seconds, hyb_model_link_t *link_p);
