/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/status.h"

/*
 * A distribution of blocks to processes by their speeds, while the cyclic
 * distribution gives all processes equally many blocks.
 */
typedef struct hpl_deal {
    int64_t blocks;
    int nprocs;
    int *owner; /* by block */
    int *local; /* by block: number of its owner's earlier blocks */
    int *first; /* by process: start of its blocks in `list`; nprocs + 1 entries
                 */
    int *list;  /* the blocks of process 0, of process 1, ..., ascending */
} hpl_deal_t;

/* One receiver of blocks. */
typedef struct {
    double rate;  /* work per time, in any unit; > 0 */
    int64_t room; /* blocks that it can hold */
    int64_t has;  /* blocks that it has; 0 at first */
} hpl_dealt_t;

/*
 * Deal blocks from the right, each to the receiver that, with this block, would
 * finish first. So every trailing part of the matrix, which is what an
 * iteration computes, is shared by rates, as far as room allows. Equal
 * receivers get blocks in turn; the first one gets block 0.
 *
 * counted  in   number of blocks that are work; later blocks are dealt, too
 * blocks   in   at most as many as there is room for
 * owner_p  out  by block
 *
 * Source: greedy scheduling; dealing by weight as in clMAGMA
 */
void hpl_deal_blocks(hpl_dealt_t *to, int count, int64_t counted,
                     int64_t blocks, int *owner_p);

/*
 * Round a rate, relative to the highest, to steps of 9%, because measurements
 * of equal rates differ slightly.
 */
double hpl_deal_round(double rate, double highest);

/*
 * Deal the block columns of [ A | b ], of order n, to nprocs process columns by
 * their rates.
 *
 * deal_p  out  for hpl_deal_destroy; NULL: the cyclic distribution is the same
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hpl_deal_create(const double *rate, int nprocs, int64_t n,
                            int64_t nb, hpl_deal_t **deal_p);
void hpl_deal_destroy(hpl_deal_t *deal); /* accepts NULL */

/* Number of the first `blocks` blocks that `process` has. */
int64_t hpl_deal_count(const hpl_deal_t *deal, int64_t blocks, int process);
