/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hybrid/lu/state/ledger.h"

typedef struct hyb_lu hyb_lu_t;

/* Iterations, and panels, that may be in flight. */
enum { HYB_IN_FLIGHT = 3 };

/*
 * The loop applies the panels of a range. When it begins, exactly the panels
 * before the range have been applied to all columns: at the start of the run,
 * after a checkpoint, and after a restart from one.
 */
typedef struct {
    int first;       /* first panel; changes only between loops */
    _Atomic int end; /* end of the range; for a pause the leader lowers it
                        before it opens the last iteration */
    int panels;      /* of the whole matrix */
} hyb_range_t;

/* What an iteration overlaps with the update. */
typedef enum {
    HYB_LOOKAHEAD_NONE,     /* nothing */
    HYB_LOOKAHEAD_PANEL,    /* the next panel */
    HYB_LOOKAHEAD_PIPELINE, /* also swap, exchange and solve, by parcels */
    HYB_LOOKAHEADS
} hyb_lookahead_t;

/* What the tuner decided for iteration k. Nothing changes once iteration k is
 * open. */
typedef struct {
    int k;
    hyb_lookahead_t mode;
    const char *reason; /* for the mode; static */
    int panel_threads;  /* threads that factor panel k + 1, */
    bool by_device;     /* unless the device that it lives on does */
    hyb_block_range_t
        all; /* blocks to the right of panel k: the next three, in order, */
    hyb_block_range_t next; /* the columns of panel k + 1; empty if not here, */
    hyb_block_range_t visiting; /* blocks that devices multiply, */
    hyb_block_range_t rest;     /* and blocks that the team multiplies */
    double column_flop;         /* flop of panel k's product with one column */
    bool share_is_fixed;  /* by the user: nobody takes columns from devices */
    bool next_visits;     /* `next` lies within `visiting` */
    double panel_seconds; /* time that panel k took here */
    double thread_rate;   /* newest flop/s of one thread; 0: unknown */
} hyb_step_t;

/* Are all columns swapped and solved before any is multiplied? */
static inline bool hyb_step_solves_first(const hyb_step_t *step)
{
    return step->mode != HYB_LOOKAHEAD_PIPELINE;
}

/* Is `block` the next panel's block column, which is here? */
static inline bool hyb_step_is_next(const hyb_step_t *step, int64_t block)
{
    return hyb_blocks_count(step->next) > 0 && block == step->next.from;
}
