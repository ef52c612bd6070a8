/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"
#include "testing/ptest/command_line.h"

/* What became of it. */
typedef struct {
    int64_t shapes, tried; /* grids times NBs of the tests; those tried */
    int wrong;             /* processes with a wrong result */
    double seconds;
} xhpl_trust_t;

/*
 * Before any matrix is filled: the solver's self-test, for each grid and NB
 * with the largest N and the first form of the algorithm, until a second is
 * over or a result is wrong. With trust=off nothing is tried. Collective over
 * MPI_COMM_WORLD, with a solver open.
 *
 * Errors: XH_ERR_INTERNAL  a wrong result: logged, the first of each process
 */
xh_status_t xhpl_trust(const xhpl_command_t *command, xhpl_trust_t *trust_p);
