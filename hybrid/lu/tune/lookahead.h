/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "hybrid/lu/state/step.h"

/*
 * The choice of what an iteration may overlap.
 *
 * An iteration takes, with x exchange, p panel and broadcast, u update, f the
 * team's part of the whole speed, s the part of the team that factors the
 * panel:
 *
 *     0    x + u + p
 *     1    x + max(u + f s p, p)
 *     2    max(u + f (s p + x), x + p)
 *
 * times a factor for each mode, learnt from total times. All paces are learnt
 * for each mode by itself: parcels cost messages and calls, and work under an
 * update is slower.
 *
 * The choice is a pure function of what was learnt, so processes that learn the
 * same choose the same. For this only + - * / and the square root are used,
 * whose results are the same on all processors.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, V.A.
 */

/* An iteration: all processes that must agree pass the same numbers. */
typedef struct {
    int64_t index, count; /* number from 0, and iterations of the run */
    /* The trailing matrix, on the process with the most. */
    int64_t rows, cols;
    int64_t nb;
    hyb_lookahead_t mode;

    struct { /* seconds, each reduced with MAX */
        /* The iteration; totals add up to the time of the run. */
        double total;
        double panel;       /* factorization of the next panel */
        double panel_share; /* part of the team's threads that it keeps busy, 0
                               to 1 */
        double broadcast;   /* of the next panel: the leader's time */
        double exchange;    /* swaps, row exchange and solves of all columns */
        double update; /* flop / (rate of devices + rate of the team): as if
                          they had nothing else to do or to wait for */
        double host_update; /* flop / rate of the team, 0: it updates nothing */
    } took;
} hyb_lookahead_iteration_t;

/* What was learnt; plain data, no thread safety. Private, except `fixed`. */
typedef struct {
    const char *fixed;    /* why the mode never changes, static; NULL: mixed */
    hyb_lookahead_t mode; /* the better mode, as far as known */
    int learnt;           /* iterations in all */
    double elapsed;       /* s of all iterations learnt */
    double probe_loss;    /* s of `elapsed` that probes lost */
    double panel_share;
    struct { /* by mode: work that overlaps is slower */
        /* Seconds per unit of work; 0: not measured. */
        double panel, broadcast, exchange, update;
        double host_update; /* 0: the team updated nothing */
        double factor;      /* measured total / modelled total, 0: unknown */
        double scatter;     /* mean square of the relative surprise */
        int learnt;         /* iterations behind `factor`, without the first */
        int64_t cols;       /* of the last iteration */
    } of[HYB_LOOKAHEADS];
} hyb_lookahead_chooser_t;

/*
 * Begin with nothing learnt.
 *
 * Without a device to keep busy, parcels never cost more than they hide:
 * columns are swapped, solved and updated while in cache, and rows of other
 * processes arrive meanwhile. A trial of mode 1 would only be slower.
 *
 * setting   in  "0", "1", "2" or "mixed"; otherwise `depth` decides
 * depth     in  DEPTH of HPL.dat: 0 and 1 are modes; more means mixed, or mode
 *               2 if no device multiplies for the host
 * offloads  in  some process has devices that multiply for the host
 * nprow     in  mixed begins in mode 2 on one process row, where parcels need
 *               no messages, else in mode 1
 */
hyb_lookahead_chooser_t hyb_lookahead_begin(const char *setting, int depth,
                                            bool offloads, int nprow);

/*
 * Choose the mode of an iteration, whose numbers above `mode` are known. Mixed:
 * mode 1 or 2, whichever takes less by this run's own times. Rarely a single
 * iteration probes the other mode, where that costs little and is in doubt;
 * mode 1 is tried once at any cost.
 *
 * reason_p  out  why, in words for people; static
 *
 * Order: an iteration may be chosen before the last ones are learnt; then a
 * probe comes twice at most.
 */
hyb_lookahead_t hyb_lookahead_choose(const hyb_lookahead_chooser_t *chooser,
                                     const hyb_lookahead_iteration_t *iteration,
                                     const char **reason_p);

/*
 * Learn the times of an iteration; a fixed mode learns nothing. Times that are
 * negative or not finite count as 0, not measured. An iteration without a total
 * is ignored, and a total alone teaches nothing.
 */
void hyb_lookahead_learn(hyb_lookahead_chooser_t *chooser,
                         const hyb_lookahead_iteration_t *iteration);
