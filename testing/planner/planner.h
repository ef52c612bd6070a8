/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "testing/ptest/test_list.h"
#include "testing/ptest/command_line.h"
#include "testing/ptest/weights.h"

/*
 * --plan, --predict, predict=on and weights=measure; with a solver open. A
 * build with HYBRID=no refuses them.
 */

/* Measure, print the answer on stdout, write a file. Collective over
 * MPI_COMM_WORLD. Returns the program's exit status; an error is reported. */
int xhpl_planner_answer(const xhpl_command_t *command);

/*
 * With predict=on, measure what the forecast of the tests of parameters needs.
 * Collective over MPI_COMM_WORLD.
 *
 * weights     in   rates by which columns are dealt, until all tests are done;
 *                  NULL: equally many each
 * forecast_p  out  of the tests; all zero with predict=off
 * Cost:   about plan_seconds, at most four seconds; more with many NB, as each
 *         takes some calls
 * Errors: XH_ERR_INPUT   not with this solver, or not in this build: reported
 *         XH_ERR_MEMORY
 *         on all processes
 */
xh_status_t xhpl_planner_forecast(const xhpl_parameters_t *parameters,
                                  const xhpl_weights_t *weights,
                                  xhpl_forecast_t *forecast_p);

/*
 * For weights=measure, measure the flop/s of this process with the widest
 * panels of nb. Collective over MPI_COMM_WORLD.
 *
 * Cost:   a second
 * Errors: XH_ERR_INPUT   not with this solver, in this build, or with its
 *                        devices: reported
 *         XH_ERR_MEMORY
 *         on all processes
 */
xh_status_t xhpl_planner_rate(const xhpl_list_t *nb, double *rate_p);
