/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_JOB_H
#define HYB_JOB_H

#include <pthread.h>
#include <stdbool.h>
#include "hybrid/engine/split.h"
#include "hybrid/engine/tiling.h"
#include "hybrid/engine/view.h"

/*
 * One product as all its executors share it: the operands, the tiles nobody
 * has taken yet, and the tiles that a failed device gives back. Devices take
 * from the front, the team from the back.
 */
typedef struct {
    const hyb_gemm_t *product;
    hyb_tiling_t tiling;
    hyb_range_t range;
    int16_t *owner; /* executor that completed each tile, -1 before */

    pthread_mutex_t lock; /* of what follows */
    int64_t *returned;    /* tiles given back */
    int64_t returned_count;
} hyb_job_t;

/*
 * Set job up for product, cut as tiling says; both are borrowed.
 * Errors: XH_ERR_MEMORY, XH_ERR_ARG (more tiles than a range holds)
 */
xh_status_t hyb_job_init(hyb_job_t *job, const hyb_gemm_t *product,
                         const hyb_tiling_t *tiling);
void hyb_job_release(hyb_job_t *job);

/* A tile for a device: one given back, else the next from the front, or -1. */
int64_t hyb_job_take(hyb_job_t *job);

/* A tile given back, or -1. */
int64_t hyb_job_take_returned(hyb_job_t *job);

/* Give tile back, whose part of C is as before the product. */
void hyb_job_return(hyb_job_t *job, int64_t tile);

#endif
