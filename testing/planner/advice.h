/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_ADVICE_H
#define XHPL_ADVICE_H

#include "testing/planner/choices.h"
#include "testing/ptest/order.h"
#include "testing/ptest/request.h"

/* A plan in words, for whoever reads it; on process 0. */

/*
 * The order of processes on the grid: the better of best by rows, as measured,
 * and by columns, where neighbours change places.
 *
 * best  in,out  with the prediction of that order
 * Returns PMAP of HPL.dat.
 */
int xhpl_advice_order(const xhpl_job_t *job, const xhpl_extent_t *planned,
                      xhpl_choice_t *best);

/*
 * Write the file of --write, if there is one.
 * Errors: XH_ERR_INPUT  the plan is worthless and --force was not given, or the
 *                       file cannot be written: reported
 */
xh_status_t xhpl_advice_write(const xhpl_order_t *order,
                              const xhpl_choice_t *best, int pmap,
                              bool is_worthless);

/*
 * Print on stdout what best takes, what other numbers of processes per node
 * would, and last the command that runs it.
 *
 * compares  in  may other numbers be compared? Not where devices take part
 * dat       in  the file that was written; NULL: the command has options
 */
void xhpl_advice_print(const xhpl_job_t *job, const xhpl_extent_t *planned,
                       const xhpl_choice_t *best, int pmap, bool compares,
                       const char *dat);

#endif
