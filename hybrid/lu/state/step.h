/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hybrid/lu/state/ledger.h"

typedef struct hyb_lu hyb_lu_t;

/* Iterations that may be in flight, and panels. */
enum { HYB_IN_FLIGHT = 3 };

/* What may overlap in an iteration. */
typedef enum {
    HYB_LOOKAHEAD_NONE,     /* nothing */
    HYB_LOOKAHEAD_PANEL,    /* the next panel runs under the update */
    HYB_LOOKAHEAD_PIPELINE, /* swap, exchange and solve too, in groups */
    HYB_LOOKAHEADS
} hyb_lookahead_t;

/* What the tuner decided for iteration k. Nobody changes it once k is open. */
typedef struct {
    int k;
    hyb_lookahead_t mode;
    const char *reason; /* of the mode; static */
    int panel_threads;  /* that factor panel k + 1, */
    bool by_device;     /* or give it to the device that it lives on */
    hyb_block_range_t
        all; /* to the right of panel k: the next three, in order, */
    hyb_block_range_t next; /* the columns of panel k + 1; none if not here, */
    hyb_block_range_t visiting; /* what devices multiply, */
    hyb_block_range_t rest;     /* and what the team multiplies */
    bool share_is_fixed;  /* by the user: nobody takes columns from devices */
    bool next_visits;     /* next lies within visiting */
    double panel_seconds; /* that panel k took here */
    double thread_rate;   /* flop/s of one thread of late; 0: unknown */
} hyb_step_t;

/* Are all columns swapped and solved before any is multiplied? */
static inline bool hyb_step_solves_first(const hyb_step_t *step)
{
    return step->mode != HYB_LOOKAHEAD_PIPELINE;
}

/* Are these the columns of the next panel, which are here? */
static inline bool hyb_step_is_next(const hyb_step_t *step, int64_t block)
{
    return hyb_blocks_count(step->next) > 0 && block == step->next.from;
}
