/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/state/ledger.h"

#include <stdlib.h>
#include "base/integers.h"

xh_status_t hyb_ledger_create(int64_t columns, bool has_b, int64_t nb,
                              int checked, hyb_ledger_t *ledger_p)
{
    int64_t b = xh_units(columns, nb), check = b + has_b;
    int64_t blocks = check + checked;
    _Atomic int64_t *queued = calloc(2 * (size_t)blocks + 1, sizeof(*queued));

    if (queued == NULL)
        return XH_ERR_MEMORY;
    *ledger_p = (hyb_ledger_t){
        .nb = nb,
        .columns_of_a = columns,
        .columns_of_ab = columns + has_b,
        .columns = columns + has_b + checked * HYB_CHECK_COLUMNS,
        .blocks = blocks,
        .b = b,
        .check = check,
        .queued = queued,
        .applied = queued + blocks,
    };
    return XH_OK;
}

void hyb_ledger_destroy(hyb_ledger_t *ledger)
{
    free(ledger->queued);
    ledger->queued = NULL;
}

int64_t hyb_ledger_first(const hyb_ledger_t *ledger, int64_t b)
{
    return b < ledger->check ? xh_smaller(b * ledger->nb, ledger->columns_of_a)
                             : ledger->columns_of_ab +
                                   (b - ledger->check) * HYB_CHECK_COLUMNS;
}

int64_t hyb_ledger_block(const hyb_ledger_t *ledger, int64_t column)
{
    if (column < ledger->columns_of_a)
        return column / ledger->nb;
    return column < ledger->columns_of_ab
               ? ledger->b
               : ledger->check +
                     (column - ledger->columns_of_ab) / HYB_CHECK_COLUMNS;
}

hyb_block_range_t hyb_ledger_blocks(const hyb_ledger_t *ledger, hyb_run_t run)
{
    return (hyb_block_range_t){
        hyb_ledger_block(ledger, run.from),
        hyb_ledger_block(ledger, run.from + run.count - 1) + 1};
}

static int64_t width_of(const hyb_ledger_t *ledger, int64_t b)
{
    return hyb_ledger_first(ledger, b + 1) - hyb_ledger_first(ledger, b);
}

hyb_run_t hyb_ledger_columns(const hyb_ledger_t *ledger,
                             hyb_block_range_t blocks)
{
    int64_t from = hyb_ledger_first(ledger, blocks.from);

    return (hyb_run_t){
        from, xh_larger(hyb_ledger_first(ledger, blocks.to) - from, 0)};
}

int64_t hyb_ledger_team_columns(const hyb_ledger_t *ledger,
                                hyb_block_range_t blocks)
{
    int64_t count = 0;

    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (hyb_ledger_is_teams(ledger, b))
            count += width_of(ledger, b);
    return count;
}

static bool has_reached(const hyb_ledger_t *ledger, int64_t b, int64_t stage)
{
    return atomic_load_explicit(&ledger->applied[b], memory_order_acquire) >=
           stage * width_of(ledger, b);
}

int64_t hyb_ledger_team_first_before(const hyb_ledger_t *ledger,
                                     hyb_block_range_t blocks, int64_t stage)
{
    int64_t b = blocks.from;

    while (b < blocks.to &&
           (!hyb_ledger_is_teams(ledger, b) || has_reached(ledger, b, stage)))
        b++;
    return b;
}

/* Has the team no columns of A among blocks b .. to - 1? */
static bool is_narrow(const hyb_ledger_t *ledger, int64_t b, int64_t to)
{
    return hyb_ledger_team_columns(
               ledger, (hyb_block_range_t){b, xh_smaller(to, ledger->b)}) == 0;
}

int64_t hyb_ledger_divide(const hyb_ledger_t *ledger, hyb_block_range_t blocks,
                          double share, bool is_fixed)
{
    int64_t all = hyb_ledger_team_columns(ledger, blocks), seen = 0;
    /* A block goes to the devices if this part of it does. */
    double part = is_fixed ? 0.5 : 0.0;
    int64_t b = blocks.from;

    for (; b < blocks.to; b++) {
        int64_t mine =
            hyb_ledger_team_columns(ledger, (hyb_block_range_t){b, b + 1});

        if (mine > 0 &&
            (double)seen + part * (double)mine >= share * (double)all)
            break;
        seen += mine;
    }
    if (seen == 0)
        return blocks.from;
    return is_narrow(ledger, b, blocks.to) ? blocks.to : b;
}

