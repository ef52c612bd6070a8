/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"
#include "hybrid/device/product_tiles.h"
#include "hybrid/device/rates.h"

/*
 * Tiles of a product through one device. Two actors, with threads of their own:
 *
 *   launch   takes tiles off the product's list and queues all that each needs,
 *            on three queues: copy in, multiply, copy out into C
 *   land     waits for the oldest tile in flight and frees its slot
 *
 * So waiting and launching overlap. A tile occupies a slot from launch to
 * return. Source: CALDGEMM report, 2.4.4.
 */
typedef struct hyb_stream hyb_stream_t;

typedef struct {
    double stall_seconds; /* least time without a result that is a stall */
    /* borrowed for the stream's life */
    const hyb_rate_table_t *rates; /* as measured; where 0, what the device
                                      says, or else a guess */
    const int *cpus;               /* where its threads are; none: anywhere */
    int cpu_count;
} hyb_stream_options_t;

/*
 * A stream on device, which it borrows.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_stream_create(hyb_device_t *device,
                              const hyb_stream_options_t *options,
                              hyb_stream_t **stream_p);
void hyb_stream_destroy(hyb_stream_t *stream); /* accepts NULL */

/*
 * Have memory on the device for tiles that are cut so. Quick where there is
 * enough already. Order: with no product.
 * Errors: XH_ERR_MEMORY  the device works on, without
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_stream_reserve(hyb_stream_t *stream,
                               const hyb_tiling_t *tiling);

/* Let the stream take tiles of product, as the one with number executor in its
 * owners, until all are taken, or the product is lost; returns at once. */
void hyb_stream_begin(hyb_stream_t *stream, hyb_product_t *product,
                      int executor);

/* Wait until the stream's tiles are complete, or the product is lost, and say
 * what it did. */
void hyb_stream_finish(hyb_stream_t *stream, hyb_work_t *work_p);
