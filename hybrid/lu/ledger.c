/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/ledger.h"

#include <stdlib.h>
#include "base/integers.h"

xh_status_t hyb_ledger_create(int64_t columns, bool has_b, int64_t nb,
                              hyb_ledger_t *ledger_p)
{
    int64_t blocks = (columns + nb - 1) / nb + has_b;
    hyb_ledger_entry_t *entry = calloc((size_t)blocks + 1, sizeof(*entry));

    if (entry == NULL)
        return XH_ERR_MEMORY;
    *ledger_p = (hyb_ledger_t){nb, columns, columns + has_b, blocks, entry};
    return XH_OK;
}

void hyb_ledger_destroy(hyb_ledger_t *ledger)
{
    free(ledger->entry);
    ledger->entry = NULL;
}

int64_t hyb_ledger_first(const hyb_ledger_t *ledger, int64_t b)
{
    return b < ledger->blocks ? xh_smaller(b * ledger->nb, ledger->columns_of_a)
                              : ledger->columns;
}

int64_t hyb_ledger_block(const hyb_ledger_t *ledger, int64_t column)
{
    return column < ledger->columns_of_a ? column / ledger->nb
                                         : ledger->blocks - 1;
}

static int64_t width_of(const hyb_ledger_t *ledger, int64_t b)
{
    return hyb_ledger_first(ledger, b + 1) - hyb_ledger_first(ledger, b);
}

hyb_run_t hyb_ledger_columns(const hyb_ledger_t *ledger, hyb_blocks_t blocks)
{
    int64_t from = hyb_ledger_first(ledger, blocks.from);

    return (hyb_run_t){
        from, xh_larger(hyb_ledger_first(ledger, blocks.to) - from, 0)};
}

static bool has_reached(const hyb_ledger_t *ledger, int64_t b, int64_t stage)
{
    return atomic_load_explicit(&ledger->entry[b].applied,
                                memory_order_acquire) >=
           stage * width_of(ledger, b);
}

int64_t hyb_ledger_first_before(const hyb_ledger_t *ledger, hyb_blocks_t blocks,
                                int64_t stage)
{
    int64_t b = blocks.from;

    while (b < blocks.to && has_reached(ledger, b, stage))
        b++;
    return b;
}

bool hyb_ledger_reached(const hyb_ledger_t *ledger, hyb_blocks_t blocks,
                        int64_t stage)
{
    return hyb_ledger_first_before(ledger, blocks, stage) >= blocks.to;
}

bool hyb_ledger_queued(const hyb_ledger_t *ledger, hyb_blocks_t blocks,
                       int64_t stage)
{
    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (atomic_load(&ledger->entry[b].queued) < stage * width_of(ledger, b))
            return false;
    return true;
}

/* From block b. */
static hyb_taking_t take_from(hyb_ledger_t *ledger, int64_t b,
                              hyb_stages_t stages, int64_t width,
                              hyb_run_t *run_p)
{
    hyb_ledger_entry_t *entry = &ledger->entry[b];
    int64_t all = width_of(ledger, b), steps = stages.to - stages.from;
    int64_t queued = atomic_load(&entry->queued), first, count;

    do {
        if (queued >= stages.to * all)
            return HYB_NOTHING_LEFT;
        if (queued < stages.from * all || !has_reached(ledger, b, stages.from))
            return HYB_NOT_READY;
        first = (queued - stages.from * all) / steps;
        count = xh_smaller(width, all - first);
    } while (!atomic_compare_exchange_weak(&entry->queued, &queued,
                                           queued + count * steps));
    *run_p = (hyb_run_t){hyb_ledger_first(ledger, b) + first, count};
    return HYB_TAKEN;
}

hyb_taking_t hyb_ledger_take(hyb_ledger_t *ledger, hyb_blocks_t blocks,
                             hyb_stages_t stages, int64_t width,
                             hyb_run_t *run_p)
{
    hyb_taking_t all = HYB_NOTHING_LEFT, one;
    int64_t b;

    for (b = blocks.from; b < blocks.to; b++) {
        one = take_from(ledger, b, stages, width, run_p);
        if (one == HYB_TAKEN)
            return one;
        if (one == HYB_NOT_READY)
            all = one;
    }
    return all;
}

void hyb_ledger_complete(hyb_ledger_t *ledger, hyb_run_t run,
                         hyb_stages_t stages)
{
    atomic_fetch_add_explicit(
        &ledger->entry[hyb_ledger_block(ledger, run.from)].applied,
        run.count * (stages.to - stages.from), memory_order_acq_rel);
}

void hyb_ledger_queue_all(hyb_ledger_t *ledger, hyb_blocks_t blocks,
                          hyb_stages_t stages)
{
    int64_t b;

    for (b = blocks.from; b < blocks.to; b++)
        atomic_fetch_add(&ledger->entry[b].queued,
                         width_of(ledger, b) * (stages.to - stages.from));
}

void hyb_ledger_complete_all(hyb_ledger_t *ledger, hyb_blocks_t blocks,
                             hyb_stages_t stages)
{
    int64_t b;

    for (b = blocks.from; b < blocks.to; b++)
        hyb_ledger_complete(
            ledger,
            (hyb_run_t){hyb_ledger_first(ledger, b), width_of(ledger, b)},
            stages);
}
