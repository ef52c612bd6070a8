/* SPDX-License-Identifier: BSD-3-Clause */

#include "base/integers.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/messages/exchange_private.h"
#include "hybrid/lu/panel/wide.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/tune/sizes.h"

/* Pass over blocks to which no panel is applied in this iteration. */
static void pass_over(const hyb_lu_t *lu, hyb_block_range_t *left)
{
    int k = lu->exchange->k;

    while (left->from < left->to && hyb_lu_met(lu, left->from, k) ==
                                        hyb_lu_met_before(lu, left->from, k))
        left->from++;
}

void hyb_parcels_open(hyb_lu_t *lu, const hyb_step_t *step)
{
    struct hyb_exchange *e = lu->exchange;
    int64_t guests =
        xh_larger(step->all.from, xh_smaller(lu->homes.guests, step->all.to));

    e->k = step->k;
    e->left[HYB_GUESTS] = (hyb_block_range_t){step->all.from, guests};
    e->left[HYB_OTHERS] = (hyb_block_range_t){guests, step->all.to};
    e->l2_is_left = lu->homes.resident &&
                    step->k > lu->groups.of[step->k].first &&
                    hyb_blocks_count(step->all) > 0;
    e->growth = 1;
    for (int i = 0; i < HYB_STREAMS; i++) {
        pass_over(lu, &e->left[i]);
        e->all[i] = hyb_blocks_count(e->left[i]);
    }
}

bool hyb_parcels_are_left(const struct hyb_exchange *e)
{
    return e->l2_is_left || hyb_blocks_count(e->left[HYB_GUESTS]) > 0 ||
           hyb_blocks_count(e->left[HYB_OTHERS]) > 0;
}

/* The stream of which the larger part is left. The next panel's columns come
 * first. */
static hyb_block_range_t *next_left(struct hyb_exchange *e)
{
    int64_t guests = hyb_blocks_count(e->left[HYB_GUESTS]);
    int64_t others = hyb_blocks_count(e->left[HYB_OTHERS]);

    return &e->left[guests > 0 && guests * e->all[HYB_OTHERS] >=
                                      others * e->all[HYB_GUESTS]
                        ? HYB_GUESTS
                        : HYB_OTHERS];
}

/* The end of the blocks to which the same panels are applied as to the first
 * one. */
static int64_t alike(const hyb_lu_t *lu, hyb_block_range_t blocks)
{
    int k = lu->exchange->k, from = hyb_lu_met_before(lu, blocks.from, k);
    int to = hyb_lu_met(lu, blocks.from, k);
    int64_t b = blocks.from + 1;

    while (b < blocks.to && hyb_lu_met_before(lu, b, k) == from &&
           hyb_lu_met(lu, b, k) == to)
        b++;
    return b;
}

/*
 * The next panel's columns are a parcel of their own. All other blocks are one
 * parcel or, where the exchange overlaps updates, one parcel per `growth` x
 * `blocks`. A parcel of a wide panel has its memory in a slot.
 */
static hyb_block_range_t next_blocks(hyb_lu_t *lu, hyb_block_range_t blocks)
{
    const struct hyb_exchange *e = lu->exchange;
    const hyb_step_t *step = hyb_lu_step(lu, e->k);
    int64_t most = blocks.to, width;

    if (blocks.from < step->next.to)
        most = step->next.to;
    else if (!hyb_step_solves_first(step))
        most = blocks.from + e->growth * e->blocks;
    width = hyb_lu_met(lu, blocks.from, e->k) -
            hyb_lu_met_before(lu, blocks.from, e->k);
    if (width > 1)
        most = xh_smaller(
            most, blocks.from +
                      e->slot / (width * e->rows * hyb_ledger_widest(e->rows)));
    blocks.to = xh_smaller(blocks.to, most);
    blocks.to = alike(lu, blocks);
    return blocks;
}

static bool has_met(const hyb_lu_t *lu, hyb_block_range_t blocks, int panels)
{
    return hyb_ledger_reached(&lu->ledger, blocks, hyb_stage(panels));
}

/*
 * Are the blocks ready, and is the memory for their rows free? Rows of a parcel
 * lie interleaved in the buffers, so the memory is free once all blocks of the
 * last parcel there have used their rows: then no device reads them any more.
 */
