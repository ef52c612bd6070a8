/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CARRIED_H
#define HYB_CARRIED_H

#include "hpl/pgesv/exchange.h"
#include "hpl_solver.h"
#include "hybrid/lu/means.h"
#include "hybrid/lu/step.h"
#include "hybrid/lu/verify/alarm.h"
#include "hybrid/lu/worker.h"

/*
 * The online check: sums of the trailing rows of each local column, plain and
 * weighted, which are carried through all iterations beside the columns, and
 * compared with them in turn. Columns of the host; NULL in lu: there is no such
 * check.
 *
 * With P = 1 a row's weight goes with it when rows are swapped, so swaps change
 * no sum. An update takes (e^T L) U from them, L being L1 and L2: so what is
 * wrong with a swap, with U, L2 or C is found by the same comparison. With
 * P > 1 weights belong to places. Rows that leave and enter are taken from the
 * sums and added, and e^T R - (e^T L1) U of the rows R that U was solved from.
 */

/* lu->carried. Needs lu's means, grid, mat, ledger. Errors: XH_ERR_MEMORY;
 * destroy then all the same */
xh_status_t hyb_carried_create(hyb_lu_t *lu);
void hyb_carried_destroy(hyb_lu_t *lu);

/* Bytes that it takes on a process of shape. */
uint64_t hyb_carried_bytes(const hyb_means_t *means, const hpl_shape_t *shape);

/* The sums of the matrix as it is: once it is generated, else at the begin. */
void hyb_carried_sum(hyb_lu_t *lu);
void hyb_carried_begin(hyb_lu_t *lu);

/* Iteration k is to be opened: over a process column the check of panel k - 1
 * begins. The leader. */
void hyb_carried_open(hyb_worker_t *leader, int k);

/* Panel k is to be factored here; is, and gets a seal before it travels. All
 * who factored it. */
void hyb_carried_begin_seal(hyb_lu_t *lu, int k);
void hyb_carried_seal(hyb_worker_t *me, int k);

/* Panel k came: before its pivots are used. The leader. */
void hyb_carried_arrive(hyb_lu_t *lu, int k);

/* Panel k is here, and its rows are known: sums of L can be taken. The leader.
 */
void hyb_carried_receive(hyb_lu_t *lu, int k);

/* Sum parts of panel k's L until none is left; any number of threads. */
void hyb_carried_fill(hyb_lu_t *lu, int k);

/* Wait until all are summed. */
void hyb_carried_wait(hyb_worker_t *me, int k);

/* U of run is solved, in me->u: its sums are taken from those of the run. */
void hyb_carried_update(hyb_worker_t *me, int k, hyb_run_t run);

/* The run has met the panel of step: compare it if it is its turn. */
void hyb_carried_compare(hyb_worker_t *me, const hyb_step_t *step,
                         hyb_run_t run);

/* P > 1: rows of some columns of x have been packed; have come and been put
 * into place. column is the first one's number here. */
void hyb_carried_leave(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column);
void hyb_carried_enter(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column);

/* Where sums of rows that travel are kept, from a column on; NULL: none. */
double *hyb_carried_sent(const hyb_lu_t *lu, int64_t column);

/* The back-substitution reads U; reads rows of cols columns of the matrix from
 * a on, any thread; has read all but the diagonal blocks. */
void hyb_carried_begin_read(hyb_lu_t *lu);
void hyb_carried_read(hyb_lu_t *lu, const double *a, int64_t rows,
                      int64_t cols);
void hyb_carried_end_read(hyb_lu_t *lu);

/* All iterations are over: the last columns. */
void hyb_carried_end(hyb_lu_t *lu);

/* What was found here; NULL: nothing was checked. */
const hyb_alarms_t *hyb_carried_alarms(const hyb_lu_t *lu);

#endif
