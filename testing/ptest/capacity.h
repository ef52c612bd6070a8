/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "hpl_solver.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/weights.h"

/*
 * Check that every node has the memory that the run's tests need, to refuse a
 * run that would be killed later. Collective over MPI_COMM_WORLD; uses the
 * setting memory_reserve.
 *
 * weights  in  by which processes get columns; NULL: equally many
 *
 * Errors: XH_ERR_MEMORY  on all processes; one reports the node, the need, what
 *                        is available, and the largest N that fits
 */
xh_status_t xhpl_capacity_check(const xhpl_parameters_t *parameters,
                                const xhpl_weights_t *weights);

typedef struct {
    double node_bytes; /* for this run on the node with the least memory;
                          INFINITY: unknown */
    int processes;     /* of the node with the most processes */
    int nodes;
} xhpl_capacity_t;

/* Collective over MPI_COMM_WORLD. */
xhpl_capacity_t xhpl_capacity_of_nodes(void);

/* All memory of a process with a system of shape, in bytes. */
double xhpl_capacity_bytes(const hpl_shape_t *shape);
