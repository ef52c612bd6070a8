/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PRODUCT_H
#define HYB_PRODUCT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "hybrid/device/machine.h"
#include "hybrid/device/tiling.h"

/*
 * One product that the machine's devices compute while host threads go on: one
 * list of tiles that all share. Devices take tiles from the front, as far as
 * columns are released; host threads from the back. Devices write into C
 * themselves, so one that fails, stalls or runs out of memory leaves C half
 * written: the product is lost, and no device takes another tile of it.
 *
 *     hyb_product_begin(machine, &gemm, NULL, &product);
 *     hyb_product_release(product, cols);           again and again, growing
 *     while (hyb_product_take(product, keep, &tile))       any host thread
 *         compute(tile.part), hyb_product_complete(product, tile.index, 0);
 *     hyb_product_finish(product, &report);
 */
typedef struct { /* private, except tiling and owner */
    hyb_tiling_t tiling;
    const xh_gemm_t *gemm; /* borrowed */
    hyb_machine_t *machine;
    uint64_t devices; /* bit i: device i works on it */
    double started;
    int16_t *owner; /* executor that completed each tile, -1 before */
    _Atomic int64_t completed;
    _Atomic int64_t by_devices; /* of these */
    _Atomic int lost;           /* executor that failed; 0: none */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    int64_t front, back; /* tiles front .. back - 1 were never taken */
    int64_t released;    /* tiles, from the first, whose columns are ready */
    int64_t prefix;      /* tiles from the first known to be in C */
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
    double wait_seconds; /* nothing in flight, for want of ready columns */
    uint64_t bytes_in, bytes_out;
} hyb_work_t;

typedef struct {
    double seconds;      /* of the whole product */
    double share;        /* of the devices, wanted by the policy */
    hyb_tiling_t tiling; /* all zero where the team worked alone */
    int16_t *owner; /* executor of each tile, 0: the host, i + 1: device i; NULL
                       as above; free() */
    hyb_work_t team;
    hyb_work_t device[HYB_EXECUTORS - 1];
} hyb_report_t;

/*
 * Let all working devices have memory for tiles of any product up to m x n x k
 * now, and not when the first begins. If a device cannot give as much, tiles
 * become smaller; the fifth time the device counts as failed.
 */
void hyb_product_reserve(hyb_machine_t *machine, int64_t m, int64_t n,
                         int64_t k);

typedef struct {      /* another way to share a product out */
    uint64_t devices; /* bit i: device i may take part */
    xh_status_t (*plan)(const hyb_tiling_request_t *request,
                        hyb_tiling_t *tiling_p);
} hyb_product_way_t;

/*
 * Let all working devices take tiles of gemm, column of tiles by column of
 * tiles, as columns are released; none is yet. gemm is borrowed until finish. A
 * machine has one product at a time.
 *
 * way     in  NULL: as above
 * Errors: XH_ERR_ARG     shapes do not conform, or there is nothing to
 *                        multiply, or another product is not finished
 *         XH_ERR_MEMORY
 *         XH_ERR_DEVICE  no device works, or one failed as it began
 */
xh_status_t hyb_product_begin(hyb_machine_t *machine, const xh_gemm_t *gemm,
                              const hyb_product_way_t *way,
                              hyb_product_t **product_p);

/*
 * Wait for the devices and free product. Every tile that the host took must be
 * complete, and every column released, unless the product is lost.
 *
 * report_p  out  team has the host's tiles, without times; share is 1; owner is
 *                the caller's to free(). NULL if nobody asks
 * Errors: XH_ERR_DEVICE  the product is lost: said, with the device's name
 */
xh_status_t hyb_product_finish(hyb_product_t *product, hyb_report_t *report_p);

/* ---- meanwhile: any thread, without waiting ------------------------------ */

/* Columns 0 .. cols - 1 of B and C are ready; never fewer than before. A tile
 * starts once all its columns are. */
void hyb_product_release(hyb_product_t *product, int64_t cols);

/* Is every tile computed, by whomever? */
bool hyb_product_done(const hyb_product_t *product);

/* The device that failed, and with it the product; -1: none did. */
int hyb_product_lost(const hyb_product_t *product);

/* Columns 0 .. this - 1 of C are computed; if they are cut column by column. */
int64_t hyb_product_columns_done(hyb_product_t *product);

/* Tiles that nobody has taken yet, released or not. */
int64_t hyb_product_remaining(hyb_product_t *product);

/* flop/s of the devices together so far, by whole tiles; less than they can
 * where they waited for columns. 0: none has one done. */
double hyb_product_rate(const hyb_product_t *product);

/* ---- the host ------------------------------------------------------------ */

/* A tile for one host thread to compute: the last that nobody has taken, if it
 * is released and more than keep are left. False: there is none now. */
bool hyb_product_take(hyb_product_t *product, int64_t keep, hyb_tile_t *tile_p);

/* The last count tiles that nobody has taken, or what is left, released or not;
 * returns how many, before *first_p + the same. */
int64_t hyb_product_take_last(hyb_product_t *product, int64_t count,
                              int64_t *first_p);

/* A tile is in C, computed by executor: 0, the host, or i + 1, device i. */
void hyb_product_complete(hyb_product_t *product, int64_t tile, int executor);

/* ---- devices ------------------------------------------------------------- */

/*
 * A list of gemm's tiles, cut as tiling says, for nobody yet.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_product_init(hyb_product_t *product, const xh_gemm_t *gemm,
                             const hyb_tiling_t *tiling);
void hyb_product_destroy(hyb_product_t *product);

/* The next tile for a device, once it is released. False: all tiles are taken,
 * or the product is lost. */
bool hyb_product_await(hyb_product_t *product, hyb_tile_t *tile_p);

/* The device of this executor has failed. */
void hyb_product_lose(hyb_product_t *product, int executor);

#endif
