/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/*
 * How far the local columns are: the only record of progress.
 *
 * Columns of A are counted in blocks of nb, the last of which may be narrower;
 * b is a block of its own behind them, and so are the check columns of each
 * place, two and two. A block meets panel k in three steps:
 * the rows of U that other processes hold arrive, U is swapped into place and
 * solved, C is updated. Its stage counts them.
 *
 * A block has two numbers. Whoever takes a step, or queues it on a device, adds
 * to `queued`; who completes it adds to `applied`. Both are sums over the
 * block's columns, so that threads can share a block run by run. Either all
 * steps of a run are taken in one go, or a step is taken only when all columns
 * of the block have completed the one before.
 *
 * Source: Linpack on Xeon Phi, IV.A.
 */
enum {
    HYB_STEP_ARRIVE, /* the rows of U are here: at once where P = 1 */
    HYB_STEP_SOLVE,
    HYB_STEP_UPDATE,
    HYB_STEPS
};

typedef struct {
    int64_t nb;
    int64_t columns_of_a, columns_of_ab; /* of A and of [ A | b ], here */
    int64_t columns, blocks;             /* of these and check columns */
    int64_t b, check; /* the blocks of b, if it is here, and of the first check
                         columns, if there are any */
    const int *place; /* that computes each block, 0: the team; NULL: all are
                         the team's. Borrowed */
    _Atomic int64_t *queued, *applied; /* by block: columns times stages */
    _Atomic int opened;                /* iterations: so many so far */
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

typedef struct { /* neighbouring columns; of a worker's within one block */
    int64_t from, count;
} hyb_run_t;

/* The stage of a column that has met panels 0 .. k - 1 and no other. */
static inline int64_t hyb_stage(int k)
{
    return (int64_t)k * HYB_STEPS;
}

/* The stage of one that has also completed step of panel k. */
static inline int64_t hyb_stage_after(int k, int step)
{
    return hyb_stage(k) + step + 1;
}

enum { HYB_CHECK_COLUMNS = 2 }; /* of a place */

/* Columns of the widest block: check columns may be wider than others. */
static inline int64_t hyb_ledger_widest(int64_t nb)
{
    return nb > HYB_CHECK_COLUMNS ? nb : HYB_CHECK_COLUMNS;
}

/*
 * All at stage 0.
 *
 * columns  in  of A on this process
 * has_b    in  b is here, too
 * checked  in  places with check columns
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_ledger_create(int64_t columns, bool has_b, int64_t nb,
                              int checked, hyb_ledger_t *ledger_p);
void hyb_ledger_destroy(hyb_ledger_t *ledger);

/* The first column of block b; for b = blocks the number of all columns. */
int64_t hyb_ledger_first(const hyb_ledger_t *ledger, int64_t b);

/* The block that column is in. */
int64_t hyb_ledger_block(const hyb_ledger_t *ledger, int64_t column);

/* The blocks that the run's columns are in. */
hyb_block_range_t hyb_ledger_blocks(const hyb_ledger_t *ledger, hyb_run_t run);

/* The columns of blocks, which may be none. */
hyb_run_t hyb_ledger_columns(const hyb_ledger_t *ledger,
                             hyb_block_range_t blocks);

/* Does the team compute block b? */
static inline bool hyb_ledger_is_teams(const hyb_ledger_t *ledger, int64_t b)
{
    return ledger->place == NULL || ledger->place[b] == 0;
}

/* How many of the columns of blocks does the team compute? */
int64_t hyb_ledger_team_columns(const hyb_ledger_t *ledger,
                                hyb_block_range_t blocks);

/*
 * The first of blocks that the team multiplies where devices get share of the
 * team's columns. What is rounded to whole blocks falls to the devices, as the
 * team can take tiles from these; a share that the user fixed is rounded to the
 * nearest. Single columns, behind their blocks, are not worth reading L2 for.
 */
int64_t hyb_ledger_divide(const hyb_ledger_t *ledger, hyb_block_range_t blocks,
                          double share, bool is_fixed);

/* Have all columns of blocks reached stage? All that the team computes? */
bool hyb_ledger_reached(const hyb_ledger_t *ledger, hyb_block_range_t blocks,
                        int64_t stage);
bool hyb_ledger_team_reached(const hyb_ledger_t *ledger,
                             hyb_block_range_t blocks, int64_t stage);

/* The first of the team's blocks that has not reached stage, or blocks.to. */
int64_t hyb_ledger_team_first_before(const hyb_ledger_t *ledger,
                                     hyb_block_range_t blocks, int64_t stage);

/* Are all columns of blocks at stage once what is queued has run? */
bool hyb_ledger_queued(const hyb_ledger_t *ledger, hyb_block_range_t blocks,
                       int64_t stage);

/* The panels that all columns of block b have met once what is queued has run.
 */
int hyb_ledger_panels_queued(const hyb_ledger_t *ledger, int64_t b);

/*
 * Take a run of at most width of the team's columns of blocks, from left to
 * right, which has reached stage from, to bring it to stage to. Any thread.
 *
 * run_p  out  what was taken; no columns: all of it was
 *
 * Returns false, and no run, if what is left waits for an earlier stage.
 */
bool hyb_ledger_take(hyb_ledger_t *ledger, hyb_block_range_t blocks,
                     int64_t from, int64_t to, int64_t width, hyb_run_t *run_p);

/* The same for one block, and false if nothing of it can be taken now. */
bool hyb_ledger_take_run(hyb_ledger_t *ledger, int64_t b, int64_t from,
                         int64_t to, int64_t width, hyb_run_t *run_p);

/* Block b as a whole, if it is the team's: has it reached stage from, and
 * nobody taken any of it? Has somebody taken some of it beyond that stage? Take
 * all of it, if it still is so. */
bool hyb_ledger_is_free(const hyb_ledger_t *ledger, int64_t b, int64_t from);
bool hyb_ledger_is_begun(const hyb_ledger_t *ledger, int64_t b, int64_t from);
bool hyb_ledger_take_block(hyb_ledger_t *ledger, int64_t b, int64_t from,
                           int64_t to);

/* The run that was taken has gone on by so many stages. */
void hyb_ledger_complete(hyb_ledger_t *ledger, hyb_run_t run, int64_t stages);

/* All of blocks are queued, all are complete: for work on whole blocks. */
void hyb_ledger_queue_all(hyb_ledger_t *ledger, hyb_block_range_t blocks,
                          int64_t stages);
void hyb_ledger_complete_all(hyb_ledger_t *ledger, hyb_block_range_t blocks,
                             int64_t stages);
