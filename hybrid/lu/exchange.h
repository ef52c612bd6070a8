/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/pgesv/exchange.h"
#include "base/view.h"
#include "hpl_solver.h"
#include "hybrid/lu/ledger.h"
#include "hybrid/lu/means.h"
#include "hybrid/lu/step.h"
#include "hybrid/lu/timer.h"

/*
 * The row exchanges of an iteration where P > 1: the rows of a group of blocks
 * travel together. Groups begin in the same order on all processes of a process
 * column, and where there are many, several are under way at the same time.
 * Once a group has arrived the ledger says so.
 */

/* lu->exchange. Needs lu's means, mat and ledger, and blocks that have been
 * dealt to homes. P = 1: none.
 * Errors: XH_ERR_MEMORY; destroy then all the same */
xh_status_t hyb_exchange_create(hyb_lu_t *lu);
void hyb_exchange_destroy(hyb_lu_t *lu);

/* Bytes that it takes on a process of shape, of so many places with check
 * columns. */
uint64_t hyb_exchange_bytes(const hyb_means_t *means, const hpl_shape_t *shape,
                            int places);

/* Let the exchanges of an open iteration begin; those of the one before have
 * ended. The leader. */
void hyb_exchange_open(hyb_lu_t *lu, const hyb_step_t *step);

/* Advance it; lu. For the poller. */
void hyb_exchange_poll(void *lu);

/* Have all exchanges of the iteration ended? */
bool hyb_exchange_is_over(const hyb_lu_t *lu);

/* Pack some rows that are to leave, if there are any. Any member. */
void hyb_exchange_assist(hyb_worker_t *me);

/* The group that block's rows came with, in the iteration that moved them last.
 */
hyb_blocks_t hyb_exchange_group(const hyb_lu_t *lu, int64_t block);

/* The exchange that run's rows came with, and the run's place in it. */
const hpl_exchange_t *hyb_exchange_of(const hyb_lu_t *lu, hyb_run_t run,
                                      int *column_p);

/* Where U of panel k is kept in columns if the matrix has no room for it. */
xh_view_t hyb_exchange_u(hyb_lu_t *lu, int k, hyb_run_t run);

/* All of its memory, on whole pages, to be pinned; NULL: none. */
double *hyb_exchange_memory(const hyb_lu_t *lu, size_t *bytes_p);

/* Columns of the first group for panels of nb: whole blocks. */
static inline int64_t hyb_exchange_columns(int64_t nb)
{
    enum { LEAST = 256 };

    return xh_whole_units(LEAST, nb);
}

/* Does an exchange have many rounds, each of which waits for a poll of every
 * process? Then groups grow, and where columns live on the host travel
 * together.
 */
static inline bool hyb_exchange_has_many_rounds(int nprow)
{
    enum { MANY = 4 };

    return nprow >= MANY;
}
