/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/rivals.h"
#include "testing/planner/choices.h"
#include "testing/ptest/command_line.h"
#include "testing/ptest/plan_options.h"

/* Output of a plan for its reader; only process 0 prints. */

/*
 * Choose the order of processes on the grid: the better of row-major, as
 * measured, and column-major, where the links of rows and columns are swapped.
 *
 * best  in,out  with the prediction of that order
 * Returns PMAP of HPL.dat.
 */
int xhpl_advice_order(const xhpl_job_t *job, const xhpl_extent_t *planned,
                      xhpl_choice_t *best);

/*
 * Write the file of --write, if there is one.
 * Errors: XH_ERR_INPUT  it cannot be written: reported
 */
xh_status_t xhpl_advice_write(const xhpl_command_t *command,
                              const xhpl_choice_t *best, int pmap);

/* Find the programs that disturb the measurement, or how to find them. Takes
 * 0.2 s. */
xh_rivals_t xhpl_advice_rivals(void);

/*
 * Report that the plan or prediction is worthless, why, and what to do: as an
 * error, or with --force on stdout, above the table.
 *
 * others  in  the share of the measuring time that other programs had
 *
 * Errors: XH_ERR_INPUT  without --force: reported, and there is no table
 */
xh_status_t xhpl_advice_worthless(const xhpl_command_t *command, double others);

/* Return the word for an estimate of `times` times the plan's rate; "" if that
 * is lower. */
const char *xhpl_advice_estimate(double times);

/*
 * Print on stdout what best needs and what limits its N, what other numbers of
 * processes per node would need, and at last the command that runs the plan:
 * with the file of --write, or with options.
 *
 * compares  in  other numbers are compared; not if devices take part
 */
void xhpl_advice_print(const xhpl_command_t *command, const xhpl_job_t *job,
                       const xhpl_extent_t *planned, const xhpl_choice_t *best,
                       int pmap, bool compares);