static bool is_possible(const hyb_lu_t *lu, hyb_block_range_t blocks)
{
    const struct hyb_exchange *e = lu->exchange;
    int before = hyb_lu_met_before(lu, blocks.from, e->k);
    bool is_wide = hyb_lu_met(lu, blocks.from, e->k) > before + 1;
    const hyb_holder_t *held = &e->held[e->next_slot];

    for (int64_t b = blocks.from; b < blocks.to; b = Mmax(b + 1, e->last[b].to))
        if (!has_met(lu, e->last[b], before))
            return false;
    return has_met(lu, blocks, before) &&
           (!is_wide || has_met(lu, held->blocks, held->to));
}

/* Give a parcel its memory in both buffers. */
static void put_at(struct hyb_exchange *e, hyb_parcel_t *parcel, int64_t at)
{
    parcel->x.gathered = e->gathered + at;
    parcel->x.displaced = e->displaced + at;
}

static int64_t slots_from(const hyb_lu_t *lu)
{
    return lu->ledger.columns * lu->exchange->rows;
}

/* Take the slot that is free. */
static void take_slot(hyb_lu_t *lu, hyb_parcel_t *parcel)
{
    struct hyb_exchange *e = lu->exchange;

    parcel->slot = e->next_slot * e->slot;
    e->held[e->next_slot] = (hyb_holder_t){parcel->blocks, parcel->to};
    e->next_slot = (e->next_slot + 1) % HYB_PARCEL_SLOTS;
    put_at(e, parcel, slots_from(lu) + parcel->slot);
}

/* Is block b in host memory while its parcel is packed? */
static bool is_on_host(const hyb_lu_t *lu, int64_t b)
{
    const hyb_place_t *place = hyb_place_of(&lu->homes, b);

    return hyb_homes_in_host_memory(&lu->homes, b) &&
           (hyb_ledger_is_teams(&lu->ledger, b) || !place->has_guest(place, b));
}

static hyb_parcel_t *fill(hyb_lu_t *lu, hyb_block_range_t blocks)
{
    struct hyb_exchange *e = lu->exchange;
    hyb_run_t columns = hyb_ledger_columns(&lu->ledger, blocks);
    hyb_parcel_t *parcel = &e->at[blocks.from];

    for (int64_t b = blocks.from; b < blocks.to; b++) {
        e->last[b] = blocks;
        e->packs[b] = is_on_host(lu, b);
    }
    *parcel = (hyb_parcel_t){.k = e->k,
                             .from = hyb_lu_met_before(lu, blocks.from, e->k),
                             .to = hyb_lu_met(lu, blocks.from, e->k),
                             .blocks = blocks,
                             .slot = -1};
    parcel->x.panel = hyb_wide_panel(lu, parcel->from, parcel->to);
    parcel->x.a =
        Mptr(lu->mat->A, parcel->x.panel->ii, columns.from, lu->mat->ld);
    parcel->x.columns = (int)columns.count;
    if (parcel->to > parcel->from + 1)
        take_slot(lu, parcel);
    else
        put_at(e, parcel, columns.from * e->rows);
    if (blocks.from >= hyb_lu_step(lu, e->k)->next.to)
        e->growth = Mmin(2 * e->growth, e->most);
    return parcel;
}

/* L2's rows have memory of their own, which no device reads any more two
 * iterations later. */
static hyb_parcel_t *fill_l2(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;
    hyb_parcel_t *parcel = &e->at[lu->ledger.blocks];
    int64_t before = e->k - lu->groups.of[e->k].first;

    *parcel = (hyb_parcel_t){.k = e->k,
                             .from = e->k,
                             .to = e->k + 1,
                             .slot = HYB_PARCEL_SLOTS * e->slot +
                                     e->k % HYB_SLOTS * lu->groups.width *
                                         e->rows * e->rows};
    parcel->x.panel = hyb_lu_panel(lu, e->k)->hpl;
    parcel->x.columns = (int)(before * e->rows);
    put_at(e, parcel, slots_from(lu) + parcel->slot);
    e->l2_is_left = false;
    return parcel;
}

/* L2's parcel follows the parcel of the next panel's columns. */
hyb_parcel_t *hyb_parcels_next(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;
    hyb_block_range_t *left = next_left(e), blocks;

    if (e->l2_is_left && left->from >= hyb_lu_step(lu, e->k)->next.to)
        return fill_l2(lu);
    if (hyb_blocks_count(*left) == 0)
        return NULL;
    blocks = next_blocks(lu, *left);
    if (!is_possible(lu, blocks))
        return NULL;
    left->from = blocks.to;
    pass_over(lu, left);
    return fill(lu, blocks);
}
