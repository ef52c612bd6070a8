/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include "hybrid/lu/state/observer.h"
#include "hybrid/lu/state/timer.h"

/* ---- reports ------------------------------------------------------------- */

/* What a process has done since the factorization began. */
typedef struct {
    double time;          /* s of the process's own clock */
    double flop, seconds; /* the team's products, without run_delay */
    double run_delay;     /* s in which other threads used the team's cores */
    double cpu;           /* s of processor time within `seconds` */
    double planned;       /* flop/s per thread; 0: not predicted */
    double leader[HYB_ACTIVITIES]; /* s of the leader, by activity */
    double mhz, celsius;           /* NaN: unknown */
    double column, rank; /* process column; rank in the job (integers) */
    double is_last;      /* not 0: this process has finished */
    char host[64];
} hyb_health_report_t;

/* The newest reports of all processes, and the conclusions of process 0 of the
 * grid. */
typedef struct hyb_peers hyb_peers_t;

/* Returns NULL if there is no memory. */
hyb_peers_t *hyb_peers_create(int count, int columns);
void hyb_peers_destroy(hyb_peers_t *peers); /* accepts NULL */

/* Store a copy of the report of process `process` of the grid. */
void hyb_peers_add(hyb_peers_t *peers, int process,
                   const hyb_health_report_t *report);

/*
 * Compute the verdict. Log it if it was the same several times in a row and
 * differs from the last one logged, at most every ten seconds.
 */
void hyb_peers_judge(hyb_peers_t *peers, double now);

/* ---- the verdict --------------------------------------------------------- */

/*
 * The verdict tells whether some processes are slower than the rest, whether
 * all are slower than they could be, or whether communication is slow. The
 * verdict is a pure function of what each process did in the last seconds.
 */

/* One process in the last seconds. Shares are fractions of the time of its
 * leader, the thread that calls MPI. */
typedef struct {
    double rate;    /* flop/s per thread in updates; 0: too little data */
    double best;    /* highest flop per s of processor time so far */
    double planned; /* flop/s per thread; 0: not predicted */
    double
        run_delay; /* share of update time that other threads used its cores */
    double work;   /* share of swaps, solves, updates */
    double panel;  /* share of factoring */
    double messages; /* share of waiting for panels and rows, and forwarding
                        them */
    int column;      /* process column of the grid */
} hyb_sample_t;

typedef enum {
    HYB_TOO_EARLY, /* too little data */
    HYB_HEALTHY,
    HYB_SLOW_PROCESS,
    HYB_ALL_SLOW,
    HYB_MOST_SLOW, /* more than half of the processes, but not all */
    HYB_SLOW_MESSAGES,
    HYB_CROWDED /* other threads use the processes' cores */
} hyb_condition_t;

typedef struct {
    hyb_condition_t condition;
    int process;  /* the slowest process; if HYB_SLOW_MESSAGES, that with the
                     longest wait; if HYB_CROWDED, that with the largest
                     run_delay */
    int others;   /* number of other slow processes */
    double share; /* 0 to 1. If slow: its rate divided by the others' rate, or
                     by its possible rate. If HYB_SLOW_MESSAGES or HYB_CROWDED:
                     fraction of the time */
} hyb_verdict_t;

/*
 * samples   in  one per process, `count` entries
 * columns   in  process columns of the grid
 */
hyb_verdict_t hyb_verdict(const hyb_sample_t *samples, int count, int columns);

/* ---- during the factorization -------------------------------------------- */

/*
 * The health of the processes during a factorization. Every process regularly
 * reports to process 0 of the grid, without waiting. Process 0 compares the
 * reports and logs slow processes or slow communication. Only the leader calls
 * these functions.
 */
typedef struct {
    bool is_on;
    const hyb_observer_t *run;
    MPI_Comm comm; /* the grid's communicator; messages have their own tag */
    int me, count; /* my rank in the grid, and the number of processes */
    double next_report, interval; /* s */
    double next_sensors; /* when to read sensors next, as reading may be slow */
    hyb_health_report_t report, sent;
    MPI_Request request; /* request for `sent`; one at a time */
    /* Only on process 0: */
    hyb_peers_t *peers;
    bool *is_done; /* by process: has its last report arrived? */
} hyb_health_t;

/*
 * run      in  must exist until hyb_health_end
 * planned  in  flop/s per thread; 0: not predicted
 */
void hyb_health_begin(hyb_health_t *health, const hyb_observer_t *run,
                      double planned);

/* Send or receive reports, if it is time. */
void hyb_health_step(hyb_health_t *health);

/*
 * Note that this process has finished the factorization. Process 0 waits until
 * all processes have finished, so that it receives every report.
 */
void hyb_health_end(hyb_health_t *health);
