/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "testing/ptest/command_line.h"
#include "testing/ptest/test_list.h"
#include "testing/ptest/record.h"

/*
 * Run all tests of command and report them; collective over MPI_COMM_WORLD,
 * which has enough processes for every grid. Returns the exit status of the
 * program, the same on all processes.
 *
 * out        in   the output device; used by process 0 only
 * record     in   NULL: none
 * forecast   in   expected times, for progress and record
 * weights    in   rates by which columns are dealt; NULL: equally many each
 * solved_p   out  whether any test was solved, the same on all processes
 *
 * Errors: a failure at run time ends the job
 */
int xhpl_run(const xhpl_command_t *command, FILE *out, xhpl_record_t *record,
             const xhpl_forecast_t *forecast, const xhpl_weights_t *weights,
             bool *solved_p);
