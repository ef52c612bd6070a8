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

static int width(hyb_panels_t panels)
{
    return panels.to - panels.from;
}

/* Pass over blocks to which no panel is applied in this iteration. */
static void pass_over(const hyb_exchange_t *e, hyb_block_range_t *left)
{
    while (left->from < left->to && width(e->panels[left->from]) == 0)
        left->from++;
}

void hyb_parcels_open(hyb_lu_t *lu, const hyb_step_t *step)
{
    hyb_exchange_t *e = lu->exchange;
    int64_t guests =
        xh_larger(step->all.from, xh_smaller(lu->homes.guests, step->all.to));

    e->step = step;
    for (int64_t b = step->all.from; b < step->all.to; b++)
        e->panels[b] = (hyb_panels_t){hyb_lu_applied_before(lu, b, step->k),
                                      hyb_lu_applied(lu, b, step->k)};
    e->remaining[HYB_GUESTS] = (hyb_block_range_t){step->all.from, guests};
    e->remaining[HYB_OTHERS] = (hyb_block_range_t){guests, step->all.to};
    e->l2_is_left = lu->homes.resident &&
                    step->k > lu->groups.of[step->k].first &&
                    hyb_blocks_count(step->all) > 0;
    e->growth = 1;
    for (int i = 0; i < HYB_STREAMS; i++) {
        pass_over(e, &e->remaining[i]);
        e->total[i] = hyb_blocks_count(e->remaining[i]);
    }
}

bool hyb_parcels_are_left(const hyb_exchange_t *e)
{
    return e->l2_is_left || hyb_blocks_count(e->remaining[HYB_GUESTS]) > 0 ||
           hyb_blocks_count(e->remaining[HYB_OTHERS]) > 0;
}

/* The stream of which the larger part is left. The next panel's columns come
 * first. */
static hyb_block_range_t *next_left(hyb_exchange_t *e)
{
    int64_t guests = hyb_blocks_count(e->remaining[HYB_GUESTS]);
    int64_t others = hyb_blocks_count(e->remaining[HYB_OTHERS]);

    return &e->remaining[guests > 0 && guests * e->total[HYB_OTHERS] >=
                                           others * e->total[HYB_GUESTS]
                             ? HYB_GUESTS
                             : HYB_OTHERS];
}

/* The end of the blocks to which the same panels are applied as to the first
 * one. */
static int64_t alike(const hyb_exchange_t *e, hyb_block_range_t blocks)
{
    const hyb_panels_t *first = &e->panels[blocks.from];
    int64_t b = blocks.from + 1;

    while (b < blocks.to && e->panels[b].from == first->from &&
           e->panels[b].to == first->to)
        b++;
    return b;
}

/*
 * The next panel's columns are a parcel of their own. All other blocks are one
 * parcel or, where the exchange overlaps updates, one parcel per `growth` x
 * `first_blocks`. A parcel of a wide panel has its memory in a slot.
 */
static hyb_block_range_t next_blocks(const hyb_exchange_t *e,
                                     hyb_block_range_t blocks)
{
    int64_t most = blocks.to, panels = width(e->panels[blocks.from]);

    if (blocks.from < e->step->next.to)
        most = e->step->next.to;
    else if (!hyb_step_solves_first(e->step))
        most = blocks.from + e->growth * e->first_blocks;
    if (panels > 1)
        most = xh_smaller(most,
                          blocks.from + e->slot / (panels * e->rows *
                                                   hyb_ledger_widest(e->rows)));
    blocks.to = xh_smaller(blocks.to, most);
    blocks.to = alike(e, blocks);
    return blocks;
}

static bool is_applied(const hyb_exchange_t *e, hyb_block_range_t blocks,
                       int panels)
{
    return hyb_ledger_reached(e->ledger, blocks, hyb_stage(panels));
}

/*
 * Are the blocks ready, and is the memory for their rows free? Rows of a parcel
 * lie interleaved in the buffers, so the memory is free once all blocks of the
 * last parcel there have used their rows: then no device reads them any more.
 */
