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
    p->returned = malloc((size_t)tiles * sizeof(*p->returned));
    if (p->owner == NULL || p->returned == NULL) {
        free(p->owner);
        free(p->returned);
        return XH_ERR_MEMORY;
    }
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
    free(p->returned);
    free(p->owner);
}

static void unlock_and_wake(hyb_product_t *p)
{
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* ---- with the lock held -------------------------------------------------- */

static bool is_idle(const hyb_product_t *p)
{
    return p->working == 0 ||
           (p->in_flight == 0 && p->returned_count == 0 && p->front == p->back);
}

/* A tile, or -1. */
static int64_t take_returned(hyb_product_t *p)
{
    return p->returned_count > 0 ? p->returned[--p->returned_count] : -1;
}

static int64_t take_first(hyb_product_t *p)
{
    return p->front < xh_smaller(p->back, p->released) ? p->front++ : -1;
}

static bool unlock_with(hyb_product_t *p, int64_t tile, hyb_tile_t *tile_p)
{
    pthread_mutex_unlock(&p->lock);
    if (tile >= 0)
        *tile_p = hyb_tiling_tile(&p->tiling, tile);
    return tile >= 0;
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
    if (executor > 0) {
        p->in_flight--;
        atomic_fetch_add(&p->by_devices, 1);
    }
    atomic_fetch_add(&p->completed, 1);
    unlock_and_wake(p);
}

bool hyb_product_done(const hyb_product_t *p)
{
    return atomic_load(&p->completed) == hyb_tiling_count(&p->tiling);
}

bool hyb_product_lost(const hyb_product_t *p)
{
    return atomic_load(&p->lost);
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

void hyb_product_join(hyb_product_t *p)
{
    pthread_mutex_lock(&p->lock);
    p->working++;
    pthread_mutex_unlock(&p->lock);
}

void hyb_product_leave(hyb_product_t *p)
{
    pthread_mutex_lock(&p->lock);
    p->working--;
    unlock_and_wake(p);
}

bool hyb_product_await(hyb_product_t *p, const atomic_bool *stops,
                       hyb_tile_t *tile_p)
{
    int64_t tile;

    pthread_mutex_lock(&p->lock);
    while ((tile = take_returned(p)) < 0 && (tile = take_first(p)) < 0 &&
           !atomic_load(stops) && !hyb_product_done(p) &&
           (!p->ends || p->in_flight > 0))
        pthread_cond_wait(&p->changed, &p->lock);
    p->in_flight += tile >= 0;
    return unlock_with(p, tile, tile_p);
}

void hyb_product_return(hyb_product_t *p, int64_t tile, bool lost)
{
    pthread_mutex_lock(&p->lock);
    if (lost)
        atomic_store(&p->lost, true);
    else
        p->returned[p->returned_count++] = tile;
    p->in_flight--;
    unlock_and_wake(p);
}

void hyb_product_end(hyb_product_t *p)
{
    pthread_mutex_lock(&p->lock);
    p->ends = true;
    unlock_and_wake(p);
}

/* ---- the host ------------------------------------------------------------ */

bool hyb_product_take(hyb_product_t *p, int64_t keep, hyb_tile_t *tile_p)
{
    int64_t tile;

    pthread_mutex_lock(&p->lock);
    tile = take_returned(p);
    if (tile < 0 && p->working == 0)
        tile = take_first(p);
    else if (tile < 0 && p->back - p->front > keep && p->back > p->front &&
             p->back <= p->released)
        tile = --p->back;
    return unlock_with(p, tile, tile_p);
}

bool hyb_product_take_returned(hyb_product_t *p, hyb_tile_t *tile_p)
{
    pthread_mutex_lock(&p->lock);
    return unlock_with(p, take_returned(p), tile_p);
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

bool hyb_product_idle(hyb_product_t *p)
{
    bool idle;

    pthread_mutex_lock(&p->lock);
    idle = is_idle(p);
    pthread_mutex_unlock(&p->lock);
    return idle;
}

void hyb_product_wait(hyb_product_t *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->returned_count == 0 && !is_idle(p))
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}
