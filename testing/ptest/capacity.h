/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "hpl_solver.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/weights.h"

/*
 * Check that every node has the memory that the tests need, so that a run that
 * would be killed later is refused. Collective over MPI_COMM_WORLD; uses the
 * setting memory_reserve.
 *
 * weights  in  rates by which columns are dealt; NULL: equally many columns
 *              each
 *
 * Errors: XH_ERR_MEMORY  on all processes; one reports the node, the need, what
 *                        is available, and the largest N that fits
 */
xh_status_t xhpl_capacity_check(const xhpl_parameters_t *parameters,
                                const xhpl_weights_t *weights);

typedef struct {
    double node_bytes; /* available on the node with the least memory; INFINITY:
                          unknown */
    int processes;     /* on the node with the most processes */
    int nodes;
} xhpl_capacity_t;

/* Collective over MPI_COMM_WORLD. */
xhpl_capacity_t xhpl_capacity_of_nodes(void);

/* All memory of a process for a system of shape, in bytes. */
double xhpl_capacity_bytes(const hpl_shape_t *shape);
