/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/columns.h"

#include <stdlib.h>
#include "base/integers.h"

xh_status_t hyb_columns_create(int64_t count, int64_t nb,
                               hyb_columns_t *columns_p)
{
    int64_t blocks = (count + nb - 1) / nb;

    columns_p->applied =
        calloc((size_t)blocks + 1, sizeof(*columns_p->applied));
    if (columns_p->applied == NULL)
        return XH_ERR_MEMORY;
    columns_p->nb = nb;
    columns_p->count = count;
    columns_p->blocks = blocks;
    return XH_OK;
}

void hyb_columns_destroy(hyb_columns_t *columns)
{
    free(columns->applied);
    columns->applied = NULL;
}

bool hyb_columns_reached(const hyb_columns_t *columns, int64_t from, int64_t to,
                         int stage)
{
    int64_t nb = columns->nb, first;

    for (first = from / nb * nb; first < to; first += nb)
        if (atomic_load_explicit(&columns->applied[first / nb],
                                 memory_order_acquire) <
            stage * xh_smaller(nb, columns->count - first))
            return false;
    return true;
}

void hyb_columns_apply(hyb_columns_t *columns, hyb_run_t run)
{
    atomic_fetch_add_explicit(&columns->applied[run.from / columns->nb],
                              run.count, memory_order_acq_rel);
}

xh_status_t hyb_deal_create(int lanes, hyb_deal_t *deal_p)
{
    deal_p->lane = aligned_alloc(_Alignof(hyb_lane_t),
                                 (size_t)lanes * sizeof(*deal_p->lane));
    if (deal_p->lane == NULL)
        return XH_ERR_MEMORY;
    deal_p->lanes = lanes;
    return XH_OK;
}

void hyb_deal_destroy(hyb_deal_t *deal)
{
    free(deal->lane);
    deal->lane = NULL;
}

void hyb_deal_begin(hyb_deal_t *deal, const hyb_columns_t *columns,
                    hyb_run_t all, int64_t width)
{
    int i;

    deal->from = all.from;
    deal->to = all.from + all.count;
    deal->width = width;
    deal->pieces = (columns->nb + width - 1) / width;
    for (i = 0; i < deal->lanes; i++)
        atomic_store(&deal->lane[i].next,
                     all.from / columns->nb * deal->pieces + i);
    atomic_store(&deal->settled, 0);
}

/* Run i, counted over all blocks; it may hold no column. */
static hyb_run_t run_at(const hyb_deal_t *deal, const hyb_columns_t *columns,
                        int64_t i)
{
    int64_t block = i / deal->pieces * columns->nb;
    int64_t from = block + i % deal->pieces * deal->width;
    int64_t to = xh_smaller(xh_smaller(from + deal->width, block + columns->nb),
                            deal->to);

    from = xh_larger(from, deal->from);
    return (hyb_run_t){from, xh_larger(to - from, 0)};
}

bool hyb_deal_take(hyb_deal_t *deal, const hyb_columns_t *columns, int member,
                   hyb_run_t *run_p)
{
    hyb_lane_t *lane = &deal->lane[member % deal->lanes];
    int64_t end = (deal->to + columns->nb - 1) / columns->nb * deal->pieces, i;

    if (deal->from >= deal->to)
        return false;
    while ((i = atomic_fetch_add(&lane->next, deal->lanes)) < end) {
        *run_p = run_at(deal, columns, i);
        if (run_p->count > 0)
            return true;
    }
    return false;
}

void hyb_deal_settle(hyb_deal_t *deal, hyb_run_t run)
{
    atomic_fetch_add_explicit(&deal->settled, run.count, memory_order_acq_rel);
}

bool hyb_deal_done(const hyb_deal_t *deal)
{
    return atomic_load_explicit(&deal->settled, memory_order_acquire) >=
           deal->to - deal->from;
}
