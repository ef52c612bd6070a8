/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "hybrid/device/product.h"

xh_status_t hyb_product_init(hyb_product_t *p, const xh_gemm_t *gemm,
                             const hyb_tiling_t *tiling)
{
    int64_t i, tiles = hyb_tiling_count(tiling);

    memset(p, 0, sizeof(*p));
    p->owner = malloc((size_t)tiles * sizeof(*p->owner));
    if (p->owner == NULL)
        return XH_ERR_MEMORY;
    for (i = 0; i < tiles; i++)
        p->owner[i] = -1;
    p->gemm = gemm;
    p->tiling = *tiling;
    p->back = tiles;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    return XH_OK;
}

void hyb_product_destroy(hyb_product_t *p)
{
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p->owner);
}

/* ---- all executors ------------------------------------------------------- */

void hyb_product_release(hyb_product_t *p, int64_t cols)
{
    int64_t tiles = hyb_tiling_count(&p->tiling), before;
    xh_rectangle_t part;

    pthread_mutex_lock(&p->lock);
    before = p->released;
    if (cols >= p->tiling.n)
        p->released = tiles;
    for (; p->released < tiles; p->released++) {
        part = hyb_tiling_tile(&p->tiling, p->released).part;
        if (part.col + part.cols > cols)
            break;
    }
    /* Called in each poll: threads that nothing new awaits sleep on. */
    if (p->released > before)
        pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void hyb_product_complete(hyb_product_t *p, int64_t tile, int executor)
{
    pthread_mutex_lock(&p->lock);
    p->owner[tile] = (int16_t)executor;
    pthread_mutex_unlock(&p->lock);
    if (executor > 0)
        atomic_fetch_add(&p->by_devices, 1);
    atomic_fetch_add(&p->completed, 1);
}

bool hyb_product_done(const hyb_product_t *p)
{
    return atomic_load(&p->completed) == hyb_tiling_count(&p->tiling);
}

int hyb_product_lost(const hyb_product_t *p)
{
    return atomic_load(&p->lost) - 1;
}

int64_t hyb_product_columns_done(hyb_product_t *p)
{
    int64_t tiles = hyb_tiling_count(&p->tiling), prefix;

    pthread_mutex_lock(&p->lock);
    while (p->prefix < tiles && p->owner[p->prefix] >= 0)
        p->prefix++;
    prefix = p->prefix;
    pthread_mutex_unlock(&p->lock);
    return prefix == tiles ? p->tiling.n
                           : hyb_tiling_tile(&p->tiling, prefix).part.col;
}

int64_t hyb_product_remaining(hyb_product_t *p)
{
    int64_t remaining;

    pthread_mutex_lock(&p->lock);
    remaining = p->back - p->front;
    pthread_mutex_unlock(&p->lock);
    return remaining;
}

/* ---- devices ------------------------------------------------------------- */

bool hyb_product_await(hyb_product_t *p, hyb_tile_t *tile_p)
{
    int64_t tile = -1;

    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->lost) == 0 && p->front < p->back &&
           p->front >= p->released)
        pthread_cond_wait(&p->changed, &p->lock);
    if (atomic_load(&p->lost) == 0 && p->front < p->back)
        tile = p->front++;
    pthread_mutex_unlock(&p->lock);
    if (tile >= 0)
        *tile_p = hyb_tiling_tile(&p->tiling, tile);
    return tile >= 0;
}

void hyb_product_lose(hyb_product_t *p, int executor)
{
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->lost, executor);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* ---- the host ------------------------------------------------------------ */

/* Devices that wait for a tile leave when the last one is taken. */
static void unlock_and_wake(hyb_product_t *p)
{
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

bool hyb_product_take(hyb_product_t *p, int64_t keep, hyb_tile_t *tile_p)
{
    bool any;

    pthread_mutex_lock(&p->lock);
    any = p->back - p->front > keep && p->back > p->front &&
          p->back <= p->released;
    if (any)
        *tile_p = hyb_tiling_tile(&p->tiling, --p->back);
    unlock_and_wake(p);
    return any;
}

int64_t hyb_product_take_last(hyb_product_t *p, int64_t count, int64_t *first_p)
{
    pthread_mutex_lock(&p->lock);
    count = xh_smaller(count, p->back - p->front);
    p->back -= count;
    *first_p = p->back;
    unlock_and_wake(p);
    return count;
}
