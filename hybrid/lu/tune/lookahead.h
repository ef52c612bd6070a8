/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "hybrid/lu/state/step.h"

/*
 * The choice of what may overlap in an iteration.
 *
 * An iteration takes, with x exchange, p panel and broadcast, u update, f the
 * team's part of all speed, s the panel's part of the team:
 *
 *     0    x + u + p
 *     1    x + max(u + f s p, p)
 *     2    max(u + f (s p + x), x + p)
 *
 * times a factor for each mode, learnt from totals. All of it is learnt for
 * each mode by itself: groups cost messages and calls, and work under an update
 * is slower.
 *
 * The choice is a pure function of what was learnt, so processes that learn
 * the same choose the same. For that nothing but + - * / and the square root
 * is used, whose results are the same on all processors.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, V.A.
 */

/* An iteration: all processes that must agree give the same numbers. */
typedef struct {
    int64_t index, count; /* which one, from 0, of how many in this run */
    int64_t rows, cols;   /* of the trailing matrix, where a process has most */
    int64_t nb;
    hyb_lookahead_t mode;

    struct {                /* seconds, reduced with MAX, each by itself */
        double total;       /* all of it; they add up to the time of the run */
        double panel;       /* factorization of the next panel */
        double panel_share; /* of the team's threads busy in it, 0 to 1 */
        double broadcast;   /* of the next panel: the main thread's time */
        double exchange;    /* swaps, row exchange and solves of all columns */
        double update;      /* flop / (rate of devices + rate of the team): as
                               if they had nothing else to do or to wait for */
        double host_update; /* flop / rate of the team, 0: it updates nothing */
    } took;
} hyb_lookahead_iteration_t;

/* What was learnt; plain data, no thread safety. Private, but for fixed. */
typedef struct {
    const char *fixed;    /* why mode never changes, static; NULL: mixed */
    hyb_lookahead_t mode; /* the better one, as last known */
    int learnt;           /* iterations in all */
    double elapsed;       /* s of them */
    double probe_loss;    /* s of these that probes lost */
    double panel_share;
    struct { /* of each mode: what is done at once is slower */
        double panel, broadcast, exchange, update; /* s a unit of work; 0: not
                                                      measured */
        double host_update; /* 0: the team updated nothing */
        double factor;      /* measured total / modelled total, 0: not known */
        double scatter; /* mean square of what was not expected, relatively */
        int learnt;     /* iterations that factor knows of, the run's first not
                           counted */
        int64_t cols;   /* of the last one */
    } of[HYB_LOOKAHEADS];
} hyb_lookahead_chooser_t;

/*
 * Nothing is learnt yet.
 *
 * With no device to be kept busy, groups never cost more than they hide: they
 * are swapped, solved and updated while in cache, and rows of other processes
 * arrive meanwhile. Iterations in mode 1, as a trial, are slower.
 *
 * setting   in  "0", "1", "2" or "mixed"; else depth decides
 * depth     in  DEPTH of HPL.dat: 0 and 1 as they are; more means mixed, or
 *               mode 2 where there are no devices
 * offloads  in  some process has devices that multiply for the host
 * nprow     in  mixed begins in mode 2 on one row of processes, where groups
 *               need no messages, else in mode 1
 */
hyb_lookahead_chooser_t hyb_lookahead_begin(const char *setting, int depth,
                                            bool offloads, int nprow);

/*
 * The mode of an iteration, of which the numbers above mode are known. Mixed:
 * the one of 1 and 2 that by this run's own times takes less; rarely, for a
 * single iteration, the other one, where that costs little and what is known of
 * it is doubtful; mode 1 once at any cost.
 *
 * reason_p  out  why, in words for people; static
 *
 * Order: an iteration may be chosen before the last ones are learnt; a probe
 *        then comes twice at most.
 */
hyb_lookahead_t hyb_lookahead_choose(const hyb_lookahead_chooser_t *chooser,
                                     const hyb_lookahead_iteration_t *iteration,
                                     const char **reason_p);

/*
 * Take in what an iteration took; nothing if the mode is fixed. Times that are
 * negative or not finite count as 0, not measured; an iteration without total
 * is passed over, and from totals alone nothing is learnt.
 */
void hyb_lookahead_learn(hyb_lookahead_chooser_t *chooser,
                         const hyb_lookahead_iteration_t *iteration);
