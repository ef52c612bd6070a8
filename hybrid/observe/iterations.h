/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_ITERATIONS_H
#define HYB_ITERATIONS_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

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

enum { HYB_ITERATION_DEVICES = 8 }; /* that have columns of their own */

/* what is common to the rows of one run */
typedef struct {
    int n, nb;
    int nprow, npcol;
    int64_t iterations; /* that room is made for */
} hyb_iterations_run_t;

/*
 * One iteration on this process. Times are seconds, 0 where there was none.
 * panel to wait_device are what one thread, the one that calls MPI, spent: it
 * does one thing at a time, so they add up to no more than seconds.
 */
typedef struct {
    int iteration;         /* k: the panel that is applied */
    int mode;              /* of look-ahead: 0, 1, 2 */
    const char *reason;    /* why this mode; static memory, NULL: unsaid */
    int64_t columns_left;  /* local columns of the trailing matrix */
    int panel_threads;     /* that factored a panel here, 0: none did */
    int devices;           /* that have entries below, at most 8 */
    double begin;          /* xh_clock_now when it began */
    double seconds;        /* from begin to begin of the next */
    double gflops;         /* 10^9 flop/s of this process, of all it did */
    double share_used;     /* devices' part of the update, 0 to 1, or NAN */
    double share_measured; /* the part that would have balanced, or NAN */
    double panel;          /* factoring a panel */
    double broadcast;      /* moving panels on, besides waiting for them */
    double exchange;       /* rows between processes: packing and messages */
    double swap;           /* rows on this process */
    double solve;          /* U := L1^-1 U */
    double update_host;    /* C := C - L2 U, also of devices' tiles */
    double wait_panel;     /* for a panel of another process column */
    double wait_exchange;  /* for rows of other processes */
    double wait_device;    /* for columns of devices, or of other threads */
    double update_device[HYB_ITERATION_DEVICES]; /* device d multiplied */
    double device_wait[HYB_ITERATION_DEVICES];   /* device d had no tile, for
                                                    want of ready columns */
} hyb_iteration_t;

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
