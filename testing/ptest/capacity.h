/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_CAPACITY_H
#define XHPL_CAPACITY_H

#include "base/status.h"
#include "testing/ptest/parameters.h"

/*
 * Add up on every node what the run's tests will take and compare it with what
 * the node has: a refusal now in place of a killed job later. Collective over
 * MPI_COMM_WORLD; governed by the settings memory_check and memory_reserve.
 *
 * Errors: XH_ERR_MEMORY  on all processes; one says node, need, what is
 *                        available, and the largest N that fits
 */
xh_status_t xhpl_capacity_check(const xhpl_parameters_t *parameters);

#endif
