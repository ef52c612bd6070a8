/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "hybrid/device/job.h"

xh_status_t hyb_job_init(hyb_job_t *job, const xh_gemm_t *product,
                         const hyb_tiling_t *tiling)
{
    int64_t i, tiles = hyb_tiling_count(tiling);
    xh_status_t status;

    memset(job, 0, sizeof(*job));
    status = hyb_range_init(&job->range, tiles);
    if (status != XH_OK)
        return status;
    job->owner = malloc((size_t)tiles * sizeof(*job->owner));
    job->returned = malloc((size_t)tiles * sizeof(*job->returned));
    if (job->owner == NULL || job->returned == NULL) {
        free(job->owner);
        free(job->returned);
        return XH_ERR_MEMORY;
    }
    for (i = 0; i < tiles; i++)
        job->owner[i] = -1;
    job->product = product;
    job->tiling = *tiling;
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->changed, NULL);
    return XH_OK;
}

void hyb_job_destroy(hyb_job_t *job)
{
    pthread_cond_destroy(&job->changed);
    pthread_mutex_destroy(&job->lock);
    free(job->returned);
    free(job->owner);
}

/* ---- with the lock held -------------------------------------------------- */

static int64_t take_returned(hyb_job_t *job)
{
    return job->returned_count > 0 ? job->returned[--job->returned_count] : -1;
}

static int64_t take_first(hyb_job_t *job)
{
    hyb_span_t left = hyb_range_left(&job->range);

    if (left.count == 0 || left.first >= job->released)
        return -1;
    left = hyb_range_take_front(&job->range, 1);
    return left.count > 0 ? left.first : -1;
}

static int64_t take_for_device(hyb_job_t *job)
{
    int64_t tile = take_returned(job);

    if (tile < 0)
        tile = take_first(job);
    if (tile >= 0)
        job->in_flight++;
    return tile;
}

static bool is_idle(const hyb_job_t *job)
{
    if (job->devices == 0)
        return true;
    return job->in_flight == 0 && job->returned_count == 0 &&
           hyb_range_remaining(&job->range) == 0;
}

/* No tile is there to take: can one come? */
static bool is_over(const hyb_job_t *job)
{
    return hyb_job_done(job) || (job->ends && job->in_flight == 0);
}

/* ---- all executors ------------------------------------------------------- */

static void unlock_and_say(hyb_job_t *job)
{
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->lock);
}

void hyb_job_release(hyb_job_t *job, int64_t cols)
{
    int64_t tiles = hyb_tiling_count(&job->tiling);
    xh_rectangle_t part;

    pthread_mutex_lock(&job->lock);
    if (cols >= job->tiling.n)
        job->released = tiles;
    for (; job->released < tiles; job->released++) {
        part = hyb_tiling_tile(&job->tiling, job->released).part;
        if (part.col + part.cols > cols)
            break;
    }
    unlock_and_say(job);
}

void hyb_job_complete(hyb_job_t *job, int64_t tile, int executor)
{
    pthread_mutex_lock(&job->lock);
    job->owner[tile] = (int16_t)executor;
    if (executor > 0) {
        job->in_flight--;
        atomic_fetch_add(&job->by_devices, 1);
    }
    atomic_fetch_add(&job->completed, 1);
    unlock_and_say(job);
}

bool hyb_job_done(const hyb_job_t *job)
{
    return atomic_load(&job->completed) == hyb_tiling_count(&job->tiling);
}

int64_t hyb_job_columns_done(hyb_job_t *job)
{
    int64_t tiles = hyb_tiling_count(&job->tiling), prefix;

    pthread_mutex_lock(&job->lock);
    while (job->prefix < tiles && job->owner[job->prefix] >= 0)
        job->prefix++;
    prefix = job->prefix;
    pthread_mutex_unlock(&job->lock);
    if (prefix == tiles)
        return job->tiling.n;
    return hyb_tiling_tile(&job->tiling, prefix).part.col;
}

/* ---- devices ------------------------------------------------------------- */

void hyb_job_join(hyb_job_t *job)
{
    pthread_mutex_lock(&job->lock);
    job->devices++;
    pthread_mutex_unlock(&job->lock);
}

void hyb_job_leave(hyb_job_t *job)
{
    pthread_mutex_lock(&job->lock);
    job->devices--;
    unlock_and_say(job);
}

int64_t hyb_job_take(hyb_job_t *job)
{
    int64_t tile;

    pthread_mutex_lock(&job->lock);
    tile = take_for_device(job);
    pthread_mutex_unlock(&job->lock);
    return tile;
}

int64_t hyb_job_await(hyb_job_t *job)
{
    int64_t tile;

    pthread_mutex_lock(&job->lock);
    while ((tile = take_for_device(job)) < 0 && !is_over(job))
        pthread_cond_wait(&job->changed, &job->lock);
    pthread_mutex_unlock(&job->lock);
    return tile;
}

void hyb_job_return(hyb_job_t *job, int64_t tile)
{
    pthread_mutex_lock(&job->lock);
    job->returned[job->returned_count++] = tile;
    job->in_flight--;
    unlock_and_say(job);
}

void hyb_job_lose(hyb_job_t *job)
{
    pthread_mutex_lock(&job->lock);
    job->lost = true;
    job->in_flight--;
    unlock_and_say(job);
}

bool hyb_job_lost(hyb_job_t *job)
{
    bool lost;

    pthread_mutex_lock(&job->lock);
    lost = job->lost;
    pthread_mutex_unlock(&job->lock);
    return lost;
}

/* ---- the host ------------------------------------------------------------ */

int64_t hyb_job_take_returned(hyb_job_t *job)
{
    int64_t tile;

    pthread_mutex_lock(&job->lock);
    tile = take_returned(job);
    pthread_mutex_unlock(&job->lock);
    return tile;
}

static int64_t take_last(hyb_job_t *job, int64_t keep)
{
    hyb_span_t left = hyb_range_left(&job->range);

    if (left.count <= keep || left.first + left.count > job->released)
        return -1;
    left = hyb_range_take_back(&job->range, 1);
    return left.count > 0 ? left.first : -1;
}

int64_t hyb_job_take_last(hyb_job_t *job, int64_t keep)
{
    int64_t tile;

    pthread_mutex_lock(&job->lock);
    tile = take_returned(job);
    if (tile < 0)
        tile = job->devices > 0 ? take_last(job, keep) : take_first(job);
    pthread_mutex_unlock(&job->lock);
    return tile;
}

bool hyb_job_idle(hyb_job_t *job)
{
    bool idle;

    pthread_mutex_lock(&job->lock);
    idle = is_idle(job);
    pthread_mutex_unlock(&job->lock);
    return idle;
}

void hyb_job_wait(hyb_job_t *job)
{
    pthread_mutex_lock(&job->lock);
    while (job->returned_count == 0 && !is_idle(job))
        pthread_cond_wait(&job->changed, &job->lock);
    pthread_mutex_unlock(&job->lock);
}

void hyb_job_end(hyb_job_t *job)
{
    pthread_mutex_lock(&job->lock);
    job->ends = true;
    unlock_and_say(job);
}
