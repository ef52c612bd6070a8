/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_PLANNER_H
#define XHPL_PLANNER_H

#include "base/status.h"
#include "testing/ptest/plan.h"
#include "testing/ptest/order.h"

/*
 * What --plan, --predict and the setting predict ask for; with a solver open.
 * A build without the solver that is measured refuses all of it.
 */

/*
 * Carry out an order whose task is a plan or a prediction: measure, print the
 * answer on stdout, write a file; collective over MPI_COMM_WORLD. Returns the
 * program's exit status: what cannot be met is said.
 */
int xhpl_planner_answer(const xhpl_order_t *order);

/*
 * With the setting predict measure what the tests of parameters need;
 * collective over MPI_COMM_WORLD.
 *
 * forecast_p  out  of these tests, all zero without the setting; as long as
 *                  the program runs
 *
 * Cost:   about plan_seconds, or four seconds if these are less; more with
 *         many NB, as some calls of each are made however long they take
 * Errors: XH_ERR_INPUT   not with this solver, or not in this build: said
 *         XH_ERR_MEMORY
 *         on all processes
 */
xh_status_t xhpl_planner_forecast(const xhpl_parameters_t *parameters,
                                  xhpl_forecast_t *forecast_p);

#endif
