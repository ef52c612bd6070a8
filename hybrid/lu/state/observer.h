/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "hpl_solver.h"
#include "hybrid/lu/state/timer.h"

/*
 * The events of a factorization, for parts that only listen: record, progress,
 * diagnosis, watchdog. The leader reports all of them. Nothing here decides.
 */
enum { HYB_ITERATION_DEVICES = 8 }; /* devices that have columns of their own */

/*
 * One iteration on this process. Times are seconds, 0 where there was none. The
 * times from `panel` to `wait_device` are times of one thread, the leader,
 * which does one thing at a time, so they add up to no more than `seconds`.
 */
typedef struct {
    int iteration;         /* k: the panel that is applied */
    int mode;              /* look-ahead: 0, 1, 2 */
    const char *reason;    /* why this mode; static memory; NULL: no reason */
    int64_t columns_left;  /* local columns of the trailing matrix */
    int panel_threads;     /* threads that factored a panel here; 0: none did */
    int devices;           /* devices that have entries below, at most 8 */
    double begin;          /* xh_clock_now when it began */
    double seconds;        /* until the next iteration begins */
    double gflops;         /* 10^9 flop/s of all work of this process */
    double share_used;     /* devices' part of the update, 0 to 1, or NAN */
    double share_measured; /* the part that would have balanced, or NAN */
    double panel;          /* factoring a panel */
    double broadcast;      /* passing panels on, waiting excluded */
    double exchange;       /* rows between processes: packing and messages */
    double swap;           /* rows on this process */
    double solve;          /* U := L1^-1 U */
    double update_host;    /* C := C - L2 U, also of tiles taken from devices */
    double wait_panel;     /* for a panel of another process column */
    double wait_exchange;  /* for rows from other processes */
    double wait_device;    /* for columns from devices or other threads */
    /* A device factored a panel meanwhile; NAN: none did. */
    double panel_device;
    double update_device[HYB_ITERATION_DEVICES]; /* device d multiplied */
    /* Device d had nothing to multiply, and nothing was coming. */
    double device_wait[HYB_ITERATION_DEVICES];
    double link_wait[HYB_ITERATION_DEVICES]; /* device d only copied over its
                                                link */
} hyb_iteration_t;

/* The factorization that observers listen to, and the functions that tell
 * them. */
typedef struct hyb_observer hyb_observer_t;

struct hyb_observer {
    /* The factorization sets the next fields before it begins; they stay valid
     * until the end. */
    const HPL_T_grid *grid;
    int n, nb, iterations;
    int members; /* threads of the team */
    const hyb_worker_t *worker;
    int devices;                  /* devices of this process that take part */
    const hpl_device_work_t *did; /* what each device did so far */

    void (*begin)(const hyb_observer_t *run);
    /* An iteration opens; updates before it leave `columns_left` of the n
     * columns. */
    void (*step)(int64_t columns_left);
    /* An iteration is complete here. Iterations come in order. */
    void (*iteration)(const hyb_iteration_t *row);
    void (*end)(void);
};
