/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_COLUMNS_H
#define HYB_COLUMNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

/*
 * How far the local columns are. They are counted in blocks of nb, the last
 * maybe narrower; a block's stage is the number of iterations that have been
 * applied to all of its columns, and the only test of readiness.
 * Source: Linpack on Xeon Phi, IV.A.
 */
typedef struct {
    int64_t nb, count; /* of columns */
    int64_t blocks;
    _Atomic int64_t *applied; /* by block: columns, summed over iterations */
} hyb_columns_t;

/* A run of columns of one block. */
typedef struct {
    int64_t from, count;
} hyb_run_t;

/* Where a thread finds its runs. */
typedef struct {
    _Alignas(64) _Atomic int64_t next; /* run to be taken */
} hyb_lane_t;

/*
 * Columns from .. to - 1 that threads take in runs, left to right, none across
 * blocks; a block is cut in pieces. All take from one lane, what comes next; or
 * each has a lane of its own, with every so many-th run in it.
 */
typedef struct {
    int64_t from, to;
    int64_t width; /* of a run, but the last of a block */
    int64_t pieces;
    int lanes;
    hyb_lane_t *lane;
    _Atomic int64_t settled; /* columns of runs that are done with */
} hyb_deal_t;

/* count columns at stage 0. Errors: XH_ERR_MEMORY */
xh_status_t hyb_columns_create(int64_t count, int64_t nb,
                               hyb_columns_t *columns_p);
void hyb_columns_destroy(hyb_columns_t *columns);

/* Are all blocks with columns in from .. to - 1 at stage or further? */
bool hyb_columns_reached(const hyb_columns_t *columns, int64_t from, int64_t to,
                         int stage);

/* An iteration has been applied to run. */
void hyb_columns_apply(hyb_columns_t *columns, hyb_run_t run);

/* lanes is 1, or the members of the team. Errors: XH_ERR_MEMORY */
xh_status_t hyb_deal_create(int lanes, hyb_deal_t *deal_p);
void hyb_deal_destroy(hyb_deal_t *deal);

/* Deal the columns of all, which may reach over blocks, in runs of at most
 * width >= 1, by best of whole panels of the kernel's columns. */
void hyb_deal_begin(hyb_deal_t *deal, const hyb_columns_t *columns,
                    hyb_run_t all, int64_t width);

/* member's next run; false: there is none. */
bool hyb_deal_take(hyb_deal_t *deal, const hyb_columns_t *columns, int member,
                   hyb_run_t *run_p);

/* A run that was taken is done with. Any thread. */
void hyb_deal_settle(hyb_deal_t *deal, hyb_run_t run);

/* Are all runs done with? */
bool hyb_deal_done(const hyb_deal_t *deal);

#endif
