/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RUN_H
#define XHPL_RUN_H

#include <stdint.h>
#include <stdio.h>
#include "testing/ptest/plan.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/record.h"

/* how the tests of a run went */
typedef struct {
    int64_t failed;  /* residuals above the threshold or not finite */
    int64_t skipped; /* tests that could not be run */
} xhpl_outcome_t;

/*
 * Run all tests in order and report them; collective over MPI_COMM_WORLD, which
 * has enough processes for every grid.
 *
 * out        in   the output device; used by process 0 only
 * record     in   NULL: none
 * forecast   in   what each test should take, for progress and record
 * outcome_p  out  the same on all processes
 *
 * Errors: a failure at run time ends the job
 */
void xhpl_run(const xhpl_parameters_t *parameters, FILE *out,
              xhpl_record_t *record, const xhpl_forecast_t *forecast,
              xhpl_outcome_t *outcome_p);

#endif
