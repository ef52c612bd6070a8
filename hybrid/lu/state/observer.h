/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "hpl_solver.h"
#include "hybrid/lu/state/timer.h"

/*
 * The events of a factorization, for those who only listen: record, progress,
 * diagnosis, watchdog. All are told by the leader. Nothing here decides.
 */
enum { HYB_ITERATION_DEVICES = 8 }; /* that have columns of their own */

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
    double panel_device;   /* a device factored a panel meanwhile; NAN: none */
    double update_device[HYB_ITERATION_DEVICES]; /* device d multiplied */
    double device_wait[HYB_ITERATION_DEVICES];   /* device d had nothing to
                                                    multiply, or to come */
    double link_wait[HYB_ITERATION_DEVICES];     /* device d did nothing but
                                                    copy over its link */
} hyb_iteration_t;

/* The factorization that they listen to, and what they are told. */
typedef struct hyb_observer hyb_observer_t;

struct hyb_observer {
    /* It sets these before it begins; all of it lives until the end. */
    const HPL_T_grid *grid;
    int n, nb, iterations;
    int members; /* threads of the team */
    const hyb_worker_t *worker;
    int devices;                  /* of this process, that take part; */
    const hpl_device_work_t *did; /* what each did so far */

    void (*begin)(const hyb_observer_t *run);
    /* An iteration opens; the updates before leave so many columns of n. */
    void (*step)(int64_t columns_left);
    /* An iteration is complete here. In order. */
    void (*iteration)(const hyb_iteration_t *row);
    void (*end)(void);
};
