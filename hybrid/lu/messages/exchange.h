/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/pgesv/exchange.h"
#include "base/view.h"
#include "hpl_solver.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * This folder exchanges rows between the processes of a process column: which
 * blocks travel together, where their rows are packed, and their way through
 * MPI.
 *
 * The rows of neighbouring blocks to which the same panels are applied travel
 * together, as a parcel. Parcels begin in the same order on all processes of a
 * process column; where an exchange has many rounds, several parcels are under
 * way at the same time. When a parcel has arrived, the ledger is told.
 *
 * Where panels form groups, rows of L2 of the panels before k in its group
 * follow panel k's interchanges: they travel as a parcel, too, from and to the
 * copy of each device.
 */
typedef struct hyb_parcel {
    hpl_exchange_t x; /* its panel is: */
    int from, to; /* panels from .. to - 1, which are applied to the blocks */
    int k;        /* in this iteration */
    hyb_block_range_t blocks; /* whose rows travel; none: the parcel is L2's */
    int64_t slot; /* first element of its memory among the slots; -1: its memory
                     is at its columns' place */
} hyb_parcel_t;

static inline bool hyb_parcel_is_l2(const hyb_parcel_t *parcel)
{
    return hyb_blocks_count(parcel->blocks) == 0;
}

/* The exchange of a process: NULL, which `is_over`, `memory` and `destroy`
 * accept, if P = 1. */
typedef struct hyb_exchange hyb_exchange_t;

/*
 * Create lu->exchange from lu's resources, grid, mat, groups and ledger, after
 * blocks have been dealt to homes; none if P = 1.
 * Errors: XH_ERR_MEMORY; call hyb_exchange_destroy all the same
 */
xh_status_t hyb_exchange_create(hyb_lu_t *lu);
void hyb_exchange_destroy(hyb_exchange_t *exchange);

/* Bytes that the exchange takes on a process of `shape` on which `places`
 * places have check columns. */
uint64_t hyb_exchange_bytes(const hyb_resources_t *resources,
                            const hpl_shape_t *shape, int places);

/* Let the exchanges of an open iteration begin; the exchanges of the one before
 * have ended. Called by the leader. */
void hyb_exchange_open(hyb_lu_t *lu, const hyb_step_t *step);

/* Advance the exchanges. For the poller; `lu` is a hyb_lu_t. */
void hyb_exchange_poll(void *lu);

/* Have all exchanges of the iteration ended? */
bool hyb_exchange_is_over(const hyb_exchange_t *exchange);

/* Pack some rows that are to leave, if there are any. Any member may call
 * this. */
void hyb_exchange_assist(hyb_worker_t *me);

/* The parcel that brought `block`'s rows, in the last iteration that moved
 * them. */
const hyb_parcel_t *hyb_exchange_parcel(const hyb_exchange_t *exchange,
                                        int64_t block);

/* The exchange that brought `run`'s rows; *column_p is the run's first column
 * in it. */
const hpl_exchange_t *hyb_exchange_of(const hyb_exchange_t *exchange,
                                      hyb_run_t run, int *column_p);

/* Where the `jb` rows of U in `run` are kept in columns if the matrix has no
 * room for them. */
xh_view_t hyb_exchange_u(const hyb_exchange_t *exchange, int64_t jb,
                         hyb_run_t run);

/* All memory of the exchange, on whole pages, to be pinned; NULL: none. */
double *hyb_exchange_memory(const hyb_exchange_t *exchange, size_t *bytes_p);

/*
 * Does an exchange have many rounds, each of which waits for a poll of every
 * process? Then parcels grow, and travel together where columns live on the
 * host.
 */
static inline bool hyb_exchange_has_many_rounds(int nprow)
{
    enum { MANY = 4 };

    return nprow >= MANY;
}
