/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"
#include "testing/ptest/command_line.h"

/* The result of the self-test. */
typedef struct {
    int64_t shapes, tried; /* pairs of grid and NB in the tests; those tried */
    int wrong;             /* processes with a wrong result */
    double seconds;
} xhpl_trust_t;

/*
 * Run the solver's self-test before any matrix is generated, for each grid and
 * NB with the largest N and the first variant of the algorithm, until a second
 * has passed or a result is wrong. With trust=off nothing is tried. Collective
 * over MPI_COMM_WORLD, with a solver open.
 *
 * Errors: XH_ERR_INTERNAL  a wrong result: logged, the first of each process
 */
xh_status_t xhpl_trust(const xhpl_command_t *command, xhpl_trust_t *trust_p);
