/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include "hybrid/lu/state/observer.h"
#include "hybrid/lu/state/timer.h"

/* ---- reports ------------------------------------------------------------- */

/* What a process did so far. */
typedef struct {
    double time;          /* s of the process's clock */
    double flop, seconds; /* of products of its team */
    double run_delay; /* s that others had its threads' cores, beside these */
    double cpu;       /* of seconds: at work */
    double planned;   /* flop/s of a thread; 0: nothing was predicted */
    double leader[HYB_ACTIVITIES]; /* s */
    double mhz, celsius;           /* NAN: not told */
    double column, rank;           /* of the grid; in the job */
    double last;                   /* not 0: it is done */
    char host[64];
} hyb_report_t;

/*
 * The reports of all processes of late, as the first one keeps them, and what
 * it says of them.
 */
typedef struct hyb_peers hyb_peers_t;

/* NULL: no memory. */
hyb_peers_t *hyb_peers_create(int count, int columns);
void hyb_peers_destroy(hyb_peers_t *peers); /* accepts NULL */

/* Keep a copy of the report of a process of the grid. */
void hyb_peers_hear(hyb_peers_t *peers, int process,
                    const hyb_report_t *report);

/*
 * Judge what was heard, and say the verdict once it has held for a while and
 * is another than what was said last: at most every ten seconds.
 */
void hyb_peers_judge(hyb_peers_t *peers, double now);

/* ---- the verdict --------------------------------------------------------- */

/*
 * Are some processes slower than others, or all slower than they could be, or
 * is it the communication? A pure function of what each process did in the last
 * seconds.
 */

/* One process. Shares are of the time, of the thread that calls MPI. */
typedef struct {
    double rate;    /* flop/s of a thread in updates; 0: too little to tell */
    double usual;   /* flop/s of its processor at work, the best so far */
    double planned; /* flop/s of a thread that was predicted; 0: nothing was */
    double run_delay; /* share of its updates in which others had its cores */
    double work;      /* share: swaps, solves, updates */
    double panel;     /* share: factoring */
    double wait; /* share: for panels and rows of others, and moving them on */
    int column;  /* of the grid */
} hyb_pulse_t;

typedef enum {
    HYB_TOO_EARLY, /* nothing can be said */
    HYB_HEALTHY,
    HYB_SLOW_PROCESS,
    HYB_ALL_SLOW,
    HYB_MOST_SLOW, /* more than half, but not all */
    HYB_SLOW_MESSAGES,
    HYB_CROWDED /* others have cores of theirs */
} hyb_condition_t;

typedef struct {
    hyb_condition_t condition;
    int process;  /* the slowest, or the one that waits most, or whose cores
                     others have most */
    int others;   /* processes that are slow, too */
    double share; /* of the peers' rate; of what all, or most, could reach;
                     of the time that waits, or others, take: 0 to 1 */
} hyb_verdict_t;

/*
 * pulse     in  of each process, count of them
 * columns   in  of the grid
 */
hyb_verdict_t hyb_verdict(const hyb_pulse_t *pulse, int count, int columns);

/* ---- while they factor --------------------------------------------------- */

/*
 * How each process does, while they factor: every process reports to the first
 * one of the grid now and then, on its own. That one compares them and says on
 * stderr who is slow, or that all are, or messages. Nobody waits for anybody.
 * All calls are the leader's.
 */
typedef struct {
    bool wanted;
    const hyb_observer_t *run;
    MPI_Comm comm; /* the grid's: a tag of its own, one message at a time */
    int me, count; /* processes */
    double next, apart; /* when to report; s between */
    double sense;       /* when to read sensors, which may be slow */
    hyb_report_t mine, sent;
    MPI_Request request; /* of sent */
    /* on the first process */
    hyb_peers_t *peers;
    bool *done; /* which processes have sent their last */
} hyb_health_t;

/*
 * run      in  lives until the end
 * planned  in  flop/s of a thread that was predicted; 0: nothing was
 */
void hyb_health_begin(hyb_health_t *health, const hyb_observer_t *run,
                      double planned);

/* Time may have come to report, or to listen. */
void hyb_health_turn(hyb_health_t *health);

/*
 * All is done here. The first process waits until it is so everywhere: else
 * what others sent would lie about.
 */
void hyb_health_end(hyb_health_t *health);