bool hyb_ledger_reached(const hyb_ledger_t *ledger, hyb_block_range_t blocks,
                        int64_t stage)
{
    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (!has_reached(ledger, b, stage))
            return false;
    return true;
}

bool hyb_ledger_team_reached(const hyb_ledger_t *ledger,
                             hyb_block_range_t blocks, int64_t stage)
{
    return hyb_ledger_team_first_before(ledger, blocks, stage) >= blocks.to;
}

bool hyb_ledger_queued(const hyb_ledger_t *ledger, hyb_block_range_t blocks,
                       int64_t stage)
{
    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (atomic_load(&ledger->queued[b]) < stage * width_of(ledger, b))
            return false;
    return true;
}

int hyb_ledger_panels_queued(const hyb_ledger_t *ledger, int64_t b)
{
    return (int)(atomic_load(&ledger->queued[b]) /
                 (width_of(ledger, b) * HYB_STEPS));
}

/* The sum of its columns' stages tells which column is next. */
bool hyb_ledger_take_run(hyb_ledger_t *ledger, int64_t b, int64_t from,
                         int64_t to, int64_t width, hyb_run_t *run_p)
{
    int64_t all = width_of(ledger, b), steps = to - from, first, count;
    int64_t queued = atomic_load(&ledger->queued[b]);

    do {
        if (!hyb_ledger_is_teams(ledger, b) || queued >= to * all ||
            queued < from * all || !has_reached(ledger, b, from))
            return false;
        first = (queued - from * all) / steps;
        count = xh_smaller(width, all - first);
    } while (!atomic_compare_exchange_weak(&ledger->queued[b], &queued,
                                           queued + count * steps));
    *run_p = (hyb_run_t){hyb_ledger_first(ledger, b) + first, count};
    return true;
}

bool hyb_ledger_is_free(const hyb_ledger_t *ledger, int64_t b, int64_t from)
{
    return hyb_ledger_is_teams(ledger, b) && has_reached(ledger, b, from) &&
           !hyb_ledger_is_begun(ledger, b, from);
}

bool hyb_ledger_is_begun(const hyb_ledger_t *ledger, int64_t b, int64_t from)
{
    return atomic_load(&ledger->queued[b]) > from * width_of(ledger, b);
}

bool hyb_ledger_take_block(hyb_ledger_t *ledger, int64_t b, int64_t from,
                           int64_t to)
{
    int64_t all = width_of(ledger, b), queued = from * all;

    return has_reached(ledger, b, from) &&
           atomic_compare_exchange_strong(&ledger->queued[b], &queued,
                                          to * all);
}

bool hyb_ledger_take(hyb_ledger_t *ledger, hyb_block_range_t blocks,
                     int64_t from, int64_t to, int64_t width, hyb_run_t *run_p)
{
    bool all = true;

    for (int64_t b = blocks.from; b < blocks.to; b++) {
        if (hyb_ledger_take_run(ledger, b, from, to, width, run_p))
            return true;
        all = all &&
              (!hyb_ledger_is_teams(ledger, b) ||
               atomic_load(&ledger->queued[b]) >= to * width_of(ledger, b));
    }
    *run_p = (hyb_run_t){0, 0};
    return all;
}

void hyb_ledger_complete(hyb_ledger_t *ledger, hyb_run_t run, int64_t stages)
{
    atomic_fetch_add_explicit(
        &ledger->applied[hyb_ledger_block(ledger, run.from)],
        run.count * stages, memory_order_acq_rel);
}

void hyb_ledger_queue_all(hyb_ledger_t *ledger, hyb_block_range_t blocks,
                          int64_t stages)
{
    for (int64_t b = blocks.from; b < blocks.to; b++)
        atomic_fetch_add(&ledger->queued[b], width_of(ledger, b) * stages);
}

void hyb_ledger_complete_all(hyb_ledger_t *ledger, hyb_block_range_t blocks,
                             int64_t stages)
{
    for (int64_t b = blocks.from; b < blocks.to; b++)
        hyb_ledger_complete(
            ledger, hyb_ledger_columns(ledger, hyb_one_block(b)), stages);
}
