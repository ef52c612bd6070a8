/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_EXCHANGE_H
#define HYB_EXCHANGE_H

#include "hpl/pgesv/exchange.h"
#include "hpl_solver.h"
#include "hybrid/lu/ledger.h"
#include "hybrid/lu/means.h"
#include "hybrid/lu/step.h"
#include "hybrid/lu/units.h"

/*
 * The row exchanges of an iteration where P > 1: the rows of a group of blocks
 * travel together. Groups begin in the same order on all processes of a process
 * column, one after the other. Once a group has arrived the ledger says so.
 */
typedef struct {
    int k;                /* iteration that is exchanged */
    hyb_blocks_t left;    /* groups that have not begun */
    hyb_blocks_t group;   /* the one in flight; none: from == to */
    int64_t blocks;       /* of the first group ... */
    int64_t growth, most; /* ... and of the next one, times blocks; at most */
    bool packs;           /* the group does not move yet: workers pack it, or
                             its place does */
    hyb_units_t units;    /* of its columns, to be packed */
    int tag;              /* of the next exchange */
    hpl_exchange_t *at;   /* by a group's first block */
    hyb_blocks_t *last;   /* by block: its last group */
    int64_t rows;         /* of a column in the next three: nb, or less */
    double *gathered;     /* rows x columns: rows of U */
    double *displaced;    /* likewise: top rows on their way to new places */
    double *u;            /* likewise: U in columns, on whole pages, where the
                             matrix may have no room; or NULL */
    size_t bytes;         /* of all three, in one piece */
} hyb_exchange_t;

/* Needs lu's means, mat and ledger. P = 1 takes no memory.
 * Errors: XH_ERR_MEMORY; destroy then all the same */
xh_status_t hyb_exchange_create(hyb_lu_t *lu);
void hyb_exchange_destroy(hyb_exchange_t *exchange);

/* Bytes that it takes on a process of shape. */
uint64_t hyb_exchange_bytes(const hyb_means_t *means, const hpl_shape_t *shape);

/* Let the exchanges of an open iteration begin; those of the one before have
 * ended. The leader. */
void hyb_exchange_open(hyb_lu_t *lu, const hyb_step_t *step);

/* Advance it; lu. For the poller. */
void hyb_exchange_poll(void *lu);

/* Have all exchanges of the iteration ended? */
bool hyb_exchange_is_over(const hyb_exchange_t *exchange);

/* Pack some rows that are to leave, if there are any. Any member. */
void hyb_exchange_assist(hyb_lu_t *lu, int member);

/* The group that block's rows came with, in the iteration that moved them last.
 */
hyb_blocks_t hyb_exchange_group(const hyb_exchange_t *exchange, int64_t block);

/* The exchange that run's rows came with, and the run's place in it. */
const hpl_exchange_t *hyb_exchange_of(const hyb_lu_t *lu, hyb_run_t run,
                                      int *column_p);

enum {
    HYB_EXCHANGE_COLUMNS = 256, /* of the first group, at least */
    HYB_UNIT_COLUMNS = 32       /* of these, that a worker packs at a time */
};

/* Columns of the first group for panels of nb: whole blocks. */
static inline int64_t hyb_exchange_columns(int64_t nb)
{
    return (HYB_EXCHANGE_COLUMNS + nb - 1) / nb * nb;
}

#endif
