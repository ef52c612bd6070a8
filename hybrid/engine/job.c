/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "hybrid/engine/job.h"

xh_status_t hyb_job_init(hyb_job_t *job, const hyb_gemm_t *product,
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
    return XH_OK;
}

void hyb_job_release(hyb_job_t *job)
{
    pthread_mutex_destroy(&job->lock);
    free(job->returned);
    free(job->owner);
}

int64_t hyb_job_take_returned(hyb_job_t *job)
{
    int64_t tile = -1;

    pthread_mutex_lock(&job->lock);
    if (job->returned_count > 0)
        tile = job->returned[--job->returned_count];
    pthread_mutex_unlock(&job->lock);
    return tile;
}

int64_t hyb_job_take(hyb_job_t *job)
{
    int64_t tile = hyb_job_take_returned(job);
    hyb_span_t span;

    if (tile >= 0)
        return tile;
    span = hyb_range_take_front(&job->range, 1);
    return span.count > 0 ? span.first : -1;
}

void hyb_job_return(hyb_job_t *job, int64_t tile)
{
    pthread_mutex_lock(&job->lock);
    job->returned[job->returned_count++] = tile;
    pthread_mutex_unlock(&job->lock);
}
