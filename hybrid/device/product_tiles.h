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
typedef struct { /* private, except `tiling` and `gemm` */
    hyb_tiling_t tiling;
    const xh_gemm_t *gemm; /* borrowed */
    struct hyb_machine *machine;
    uint64_t devices; /* bit i: device i takes part */
    double started;
    _Atomic int lost; /* executor whose device failed; 0: none */

    pthread_mutex_t lock; /* guards the fields below */
    int64_t front, back;  /* nobody has taken tiles front .. back - 1 yet */
    int16_t *owner;       /* executor that took each tile */
} hyb_product_t;

/* What one executor did in a product. */
typedef struct {
    int64_t tiles;
    double flop;
    double seconds;         /* from the product's begin to the last result */
    double compute_seconds; /* of multiplications */
    double in_seconds;      /* of copies in, if they are separate */
    double out_seconds;
    double span_seconds; /* from the first multiplication's start to the last
                            one's end */
    uint64_t bytes_in, bytes_out;
} hyb_work_t;

/*
 * Create the list of gemm's tiles, cut by `tiling`; no tile is taken yet.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_product_init(hyb_product_t *product, const xh_gemm_t *gemm,
                             const hyb_tiling_t *tiling);
void hyb_product_destroy(hyb_product_t *product);

/* Take the next tile for `executor`, which is i + 1 for device i. Returns false
 * if all tiles are taken or the product is lost. */
bool hyb_product_take_first(hyb_product_t *product, int executor,
                            hyb_tile_t *tile_p);

/* Note that the device of `executor` has failed, so that the product is lost.
 */
void hyb_product_lose(hyb_product_t *product, int executor);

/* Index of the device whose failure lost the product; -1: none failed. */
int hyb_product_lost(const hyb_product_t *product);

/* Number of tiles that nobody has taken yet. */
int64_t hyb_product_remaining(hyb_product_t *product);

/* Take the last `count` untaken tiles, or all that are left, for the host.
 * Returns their number; the first one is *first_p. */
int64_t hyb_product_take_last(hyb_product_t *product, int64_t count,
                              int64_t *first_p);
