/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * How many threads of a team factor the next panel, while the other threads and
 * the devices update the trailing matrix; afterwards the panel's threads join
 * the update. A large matrix needs few panel threads, a small one more.
 *
 * Source: Linpack on Xeon Phi, IV.A.
 */
enum { HYB_REGROUP_MOST = 512 }; /* threads; more count as this */

/* Measurements of a team and its devices; plain data. */
typedef struct {
    int threads;        /* size of the team */
    double thread_rate; /* flop/s of one thread in the update; 0: unknown */
    double device_rate; /* flop/s of all devices; 0: no devices */
    double broadcast;   /* s that the leader spends on a panel after its
                           factorization */
    /*
     * Private: seconds per flop of the panel, m nb^2, by number of threads; 0:
     * not measured. Between measured numbers the pace is a + b / threads
     * through the nearest two. Outside the measured range, a tenth of one
     * thread's time is assumed to be serial; before any measurement, one thread
     * is assumed to factor at a quarter of its rate in updates.
     */
    double pace[HYB_REGROUP_MOST + 1];
} hyb_panel_threads_t;

/*
 * The number of threads t, from 1 to regroup->threads, that minimizes the time
 * of an iteration (the smaller t if equal):
 *
 *     max(A + P(t) + B, (W + r (t P(t) + B)) / (D + T r))
 *
 * A is the time before the panel, P(t) the time of the panel with t of T
 * threads, B the broadcast's, W = 2 m n nb, D the devices' rate and r a
 * thread's rate.
 *
 * rows, cols  in  local size of the trailing matrix
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