static bool is_possible(const hyb_exchange_t *e, hyb_block_range_t blocks)
{
    hyb_panels_t panels = e->panels[blocks.from];
    const hyb_holder_t *holder = &e->holder[e->next_slot];

    for (int64_t b = blocks.from; b < blocks.to;
         b = Mmax(b + 1, e->last_blocks[b].to))
        if (!is_applied(e, e->last_blocks[b], panels.from))
            return false;
    return is_applied(e, blocks, panels.from) &&
           (width(panels) == 1 || is_applied(e, holder->blocks, holder->to));
}

/* Give a parcel its memory in both buffers. */
static void put_at(hyb_exchange_t *e, hyb_parcel_t *parcel, int64_t at)
{
    parcel->x.gathered = e->gathered + at;
    parcel->x.displaced = e->displaced + at;
}

static int64_t slots_from(const hyb_exchange_t *e)
{
    return e->ledger->columns * e->rows;
}

/* Take the slot that is free. */
static void take_slot(hyb_exchange_t *e, hyb_parcel_t *parcel)
{
    parcel->slot = e->next_slot * e->slot;
    e->holder[e->next_slot] = (hyb_holder_t){parcel->blocks, parcel->to};
    e->next_slot = (e->next_slot + 1) % HYB_PARCEL_SLOTS;
    put_at(e, parcel, slots_from(e) + parcel->slot);
}

/* Is block b in host memory while its parcel is packed? */
static bool is_on_host(const hyb_exchange_t *e, int64_t b)
{
    const hyb_place_t *place = hyb_place_of(e->homes, b);

    return hyb_homes_in_host_memory(e->homes, b) &&
           (hyb_ledger_is_teams(e->ledger, b) || !place->has_guest(place, b));
}

static hyb_parcel_t *fill(hyb_lu_t *lu, hyb_block_range_t blocks)
{
    hyb_exchange_t *e = lu->exchange;
    hyb_run_t columns = hyb_ledger_columns(e->ledger, blocks);
    hyb_panels_t panels = e->panels[blocks.from];
    hyb_parcel_t *parcel = &e->parcel[blocks.from];

    for (int64_t b = blocks.from; b < blocks.to; b++) {
        e->last_blocks[b] = blocks;
        e->is_packed_here[b] = is_on_host(e, b);
    }
    *parcel = (hyb_parcel_t){.k = e->step->k,
                             .from = panels.from,
                             .to = panels.to,
                             .blocks = blocks,
                             .slot = -1};
    parcel->x.panel = hyb_wide_panel(lu, parcel->from, parcel->to);
    parcel->x.a =
        Mptr(lu->mat->A, parcel->x.panel->ii, columns.from, lu->mat->ld);
    parcel->x.columns = (int)columns.count;
    if (width(panels) > 1)
        take_slot(e, parcel);
    else
        put_at(e, parcel, columns.from * e->rows);
    if (blocks.from >= e->step->next.to)
        e->growth = Mmin(2 * e->growth, e->most_growth);
    return parcel;
}

/* L2's rows have memory of their own, which no device reads any more two
 * iterations later. */
static hyb_parcel_t *fill_l2(hyb_lu_t *lu)
{
    hyb_exchange_t *e = lu->exchange;
    hyb_parcel_t *parcel = &e->parcel[e->ledger->blocks];
    int k = e->step->k;
    int64_t before = k - lu->groups.of[k].first;

    *parcel = (hyb_parcel_t){.k = k,
                             .from = k,
                             .to = k + 1,
                             .slot = HYB_PARCEL_SLOTS * e->slot +
                                     k % HYB_SLOTS * lu->groups.width *
                                         e->rows * e->rows};
    parcel->x.panel = hyb_lu_panel(lu, k)->hpl;
    parcel->x.columns = (int)(before * e->rows);
    put_at(e, parcel, slots_from(e) + parcel->slot);
    e->l2_is_left = false;
    return parcel;
}

/* L2's parcel follows the parcel of the next panel's columns. */
hyb_parcel_t *hyb_parcels_next(hyb_lu_t *lu)
{
    hyb_exchange_t *e = lu->exchange;
    hyb_block_range_t *left = next_left(e), blocks;

    if (e->l2_is_left && left->from >= e->step->next.to)
        return fill_l2(lu);
    if (hyb_blocks_count(*left) == 0)
        return NULL;
    blocks = next_blocks(e, *left);
    if (!is_possible(e, blocks))
        return NULL;
    left->from = blocks.to;
    pass_over(e, left);
    return fill(lu, blocks);
}
