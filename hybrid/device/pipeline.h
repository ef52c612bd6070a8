/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"
#include "hybrid/device/product_tiles.h"

/*
 * What a stream has on its device, and all that it queues there: three queues,
 * memory for tiles in flight, and the pieces of A and B that stay.
 */

enum { HYB_BEGIN, HYB_END }; /* events around what a queue does */

typedef struct { /* a tile from launch to return */
    hyb_tile_t tile;
    int64_t offset; /* of C's tile on the device, in doubles */
    /* HYB_BEGIN and HYB_END, of each chunk; C's tile comes in with the first
     * chunk */
    hyb_event_t *const *in, *const *multiply, *const *out;
} hyb_slot_t;

/*
 * The pieces of one operand, A or B, that the device keeps: each holds a chunk
 * of a strip. A piece is asked for before every multiplication that reads it.
 */
typedef struct {
    int64_t strip, chunk; /* what it holds; strip -1: nothing */
    int64_t offset;       /* where, in doubles */
    hyb_event_t *used;    /* the last multiplication that read it */
    uint64_t last_use;
} hyb_piece_t;

typedef struct {
    hyb_piece_t *piece; /* `count` pieces; the owner frees them */
    int64_t count;
    uint64_t uses;
} hyb_pieces_t;

/* Tiles in flight, at most, by the setting `pipeline`. */
enum { HYB_MOST_PIPELINE = 64 };

/* Only the launching thread uses this, except a slot from its launch to its
 * return. */
typedef struct {
    hyb_device_t *device;
    hyb_queue_t *in, *multiply, *out;
    hyb_event_t **event;       /* of all slots and pieces */
    int64_t events;            /* number of events created */
    hyb_event_t *first, *last; /* around all multiplications */
    hyb_buffer_t *buffer;      /* of all pieces and tiles */
    size_t buffer_bytes;
    hyb_pieces_t a, b;
    hyb_slot_t slot[HYB_MOST_PIPELINE];
    int slots;      /* in use */
    int64_t chunks; /* of each tile */
    bool launched_any;
} hyb_pipeline_t;

/* Open the queues; there is no memory yet. Close the pipeline in any case.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE */
xh_status_t hyb_pipeline_open(hyb_pipeline_t *pipeline, hyb_device_t *device);
void hyb_pipeline_close(hyb_pipeline_t *pipeline);

/*
 * Provide memory for tiles that are cut as `tiling` says; existing memory may
 * suffice. Nothing may be in flight.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pipeline_reserve(hyb_pipeline_t *pipeline,
                                 const hyb_tiling_t *tiling);

/* Provide memory, and empty slots and pieces for these tiles. */
xh_status_t hyb_pipeline_prepare(hyb_pipeline_t *pipeline,
                                 const hyb_tiling_t *tiling);

/*
 * Queue all that the slot's tile needs: pieces of A and B that are not there, C
 * unless beta is 0, the multiplications, the way back into C. When the last
 * event of the slot, out's end, has passed, all of its events have.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pipeline_launch(hyb_pipeline_t *pipeline,
                                const hyb_product_t *product,
                                const hyb_slot_t *slot);

/* Add to `work` the device's time for the slot's tile, which has returned.
 * Errors: XH_ERR_DEVICE */
xh_status_t hyb_pipeline_time(const hyb_pipeline_t *pipeline,
                              const hyb_slot_t *slot, hyb_work_t *work);
