/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "hybrid/lu/state/step.h"

/*
 * The choice of what an iteration may overlap.
 *
 * Let x be the exchange, p panel and broadcast, u the update, f the team's part
 * of the total speed, and s the part of the team that factors the panel. An
 * iteration in mode 0, 1 or 2 takes
 *
 *     0    x + u + p
 *     1    x + max(u + f s p, p)
 *     2    max(u + f (s p + x), x + p)
 *
 * times a factor per mode, learnt from total times. All paces are learnt per
 * mode, because parcels cost messages and calls, and work that overlaps an
 * update is slower.
 *
 * The choice is a pure function of what was learnt, so processes that learn the
 * same choose the same. Therefore it uses only + - * / and the square root,
 * whose results are the same on all processors.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, V.A.
 */

/* The times of an iteration; all processes that must agree pass equal numbers.
 */
typedef struct {
    int64_t index, count; /* number, from 0; iterations of the run */
    /* Size of the trailing matrix, on the process that has the most. */
    int64_t rows, cols;
    int64_t nb;
    hyb_lookahead_t mode;

    struct { /* seconds, each reduced with MAX */
        /* The whole iteration; totals add up to the time of the run. */
        double total;
        double panel;       /* the next panel's factorization */
        double panel_share; /* part of the team's threads that the panel keeps
                               busy, 0 to 1 */
        double broadcast;   /* the next panel's broadcast: the leader's time */
        double exchange;    /* swaps, row exchange and solves of all columns */
        double update; /* flop / (rate of devices + rate of the team): the time
                          without other work or waiting */
        double host_update; /* flop / rate of the team; 0: the team updates
                               nothing */
    } took;
} hyb_lookahead_iteration_t;

/* What was learnt; plain data, not thread-safe. Private, except `fixed`. */
typedef struct {
    const char *fixed;    /* why the mode never changes; NULL: mixed */
    hyb_lookahead_t mode; /* the better mode, as far as is known */
    int learnt;           /* number of iterations learnt */
    double elapsed;       /* s of all iterations learnt */
    double probe_loss;    /* s of `elapsed` that probes lost */
    double panel_share;
    struct { /* by mode, as work that overlaps is slower */
        /* Seconds per unit of work; 0: not measured. */
        double panel, broadcast, exchange, update;
        double host_update; /* 0: the team updates nothing */
        double factor;      /* measured total / modelled total; 0: unknown */
        double scatter; /* mean square of the relative error of predictions */
        int learnt;   /* iterations learnt, not counting the first of the run */
        int64_t cols; /* columns in the last iteration */
    } of[HYB_LOOKAHEADS];
} hyb_lookahead_chooser_t;

/*
 * Begin with nothing learnt.
 *
 * If no device multiplies for the host, parcels never cost more than they hide:
 * columns are swapped, solved and updated while in cache, and rows of other
 * processes arrive meanwhile. Then a trial of mode 1 only costs time.
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
 * Choose the mode of an iteration; the fields above `mode` are set. If mixed,
 * choose mode 1 or 2, whichever takes less time by this run's measurements.
 * Rarely, a single iteration probes the other mode, if that costs little and
 * the better mode is in doubt; mode 1 is tried once at any cost.
 *
 * reason_p  out  the reason in words, static text
 *
 * Order: an iteration may be chosen before earlier ones are learnt; then a
 * probe happens at most twice.
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
