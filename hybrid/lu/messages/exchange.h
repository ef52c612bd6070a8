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
 * The row exchanges of an iteration where P > 1. The rows of neighbouring
 * blocks that meet the same panels travel together, as a parcel. Parcels begin
 * in the same order on all processes of a process column, and where there are
 * many, several are under way at the same time. Once one has arrived the ledger
 * says so.
 *
 * Where panels form groups, rows of L2 of the panels before k in its group
 * follow panel k's interchanges: they travel as a parcel, too, from and to each
 * device's copy.
 */
typedef struct hyb_parcel {
    hpl_exchange_t x;         /* its panel: */
    int from, to;             /* panels that the blocks meet, from .. to - 1 */
    int k;                    /* in this iteration */
    hyb_block_range_t blocks; /* whose rows travel; none: L2's */
    int64_t slot; /* element of the slots that it has room from, or -1:
                     at its columns' place */
} hyb_parcel_t;

static inline bool hyb_parcel_is_l2(const hyb_parcel_t *parcel)
{
    return hyb_blocks_count(parcel->blocks) == 0;
}

/* lu->exchange. Needs lu's resources, mat and ledger, and blocks that have been
 * dealt to homes. P = 1: none.
 * Errors: XH_ERR_MEMORY; destroy then all the same */
xh_status_t hyb_exchange_create(hyb_lu_t *lu);
void hyb_exchange_destroy(hyb_lu_t *lu);

/* Bytes that it takes on a process of shape, of so many places with check
 * columns. */
uint64_t hyb_exchange_bytes(const hyb_resources_t *resources,
                            const hpl_shape_t *shape, int places);

/* Let the exchanges of an open iteration begin; those of the one before have
 * ended. The leader. */
void hyb_exchange_open(hyb_lu_t *lu, const hyb_step_t *step);

/* Advance it; lu. For the poller. */
void hyb_exchange_poll(void *lu);

/* Have all exchanges of the iteration ended? */
bool hyb_exchange_is_over(const hyb_lu_t *lu);

/* Pack some rows that are to leave, if there are any. Any member. */
void hyb_exchange_assist(hyb_worker_t *me);

/* The parcel that block's rows came with, in the iteration that moved them
 * last.
 */
const hyb_parcel_t *hyb_exchange_parcel(const hyb_lu_t *lu, int64_t block);

/* The exchange that run's rows came with, and the run's place in it. */
const hpl_exchange_t *hyb_exchange_of(const hyb_lu_t *lu, hyb_run_t run,
                                      int *column_p);

/* Where U of panel k is kept in columns if the matrix has no room for it. */
xh_view_t hyb_exchange_u(hyb_lu_t *lu, int k, hyb_run_t run);

/* All of its memory, on whole pages, to be pinned; NULL: none. */
double *hyb_exchange_memory(const hyb_lu_t *lu, size_t *bytes_p);

/* Does an exchange have many rounds, each of which waits for a poll of every
 * process? Then parcels grow, and where columns live on the host travel
 * together.
 */
static inline bool hyb_exchange_has_many_rounds(int nprow)
{
    enum { MANY = 4 };

    return nprow >= MANY;
}
