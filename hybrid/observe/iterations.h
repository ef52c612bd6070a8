/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_ITERATIONS_H
#define HYB_ITERATIONS_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "hybrid/lu/observer.h"

/*
 * The record of what each iteration of each run, which is one system solved,
 * was like on this process: kept as rows and given out as CSV. Rows are always
 * kept: one a panel costs nothing. One thread at a time.
 *
 *     hyb_iterations_begin(log, &run);
 *     for each panel k
 *         hyb_iterations_add(log, &row);
 */
typedef struct hyb_iterations hyb_iterations_t;

/* what is common to the rows of one run */
typedef struct {
    int n, nb;
    int nprow, npcol;
    int64_t iterations; /* that room is made for */
} hyb_iterations_run_t;

/* Errors: XH_ERR_MEMORY */
xh_status_t hyb_iterations_open(hyb_iterations_t **log_p);
void hyb_iterations_close(hyb_iterations_t *log); /* accepts NULL */

/*
 * Rows added from now on belong to a new run: a copy of *run.
 * Errors: XH_ERR_MEMORY  the rows of this run will be left out: said
 */
xh_status_t hyb_iterations_begin(hyb_iterations_t *log,
                                 const hyb_iterations_run_t *run);

/* Keep a copy of row; rows beyond those that room was made for are left out. */
void hyb_iterations_add(hyb_iterations_t *log, const hyb_iteration_t *row);

/*
 * All rows as CSV, a line each, preceded by the names of the columns if rank
 * is 0. The columns: rank, run (those of this process, counted from 0), n, nb,
 * p, q, then the members of hyb_iteration_t by name without devices,
 * update_device as update_device_0 to update_device_7, device_wait as
 * device_wait_0 to device_wait_7. A cell is empty where a value is not finite,
 * there is no such device, or no reason. begin counts from zero.
 *
 * rank    in   written in each row
 * zero    in   s of xh_clock_now
 * csv_p   out  the caller's to free(), ends with a 0 byte
 * size_p  out  bytes, without that one
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_iterations_csv(const hyb_iterations_t *log, int rank,
                               double zero, char **csv_p, size_t *size_p);

#endif
