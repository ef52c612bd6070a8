/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pauxil/deal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/integers.h"

double hpl_deal_round(double rate, double highest)
{
    const double steps = 8.0; /* steps per factor of 2 */

    return exp2(round(steps * log2(rate / highest)) / steps);
}

void hpl_deal_blocks(hpl_dealt_t *to, int count, int64_t counted,
                     int64_t blocks, int *owner_p)
{
    for (int64_t b = blocks - 1; b >= 0; b--) {
        double first = HUGE_VAL;

        for (int64_t i = b + count; i > b; i--) { /* equal receivers in turn */
            int p = (int)(i % count);
            double done = (double)(to[p].has + 1) / to[p].rate;

            if (to[p].has < to[p].room && done < first) {
                first = done;
                owner_p[b] = p;
            }
        }
        to[owner_p[b]].has += b < counted;
    }
}

/* ---- block columns of processes ------------------------------------------ */

static xh_status_t allocate(int nprocs, int64_t blocks, hpl_deal_t **deal_p)
{
    size_t ints = 3 * (size_t)blocks + (size_t)nprocs + 1;
    hpl_deal_t *deal = malloc(sizeof(*deal) + ints * sizeof(int));

    if (deal == NULL)
        return XH_ERR_MEMORY;
    deal->blocks = blocks;
    deal->nprocs = nprocs;
    deal->owner = (int *)(deal + 1);
    deal->local = deal->owner + blocks;
    deal->list = deal->local + blocks;
    deal->first = deal->list + blocks;
    *deal_p = deal;
    return XH_OK;
}

/* Fill in the fields that follow from `owner`. */
static void complete(hpl_deal_t *deal)
{
    int *first = deal->first;

    for (int p = 0; p <= deal->nprocs; p++)
        first[p] = 0;
    for (int64_t b = 0; b < deal->blocks; b++)
        deal->local[b] = first[deal->owner[b] + 1]++;
    for (int p = 0; p < deal->nprocs; p++)
        first[p + 1] += first[p];
    for (int64_t b = 0; b < deal->blocks; b++)
        deal->list[first[deal->owner[b]] + deal->local[b]] = (int)b;
}

static bool is_cyclic(const hpl_deal_t *deal)
{
    int64_t b = 0;

    while (b < deal->blocks && deal->owner[b] == b % deal->nprocs)
        b++;
    return b == deal->blocks;
}

static xh_status_t deal_owners(const double *rate, int64_t counted,
                               hpl_deal_t *deal)
{
    hpl_dealt_t *to = calloc((size_t)deal->nprocs, sizeof(*to));

    if (to == NULL)
        return XH_ERR_MEMORY;
    for (int p = 0; p < deal->nprocs; p++)
        to[p] = (hpl_dealt_t){.rate = rate[p], .room = deal->blocks};
    hpl_deal_blocks(to, deal->nprocs, counted, deal->blocks, deal->owner);
    free(to);
    return XH_OK;
}

/* Column n is b. If b has a block of its own, that block is no work. */
xh_status_t hpl_deal_create(const double *rate, int nprocs, int64_t n,
                            int64_t nb, hpl_deal_t **deal_p)
{
    hpl_deal_t *deal;
    xh_status_t status;

    XH_TRY(allocate(nprocs, n / nb + 1, &deal));
    status = deal_owners(rate, xh_units(n, nb), deal);
    if (status == XH_OK && !is_cyclic(deal)) {
        complete(deal);
        *deal_p = deal;
        return XH_OK;
    }
    free(deal);
    if (status == XH_OK)
        *deal_p = NULL;
    return status;
}

void hpl_deal_destroy(hpl_deal_t *deal)
{
    free(deal);
}

int64_t hpl_deal_count(const hpl_deal_t *deal, int64_t blocks, int process)
{
    const int *list = deal->list + deal->first[process];
    int64_t from = 0, to = deal->first[process + 1] - deal->first[process];

    while (from < to) { /* find the first entry of list that is >= blocks */
        int64_t middle = (from + to) / 2;

        if (list[middle] < blocks)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}
