/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"
#include "hybrid/device/product_tiles.h"
#include "hybrid/device/rates.h"

/*
 * A stream passes tiles of a product through one device. Its two threads are:
 *
 *     launch   takes tiles off the product's list and queues all that each tile
 *              needs, on three queues: copy in, multiply, copy out into C
 *     land     waits for the oldest tile in flight and frees its slot
 *
 * So launching and waiting overlap. A tile occupies a slot from launch to
 * return.
 *
 * Source: CALDGEMM report, 2.4.4.
 */
typedef struct hyb_stream hyb_stream_t;

typedef struct {
    double stall_seconds; /* the shortest wait for a result that counts as a
                             stall */
    /* Measured rates, borrowed for the stream's life. If a rate is 0, the
     * device's own estimate or a guess replaces it. */
    const hyb_rate_table_t *rates;
    const int *cpus; /* cores of the stream's threads; NULL: any */
    int cpu_count;
} hyb_stream_options_t;

/*
 * Create a stream on `device`, which is borrowed.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_stream_create(hyb_device_t *device,
                              const hyb_stream_options_t *options,
                              hyb_stream_t **stream_p);
void hyb_stream_destroy(hyb_stream_t *stream); /* accepts NULL */

/*
 * Provide memory on the device for tiles cut by `tiling`, unless there is
 * enough already.
 * Order: while there is no product.
 * Errors: XH_ERR_MEMORY: the device goes on without; XH_ERR_DEVICE
 */
xh_status_t hyb_stream_reserve(hyb_stream_t *stream,
                               const hyb_tiling_t *tiling);

/* Let the stream take tiles of `product` as executor number `executor`, until
 * all are taken or the product is lost. Returns at once. */
void hyb_stream_begin(hyb_stream_t *stream, hyb_product_t *product,
                      int executor);

/* Wait until the stream's tiles are complete or the product is lost; *work_p
 * says what the stream did. */
void hyb_stream_finish(hyb_stream_t *stream, hyb_work_t *work_p);
