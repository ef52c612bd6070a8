/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "hybrid/device/tiling.h"

/*
 * A product as one list of tiles that all executors share: devices take tiles
 * from the front, the host from the back. From init to destroy any thread may
 * call the other functions; none of them waits.
 */
typedef struct { /* private, except tiling and gemm */
    hyb_tiling_t tiling;
    const xh_gemm_t *gemm; /* borrowed */
    struct hyb_machine *machine;
    uint64_t devices; /* bit i: device i works on it */
    double started;
    _Atomic int lost; /* executor that failed; 0: none */

    pthread_mutex_t lock; /* guards what follows */
    int64_t front, back;  /* tiles front .. back - 1 were never taken */
    int16_t *owner;       /* executor that took each tile */
} hyb_product_t;

/* What one executor did in a product. */
typedef struct {
    int64_t tiles;
    double flop;
    double seconds;         /* begin to last result */
    double compute_seconds; /* multiplying */
    double in_seconds;      /* copying in, where that is separate */
    double out_seconds;
    double span_seconds; /* first multiplication's start to last's end */
    uint64_t bytes_in, bytes_out;
} hyb_work_t;

/*
 * Make a list of gemm's tiles, cut as `tiling` says; nobody has taken any yet.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_product_init(hyb_product_t *product, const xh_gemm_t *gemm,
                             const hyb_tiling_t *tiling);
void hyb_product_destroy(hyb_product_t *product);

/* Take the next tile for `executor`, which is i + 1 for device i. Returns false
 * if all tiles are taken, or the product is lost. */
bool hyb_product_take_first(hyb_product_t *product, int executor,
                            hyb_tile_t *tile_p);

/* Note that the device of `executor` has failed. */
void hyb_product_lose(hyb_product_t *product, int executor);

/* The device that failed, and with it the product; -1: none did. */
int hyb_product_lost(const hyb_product_t *product);

/* How many tiles has nobody taken yet? */
int64_t hyb_product_remaining(hyb_product_t *product);

/* Take the last `count` tiles that nobody has taken, or what is left, for the
 * host; returns their number, from *first_p on. */
int64_t hyb_product_take_last(hyb_product_t *product, int64_t count,
                              int64_t *first_p);
