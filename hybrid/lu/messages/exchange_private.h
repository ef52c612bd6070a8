/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/node/units.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/tune/sizes.h"

/* The exchange from inside: exchange.c and parcels.c. */

enum { HYB_MOVING_MOST = 8 };

/* Parcels of guests begin by turns with those of all others, so that links and
 * devices are busy at the same time. */
enum { HYB_GUESTS, HYB_OTHERS, HYB_STREAMS };

/* Who has a slot, until its blocks have met the panels up to `to`. */
typedef struct {
    hyb_block_range_t blocks;
    int to;
} hyb_holder_t;

struct hyb_exchange {
    int k; /* iteration that is exchanged */
    hyb_block_range_t
        left[HYB_STREAMS];    /* blocks of parcels that have not begun */
    int64_t all[HYB_STREAMS]; /* so many were left */
    bool l2_is_left;          /* nor has L2's */
    hyb_parcel_t *packed;     /* the one that is packed, or NULL */
    hyb_parcel_t *moving[HYB_MOVING_MOST]; /* those that travel */
    int count, together;                   /* how many do, and may */
    int64_t blocks;                        /* of the first parcel ... */
    int64_t growth, most; /* ... and of the next one, times blocks; at most */
    int tag;              /* of the next exchange */
    hyb_parcel_t *at;     /* by first block; L2's behind all */
    hyb_block_range_t *last; /* by block: those of its last parcel */

    hyb_units_t units; /* of its columns on the host: any worker packs some;
                          then of all others: any worker weighs some */
    bool weighs;
    bool *packs; /* by block: workers pack its rows: they are in host memory */

    int64_t rows;      /* of a column in the next three: nb, or less */
    double *gathered;  /* rows x columns: rows of U; then slots */
    double *displaced; /* likewise: top rows on their way to new places */
    double *u; /* likewise: U in columns, where someone reads it so; or NULL */
    size_t bytes;                        /* of all three, in one piece */
    int64_t slot;                        /* doubles of a slot */
    hyb_holder_t held[HYB_PARCEL_SLOTS]; /* slots */
    int next_slot;
};

/* ---- parcels.c: which blocks travel together, and where they have room ----
 */

/* Iteration step->k: no parcel has begun. */
void hyb_parcels_open(hyb_lu_t *lu, const hyb_step_t *step);

/* Are there any that have not? */
bool hyb_parcels_are_left(const struct hyb_exchange *e);

/* The next one, but for its tag, if its blocks have met what they are to have
 * met before, and there is room; else NULL. The leader. */
hyb_parcel_t *hyb_parcels_next(hyb_lu_t *lu);
