/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include "hybrid/lu/state/observer.h"
#include "hybrid/lu/state/timer.h"

/* ---- reports ------------------------------------------------------------- */

/* What a process has done since the factorization began. */
typedef struct {
    double time;          /* s of the process's clock */
    double flop, seconds; /* of its team's products, without run_delay */
    double run_delay;     /* s that other threads had the cores of its team */
    double cpu;           /* s of processor time within seconds */
    double planned;       /* flop/s of a thread; 0: nothing was predicted */
    double leader[HYB_ACTIVITIES]; /* s */
    double mhz, celsius;           /* NAN: unknown */
    double column, rank;           /* process column; rank in the job */
    double is_last;                /* not 0: the process has finished */
    char host[64];
} hyb_health_report_t;

/* The newest reports of all processes, and what process 0 of the grid concludes
 * from them. */
typedef struct hyb_peers hyb_peers_t;

/* NULL: no memory. */
hyb_peers_t *hyb_peers_create(int count, int columns);
void hyb_peers_destroy(hyb_peers_t *peers); /* accepts NULL */

/* Store a copy of the report of a process of the grid. */
void hyb_peers_add(hyb_peers_t *peers, int process,
                   const hyb_health_report_t *report);

/*
 * Compute the verdict, and log it if it was the same several times in a row and
 * differs from the one logged last: at most every ten seconds.
 */
void hyb_peers_judge(hyb_peers_t *peers, double now);

/* ---- the verdict --------------------------------------------------------- */

/*
 * Are some processes slower than the others, or all slower than they could be,
 * or is communication slow? A pure function of what each process did in the
 * last seconds.
 */

/* One process in the last seconds. Shares are of the time of its leader, the
 * thread that calls MPI. */
typedef struct {
    double rate;    /* flop/s of a thread in updates; 0: too little to tell */
    double best;    /* flop per s of processor time, the best so far */
    double planned; /* flop/s of a thread; 0: nothing was predicted */
    double
        run_delay;   /* share of update time that other threads had its cores */
    double work;     /* share: swaps, solves, updates */
    double panel;    /* share: factoring */
    double messages; /* share: waiting for panels and rows, and sending them on
                      */
    int column;      /* of the grid */
} hyb_sample_t;

typedef enum {
    HYB_TOO_EARLY, /* nothing can be said */
    HYB_HEALTHY,
    HYB_SLOW_PROCESS,
    HYB_ALL_SLOW,
    HYB_MOST_SLOW, /* more than half, but not all */
    HYB_SLOW_MESSAGES,
    HYB_CROWDED /* other threads have cores of the processes */
} hyb_condition_t;

typedef struct {
    hyb_condition_t condition;
    int process;  /* the slowest; HYB_SLOW_MESSAGES: with the longest wait;
                     HYB_CROWDED: with the largest run_delay */
    int others;   /* number of further slow processes */
    double share; /* 0 to 1. Slow: the rate divided by that of the others, or by
                     what could be reached. HYB_SLOW_MESSAGES, HYB_CROWDED:
                     part of the time */
} hyb_verdict_t;

/*
 * samples   in  of each process, count of them
 * columns   in  of the grid
 */
hyb_verdict_t hyb_verdict(const hyb_sample_t *samples, int count, int columns);

/* ---- during the factorization -------------------------------------------- */

/*
 * The health of the processes during a factorization. Every process reports to
 * process 0 of the grid from time to time, without waiting. Process 0 compares
 * the reports and logs slow processes or slow communication. All calls are the
 * leader's.
 */
typedef struct {
    bool is_on;
    const hyb_observer_t *run;
    MPI_Comm comm;                /* the grid's, with a tag of its own */
    int me, count;                /* processes */
    double next_report, interval; /* s */
    double next_sensors;          /* when to read sensors, which may be slow */
    hyb_health_report_t report, sent;
    MPI_Request request; /* of sent; one at a time */
    /* only on process 0: */
    hyb_peers_t *peers;
    bool *is_done; /* by process: its last report has arrived */
} hyb_health_t;

/*
 * run      in  exists until the end
 * planned  in  flop/s of a thread; 0: nothing was predicted
 */
void hyb_health_begin(hyb_health_t *health, const hyb_observer_t *run,
                      double planned);

/* Report or receive reports, if it is time. */
void hyb_health_step(hyb_health_t *health);

/*
 * The factorization is done on this process. Process 0 waits until it is done
 * on all, so that no report remains unreceived.
 */
void hyb_health_end(hyb_health_t *health);
