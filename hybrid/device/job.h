/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_JOB_H
#define HYB_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "hybrid/device/split.h"
#include "hybrid/device/tiling.h"
#include "base/view.h"

/*
 * One product as all its executors share it: the operands, the tiles nobody
 * has taken yet, how many of them have all their columns ready, and the tiles
 * that a failed device gives back. Devices take from the front, the host from
 * the back. Any thread may call what follows on a job that is set up.
 */
typedef struct {
    const xh_gemm_t *product;
    hyb_tiling_t tiling;
    hyb_range_t range;
    int16_t *owner; /* executor that completed each tile, -1 before */
    _Atomic int64_t completed;
    _Atomic int64_t by_devices; /* of these */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    int64_t released;  /* tiles, from the front, whose columns are ready */
    int64_t *returned; /* tiles given back */
    int64_t returned_count;
    int64_t in_flight; /* tiles that devices have */
    int64_t prefix;    /* tiles from the front known to be in C */
    int devices;       /* that work on it */
    bool ends;         /* nothing more is released or given */
    bool lost;         /* a tile, which nobody can do again */
} hyb_job_t;

/*
 * Set job up for product, cut as tiling says; product is borrowed. No column
 * is released.
 * Errors: XH_ERR_MEMORY, XH_ERR_ARG (more tiles than a range holds)
 */
xh_status_t hyb_job_init(hyb_job_t *job, const xh_gemm_t *product,
                         const hyb_tiling_t *tiling);
void hyb_job_destroy(hyb_job_t *job);

/* Columns 0 .. cols - 1 of B and C are ready; never fewer than before. */
void hyb_job_release(hyb_job_t *job, int64_t cols);

/* Tile is in C, by executor. */
void hyb_job_complete(hyb_job_t *job, int64_t tile, int executor);

/* Are all tiles in C? Without waiting. */
bool hyb_job_done(const hyb_job_t *job);

/* All tiles of columns 0 .. this - 1 are in C; for a tiling by columns. */
int64_t hyb_job_columns_done(hyb_job_t *job);

/* ---- devices ------------------------------------------------------------- */

/* One device more, or less, works on job. It leaves without tiles. */
void hyb_job_join(hyb_job_t *job);
void hyb_job_leave(hyb_job_t *job);

/* A tile for a device: one given back, else the next that is released, or -1.
 */
int64_t hyb_job_take(hyb_job_t *job);

/* Wait for such a tile; -1 when there can be none any more. */
int64_t hyb_job_await(hyb_job_t *job);

/* Give a device's tile back, whose part of C is as before the product. */
void hyb_job_return(hyb_job_t *job, int64_t tile);

/* A device took a tile with it, whose part of C is not as before any more: job
 * is never done. */
void hyb_job_lose(hyb_job_t *job);
bool hyb_job_lost(hyb_job_t *job);

/* ---- the host ------------------------------------------------------------ */

/* A tile given back, or -1. */
int64_t hyb_job_take_returned(hyb_job_t *job);

/*
 * A tile given back, else the last that nobody has taken if it is released and
 * more than keep are left; with no device at work the first released one. Or
 * -1.
 */
int64_t hyb_job_take_last(hyb_job_t *job, int64_t keep);

/* Have devices no tile, and will they get none? It then stays so. */
bool hyb_job_idle(hyb_job_t *job);

/* Wait until devices are idle, or a tile was given back. */
void hyb_job_wait(hyb_job_t *job);

/* Nothing more is released or given: devices leave when they are idle. */
void hyb_job_end(hyb_job_t *job);

#endif
