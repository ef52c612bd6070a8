/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl.h"
#include "hpl/pauxil/map.h"
#include "hybrid/node/wait.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * This folder holds what all threads of a factorization share: its memory and
 * homes, the panels in flight, the ledger of progress, the workers and what
 * they spend their time on. Nothing here decides. This header has the whole,
 * struct hyb_lu.
 */

/*
 * A factorization under way: what the threads of this process share.
 *
 * Iteration k applies panel k. An iteration is open from the moment panel k is
 * known here until the panel has been applied to all local columns to its
 * right. Before that iteration k + 1 may open, and panel k + 2 be under way.
 * Hence there are HYB_IN_FLIGHT of each.
 */
struct hyb_lu {
    HPL_T_grid *grid;
    HPL_T_palg *algo;
    HPL_T_pmat *mat;
    hyb_resources_t resources;
    hyb_range_t range;
    hyb_groups_t groups; /* of panels; the range ends with a group */
    hyb_wide_t wide;     /* the newest groups as wide panels */
    /* What is written; NULL: no checkpoints. */
    struct hyb_checkpoint *checkpoint;
    hyb_ledger_t ledger;
    struct {
        hyb_step_t step;           /* of iteration k */
        hyb_lu_panel_t panel;      /* k */
    } flight[HYB_IN_FLIGHT];       /* at k % HYB_IN_FLIGHT */
    struct hyb_exchange *exchange; /* of rows; NULL: P = 1 */
    hyb_homes_t homes;
    /* What check columns tell; NULL: there are none. */
    struct hyb_check_columns *check;
    struct hyb_visits
        *visits;          /* by columns of the host to devices; NULL: none */
    hyb_worker_t *worker; /* by member */
    struct hyb_tuner *tuner;
    hyb_poller_t poller; /* the leader's; every poll goes through it */
    /* Called by other members between parts of work. */
    void (*assist)(hyb_worker_t *me);
    /* Called by whoever waits; was there any work? */
    bool (*help)(hyb_worker_t *me);
    const char *advice; /* what a message that ends the run adds; static */
};

static inline hyb_step_t *hyb_lu_step(hyb_lu_t *lu, int k)
{
    return &lu->flight[k % HYB_IN_FLIGHT].step;
}

static inline hyb_lu_panel_t *hyb_lu_panel(hyb_lu_t *lu, int k)
{
    return &lu->flight[k % HYB_IN_FLIGHT].panel;
}

static inline int hyb_lu_opened(const hyb_lu_t *lu)
{
    return atomic_load_explicit(&lu->ledger.opened, memory_order_acquire);
}

static inline bool hyb_lu_is_open(const hyb_lu_t *lu, int k)
{
    return hyb_lu_opened(lu) > k;
}

static inline int hyb_lu_end(const hyb_lu_t *lu)
{
    return atomic_load_explicit(&lu->range.end, memory_order_relaxed);
}

/* Does this process have the block column of panel k, and is k within the
 * range? */
static inline bool hyb_lu_owns(const hyb_lu_t *lu, int k)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);

    return k < hyb_lu_end(lu) &&
           hpl_map_owner(&map, (int64_t)k * lu->mat->nb) == map.me;
}

/* The local blocks to the right of panel k. */
static inline hyb_block_range_t hyb_lu_trailing(const hyb_lu_t *lu, int k)
{
    return (hyb_block_range_t){hyb_homes_first_behind(lu->grid, lu->mat->nb, k),
                               lu->ledger.blocks};
}

/* The local block that holds panel k's columns, which are here, and its
 * home. */
static inline int64_t hyb_lu_panel_block(const hyb_lu_t *lu, int k)
{
    return hyb_lu_trailing(lu, k - 1).from;
}

static inline hyb_place_t *hyb_lu_panel_place(const hyb_lu_t *lu, int k)
{
    return hyb_place_of(&lu->homes, hyb_lu_panel_block(lu, k));
}

/*
 * How many panels have been applied to local block b when iteration k is over?
 * The team's blocks have had all panels up to k. Far blocks of devices get one
 * group after another: some guests and some residents in each iteration, so
 * that links and devices are busy at the same time.
 */
static inline int hyb_lu_applied(const hyb_lu_t *lu, int64_t b, int k)
{
    bool is_guest = hyb_homes_is_guest(&lu->homes, b);
    int64_t guests = lu->homes.guests;
    hpl_map_t map;
    hyb_far_t far = {.block = b,
                     .blocks = is_guest ? guests : lu->ledger.blocks};

    if (lu->groups.width == 1 || hyb_place_number(&lu->homes, b) == 0)
        return k + 1;
    map = hpl_map_columns(lu->grid, lu->mat->nb);
    far.panel = hpl_map_block_global(&map, b);
    far.from =
        hyb_lu_trailing(lu, hyb_groups_closed(&lu->groups, k).end - 1).from;
    if (!is_guest)
        far.from = xh_larger(far.from, guests);
    return (int)xh_larger(
        hyb_groups_applied(&lu->groups, hyb_lu_end(lu), &far, k),
        xh_smaller(lu->range.first, far.panel));
}

/* How many panels have been applied to local block b before iteration k? */
static inline int hyb_lu_applied_before(const hyb_lu_t *lu, int64_t b, int k)
{
    return k > lu->range.first ? hyb_lu_applied(lu, b, k - 1) : k;
}
