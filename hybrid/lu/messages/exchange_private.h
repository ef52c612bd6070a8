/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/node/units.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/tune/sizes.h"

/* What exchange.c and parcels.c share. */

enum { HYB_MOVING_MOST = 8 };

/* Parcels of guests begin by turns with parcels of all other blocks, so that
 * links and devices are busy at the same time. */
enum { HYB_GUESTS, HYB_OTHERS, HYB_STREAMS };

/* The blocks that use a slot, until the panels up to `to` have been applied to
 * them. */
typedef struct {
    hyb_block_range_t blocks;
    int to;
} hyb_holder_t;

/* Panels from .. to - 1. */
typedef struct {
    int from, to;
} hyb_panels_t;

struct hyb_exchange {
    hyb_ledger_t *ledger;
    const hyb_homes_t *homes;
    const hyb_step_t *step; /* of the iteration whose rows are exchanged */
    hyb_panels_t *panels;   /* by block: what this iteration applies to it */
    /* Blocks whose parcels have not begun, and how many that were at first. */
    hyb_block_range_t remaining[HYB_STREAMS];
    int64_t total[HYB_STREAMS];
    bool l2_is_left;      /* L2's parcel has not begun */
    hyb_parcel_t *packed; /* the parcel being packed, or NULL */
    hyb_parcel_t *moving[HYB_MOVING_MOST]; /* the parcels that travel */
    int moving_count, most_moving;
    int64_t first_blocks; /* blocks of the first parcel */
    /* The next parcel's blocks, in units of `first_blocks`; its bound. */
    int64_t growth, most_growth;
    int tag; /* tag of the next exchange */
    /* Parcels by their first block; L2's parcel is behind all blocks. */
    hyb_parcel_t *parcel;
    hyb_block_range_t
        *last_blocks; /* by block: the blocks of its last parcel */

    hyb_units_t units; /* columns of `packed` on the host: any worker packs
                          some; then all other columns: any worker weighs some,
                          for the check columns */
    bool weighs;
    bool *is_packed_here; /* by block: workers pack its rows, which are in host
                             memory */

    int64_t rows;      /* rows of a column in the next three: nb, or fewer */
    double *gathered;  /* rows x columns: rows of U; then the slots */
    double *displaced; /* same size: top rows on their way to new places */
    double *u; /* same size: U in columns, where anyone reads it so; or NULL */
    size_t bytes;                          /* of all three, in one piece */
    int64_t slot;                          /* doubles of a slot */
    hyb_holder_t holder[HYB_PARCEL_SLOTS]; /* by slot */
    int next_slot;
};

/* ---- parcels.c: which blocks travel together, and where they have room ----
 */

/* Let iteration step->k begin: no parcel has begun. */
void hyb_parcels_open(hyb_lu_t *lu, const hyb_step_t *step);

/* Are any parcels left to begin? */
bool hyb_parcels_are_left(const hyb_exchange_t *e);

/* The next parcel, without its tag; NULL if its blocks are not ready or there
 * is no room. Called by the leader. */
hyb_parcel_t *hyb_parcels_next(hyb_lu_t *lu);
