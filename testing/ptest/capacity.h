/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_CAPACITY_H
#define XHPL_CAPACITY_H

#include "base/status.h"
#include "hpl_solver.h"
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

typedef struct {
    double node_bytes; /* that this run may take of the node that has least;
                          INFINITY: no system tells */
    int processes;     /* of the node that has most */
    int nodes;
} xhpl_capacity_t;

/* Collective over MPI_COMM_WORLD. */
xhpl_capacity_t xhpl_capacity_of_nodes(void);

/* Bytes that a process takes with a system of shape, all of it. */
double xhpl_capacity_bytes(const hpl_shape_t *shape);

#endif
