/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/*
 * The progress of all local columns, and the only record of it.
 *
 * Columns of A are counted in blocks of nb; the last block may be narrower.
 * Behind them b is a block of its own, and so are each place's two check
 * columns. Panel k is applied to a block in three steps: the rows of U that
 * other processes hold arrive, U is swapped into place and solved, C is
 * updated. The stage of a block counts the steps done.
 *
 * A block has two counters. Whoever takes a step, or queues it on a device,
 * adds to `queued`; whoever completes it adds to `applied`. Both are sums over
 * the block's columns, so that threads can share a block run by run. Either all
 * steps of a run are taken in one go, or a step is taken only when all columns
 * of the block have completed the step before.
 *
 * Source: Linpack on Xeon Phi, IV.A.
 */
enum {
    HYB_STEP_ARRIVE, /* the rows of U have arrived: at once where P = 1 */
    HYB_STEP_SOLVE,
    HYB_STEP_UPDATE,
    HYB_STEPS
};

typedef struct {
    int64_t nb;
    /* Local columns of A, and of [ A | b ]. */
    int64_t columns_of_a, columns_of_ab;
    int64_t columns, blocks; /* local, check columns included */
    int64_t b, check; /* the block of b, if it is here, and the first block of
                         check columns, if there are any */
    const int *place; /* the place that computes each block, 0: the team; NULL:
                         the team computes all. Borrowed */
    /* By block: the sum of its columns' stages. */
    _Atomic int64_t *queued, *applied;
    _Atomic int opened; /* iterations opened so far */
} hyb_ledger_t;

typedef struct { /* blocks from .. to - 1 */
    int64_t from, to;
} hyb_block_range_t;

static inline hyb_block_range_t hyb_one_block(int64_t b)
{
    return (hyb_block_range_t){b, b + 1};
}

static inline int64_t hyb_blocks_count(hyb_block_range_t blocks)
{
    return blocks.to > blocks.from ? blocks.to - blocks.from : 0;
}

typedef struct { /* neighbouring columns; a worker's run lies within one block
                  */
    int64_t from, count;
} hyb_run_t;

/* The stage of a column to which panels 0 .. k - 1 have been applied, and
 * nothing else. */
static inline int64_t hyb_stage(int k)
{
    return (int64_t)k * HYB_STEPS;
}

/* The stage of a column that has also completed `step` of panel k. */
static inline int64_t hyb_stage_after(int k, int step)
{
    return hyb_stage(k) + step + 1;
}

enum { HYB_CHECK_COLUMNS = 2 }; /* per place */

/* Columns of the widest block: a block of check columns may be wider than
 * nb. */
static inline int64_t hyb_ledger_widest(int64_t nb)
{
    return nb > HYB_CHECK_COLUMNS ? nb : HYB_CHECK_COLUMNS;
}

/*
 * Create the ledger, all blocks at stage 0.
 *
 * columns  in  columns of A on this process
 * has_b    in  b is here, too
 * checked  in  places with check columns
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_ledger_create(int64_t columns, bool has_b, int64_t nb,
                              int checked, hyb_ledger_t *ledger_p);
void hyb_ledger_destroy(hyb_ledger_t *ledger);

/* The first column of block b; for b = blocks the number of all columns. */
int64_t hyb_ledger_first(const hyb_ledger_t *ledger, int64_t b);

/* The block that holds `column`. */
int64_t hyb_ledger_block(const hyb_ledger_t *ledger, int64_t column);

/* The blocks that hold the run's columns. */
hyb_block_range_t hyb_ledger_blocks(const hyb_ledger_t *ledger, hyb_run_t run);

/* The columns of `blocks`, which may be empty. */
hyb_run_t hyb_ledger_columns(const hyb_ledger_t *ledger,
                             hyb_block_range_t blocks);

/* Does the team compute block b? */
static inline bool hyb_ledger_is_teams(const hyb_ledger_t *ledger, int64_t b)
{
    return ledger->place == NULL || ledger->place[b] == 0;
}

/* How many columns of `blocks` does the team compute? */
int64_t hyb_ledger_team_columns(const hyb_ledger_t *ledger,
                                hyb_block_range_t blocks);

/*
 * Divide the team's columns of `blocks`: devices get the part `share` from the
 * left, the team multiplies from the returned block on. A partial block falls
 * to the devices, from which the team can take it back; a share that the user
 * fixed is rounded to the nearest block. If only single columns would be left
 * for the team, the devices get them: they are not worth reading L2 for.
 */
int64_t hyb_ledger_divide(const hyb_ledger_t *ledger, hyb_block_range_t blocks,
                          double share, bool is_fixed);

/* Have all columns of `blocks` reached `stage`? Have all that the team
 * computes? */
bool hyb_ledger_reached(const hyb_ledger_t *ledger, hyb_block_range_t blocks,
                        int64_t stage);
bool hyb_ledger_team_reached(const hyb_ledger_t *ledger,
                             hyb_block_range_t blocks, int64_t stage);

/* The first of the team's blocks that has not reached `stage`, or blocks.to. */
int64_t hyb_ledger_team_first_before(const hyb_ledger_t *ledger,
                                     hyb_block_range_t blocks, int64_t stage);

/* Are all columns of `blocks` at `stage` once all queued work has run? */
bool hyb_ledger_queued(const hyb_ledger_t *ledger, hyb_block_range_t blocks,
                       int64_t stage);

/* How many panels have been applied to all columns of block b once all queued
 * work has run? */
int hyb_ledger_panels_queued(const hyb_ledger_t *ledger, int64_t b);

/*
 * Take a run of at most `width` of the team's columns of `blocks`, the leftmost
 * that has reached stage `from`, to bring it to stage `to`. Any thread may call
 * this.
 *
 * run_p  out  the run; empty if all columns have been taken
 *
 * Returns false, and no run, if the columns that are left wait for an earlier
 * stage.
 */
bool hyb_ledger_take(hyb_ledger_t *ledger, hyb_block_range_t blocks,
                     int64_t from, int64_t to, int64_t width, hyb_run_t *run_p);

/* Take a run of block b alone. Returns false if none of it can be taken now. */
bool hyb_ledger_take_run(hyb_ledger_t *ledger, int64_t b, int64_t from,
                         int64_t to, int64_t width, hyb_run_t *run_p);

/*
 * Whole blocks. Is block b the team's, at stage `from`, and has nobody taken
 * any of it? Has anybody taken some of it beyond stage `from`? Take all of it,
 * if nobody has taken any.
 */
bool hyb_ledger_is_free(const hyb_ledger_t *ledger, int64_t b, int64_t from);
bool hyb_ledger_is_begun(const hyb_ledger_t *ledger, int64_t b, int64_t from);
bool hyb_ledger_take_block(hyb_ledger_t *ledger, int64_t b, int64_t from,
                           int64_t to);

/* Note that `run`, which was taken, has advanced by `stages`. */
void hyb_ledger_complete(hyb_ledger_t *ledger, hyb_run_t run, int64_t stages);

/* Note that all columns of `blocks` are queued for `stages` more, or have
 * completed them: for work on whole blocks. */
void hyb_ledger_queue_all(hyb_ledger_t *ledger, hyb_block_range_t blocks,
                          int64_t stages);
void hyb_ledger_complete_all(hyb_ledger_t *ledger, hyb_block_range_t blocks,
                             int64_t stages);
