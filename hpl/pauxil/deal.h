/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/status.h"

/*
 * Blocks that processes get by speed, where the cyclic distribution gives all
 * equally many: which ones each has.
 */
typedef struct hpl_deal {
    int64_t blocks;
    int nprocs;
    int *owner; /* by block */
    int *local; /* by block: those of its owner before it */
    int *first; /* by process: where its blocks begin in list; nprocs + 1 */
    int *list;  /* the blocks of process 0, of process 1, ..., ascending */
} hpl_deal_t;

/* One to whom blocks are dealt. */
typedef struct {
    double rate;  /* of its work, in any unit; > 0 */
    int64_t room; /* blocks that it can hold */
    int64_t has;  /* those that it has: 0 at first */
} hpl_dealt_t;

/*
 * Deal blocks from the right, each to the one that with it, and what it has, is
 * done first. So every trailing part of the matrix, and that is what an
 * iteration computes, is shared as rates and room allow. Equal ones get blocks
 * in turn, block 0 the first of them.
 *
 * counted  in   the blocks that are work; those behind them are dealt, too
 * blocks   in   not more than there is room for
 * owner_p  out  by block
 *
 * Source: greedy scheduling; dealing by weight as in clMAGMA
 */
void hpl_deal_blocks(hpl_dealt_t *to, int count, int64_t counted,
                     int64_t blocks, int *owner_p);

/*
 * A rate as a part of the highest, rounded to steps of 9%: equal ones are
 * measured as not quite equal.
 */
double hpl_deal_round(double rate, double highest);

/*
 * Deal the block columns of [ A | b ], of order n, to so many process columns
 * by the rate of each.
 *
 * deal_p  out  for hpl_deal_destroy; NULL: the cyclic distribution is the same
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hpl_deal_create(const double *rate, int nprocs, int64_t n,
                            int64_t nb, hpl_deal_t **deal_p);
void hpl_deal_destroy(hpl_deal_t *deal); /* accepts NULL */

/* How many of the first `blocks` blocks a process has. */
int64_t hpl_deal_count(const hpl_deal_t *deal, int64_t blocks, int process);
