/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * How many threads of a team factor the next panel, while the other threads and
 * the devices update the trailing matrix; afterwards the panel's threads join
 * the update. Few do while the matrix is large, more as it shrinks.
 *
 * Source: Linpack on Xeon Phi, IV.A.
 */
enum { HYB_REGROUP_MOST = 512 }; /* threads; larger teams count as this */

/* Measurements of a team and its devices; plain data. */
typedef struct {
    int threads;        /* of the team */
    double thread_rate; /* flop/s of one thread in the update; 0: unknown */
    double device_rate; /* flop/s of all devices; 0: there are none */
    double broadcast;   /* s that the leader spends on a panel after its
                           factorization */
    /*
     * Private: seconds per flop of the panel, m nb^2, by number of threads; 0:
     * not measured. Between measured numbers the pace is a + b / threads
     * through the nearest two. Beyond them, and before any is measured, a tenth
     * of one thread's time is assumed not to shrink, and one thread to factor
     * at a quarter of its rate in updates.
     */
    double pace[HYB_REGROUP_MOST + 1];
} hyb_panel_threads_t;

/*
 * The number of threads, from 1 to regroup->threads, with which an iteration
 * takes least time; the smallest of equals:
 *
 *     max(A + P(t) + B, (W + r (t P(t) + B)) / (D + T r))
 *
 * A is the time before the panel, P(t) the panel with t of T threads, B the
 * broadcast, W = 2 m n nb, D the rate of the devices and r the rate of a
 * thread.
 *
 * rows, cols  in  of the trailing matrix on this process
 * before      in  s until the panel's columns are updated
 */
int hyb_panel_threads_panel(const hyb_panel_threads_t *regroup, int64_t rows,
                            int64_t cols, int64_t nb, double before);

/*
 * Learn that a panel of rows x nb took `threads` threads `seconds`. Values that
 * are not positive and finite are ignored.
 */
void hyb_panel_threads_learn(hyb_panel_threads_t *regroup, int threads,
                             int64_t rows, int64_t nb, double seconds);
