/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_VERDICT_H
#define HYB_VERDICT_H

#include <stddef.h>

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
    double turns;   /* share of its updates in which others had its cores */
    double work;    /* share: swaps, solves, updates */
    double panel;   /* share: factoring */
    double wait; /* share: for panels and rows of others, and moving them on */
    int column;  /* of the grid */
} hyb_pulse_t;

typedef enum {
    HYB_TOO_EARLY, /* nothing can be said */
    HYB_HEALTHY,
    HYB_SLOW_PROCESS,
    HYB_ALL_SLOW,
    HYB_MOST_SLOW, /* more than half, but not all */
    HYB_SLOW_MESSAGES
} hyb_condition_t;

typedef struct {
    hyb_condition_t condition;
    int process;  /* the slowest, or the one that waits most */
    int others;   /* processes that are slow, too */
    double share; /* of the peers' rate; of what all, or most, could reach;
                     of the time that waits take: 0 to 1 */
} hyb_verdict_t;

/*
 * pulse     in  of each process, count of them
 * columns   in  of the grid
 */
hyb_verdict_t hyb_verdict(const hyb_pulse_t *pulse, int count, int columns);

#endif
