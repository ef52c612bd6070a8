/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_REGROUP_H
#define HYB_REGROUP_H

#include <stdint.h>

/*
 * How many threads of a team factor the next panel, while the others and the
 * devices update the trailing matrix; the panel's threads join the update
 * after it. Few while the matrix is large, more as it shrinks.
 *
 * Source: Linpack on Xeon Phi, IV.A.
 */
enum { HYB_REGROUP_MOST = 512 }; /* threads; larger teams count as this */

/*
 * Seconds a flop of the panel, m nb^2, by number of threads, as measured.
 * Those not measured are a + b / threads through the nearest measured ones on
 * either side; beyond them, and before any is measured, a tenth of one
 * thread's time is taken not to shrink, and one thread to factor at a quarter
 * of its rate in updates.
 */
typedef struct { /* private; plain data, no thread safety */
    double pace[HYB_REGROUP_MOST + 1]; /* 0: not measured */
} hyb_regroup_t;

typedef struct {
    int threads;        /* of the team */
    int64_t rows, cols; /* of the trailing matrix on this process */
    int64_t nb;
    double thread_rate; /* flop/s of one thread in the update */
    double device_rate; /* flop/s of all devices, 0 without any */
    double before;      /* s until the panel's columns are updated */
    double broadcast;   /* s that the main thread spends on the panel after its
                           factorization */
} hyb_regroup_facts_t;

/* Nothing is learnt yet. */
void hyb_regroup_init(hyb_regroup_t *regroup);

/*
 * The number of threads, 1 to facts->threads, with which the iteration takes
 * least; the smallest of equals:
 *
 *     max(A + P(t) + B, (W + r (t P(t) + B)) / (D + T r))
 *
 * A before the panel, P(t) panel with t of T threads, B broadcast, W = 2 m n
 * nb, D and r the rates of devices and of a thread.
 */
int hyb_panel_threads(const hyb_regroup_t *regroup,
                      const hyb_regroup_facts_t *facts);

/*
 * Take in that a panel of rows x nb took threads so many seconds. Values that
 * are not positive and finite are passed over.
 */
void hyb_regroup_learn(hyb_regroup_t *regroup, int threads, int64_t rows,
                       int64_t nb, double seconds);

#endif
