/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "hybrid/device/product_tiles.h"

xh_status_t hyb_product_init(hyb_product_t *p, const xh_gemm_t *gemm,
                             const hyb_tiling_t *tiling)
{
    int64_t tiles = hyb_tiling_count(tiling);

    memset(p, 0, sizeof(*p));
    p->owner = calloc((size_t)tiles, sizeof(*p->owner));
    if (p->owner == NULL)
        return XH_ERR_MEMORY;
    p->gemm = gemm;
    p->tiling = *tiling;
    p->back = tiles;
    pthread_mutex_init(&p->lock, NULL);
    return XH_OK;
}

void hyb_product_destroy(hyb_product_t *p)
{
    pthread_mutex_destroy(&p->lock);
    free(p->owner);
}

int hyb_product_lost(const hyb_product_t *p)
{
    return atomic_load(&p->lost) - 1;
}

void hyb_product_lose(hyb_product_t *p, int executor)
{
    atomic_store(&p->lost, executor);
}

/* ---- taking tiles -------------------------------------------------------- */

int64_t hyb_product_remaining(hyb_product_t *p)
{
    int64_t remaining;

    pthread_mutex_lock(&p->lock);
    remaining = p->back - p->front;
    pthread_mutex_unlock(&p->lock);
    return remaining;
}

bool hyb_product_take_first(hyb_product_t *p, int executor, hyb_tile_t *tile_p)
{
    bool any;

    pthread_mutex_lock(&p->lock);
    any = hyb_product_lost(p) < 0 && p->front < p->back;
    if (any) {
        p->owner[p->front] = (int16_t)executor;
        *tile_p = hyb_tiling_tile(&p->tiling, p->front++);
    }
    pthread_mutex_unlock(&p->lock);
    return any;
}

int64_t hyb_product_take_last(hyb_product_t *p, int64_t count, int64_t *first_p)
{
    pthread_mutex_lock(&p->lock);
    count = xh_smaller(count, p->back - p->front);
    p->back -= count;
    *first_p = p->back;
    pthread_mutex_unlock(&p->lock);
    return count;
}
