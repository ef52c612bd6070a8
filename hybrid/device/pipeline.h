/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"
#include "hybrid/device/product_tiles.h"

/*
 * A stream's resources on its device, and the work that it queues there: three
 * queues, memory for the tiles in flight, and the pieces of A and B that stay
 * on the device.
 */

enum { HYB_BEGIN, HYB_END }; /* begin and end of a queue's work on a chunk */

typedef struct { /* a tile from launch to return */
    hyb_tile_t tile;
    int64_t offset; /* position of C's tile in the buffer, in doubles */
    /* Events HYB_BEGIN and HYB_END of each chunk. C's tile comes in with the
     * first chunk. */
    hyb_event_t *const *in, *const *multiply, *const *out;
} hyb_slot_t;

/*
 * The pieces of one operand, A or B, that the device keeps: each holds a chunk
 * of a strip. The launcher asks for a piece before every multiplication that
 * reads it.
 */
typedef struct {
    int64_t strip, chunk; /* the contents; strip -1: none */
    int64_t offset;       /* position in the buffer, in doubles */
    hyb_event_t *used; /* passes after the last multiplication that read it */
    uint64_t last_use;
} hyb_piece_t;

typedef struct {
    hyb_piece_t *piece; /* `count` pieces; the owner frees them */
    int64_t count;
    uint64_t uses;
} hyb_pieces_t;

/* Largest number of tiles in flight, by the setting `pipeline`. */
enum { HYB_MOST_PIPELINE = 64 };

/* Only the launching thread uses this; but from launch to return, the landing
 * thread uses a slot, too. */
typedef struct {
    hyb_device_t *device;
    hyb_queue_t *in, *multiply, *out;
    hyb_event_t **event;       /* for all slots and pieces */
    int64_t events;            /* number of events created */
    hyb_event_t *first, *last; /* around all multiplications of a product */
    hyb_buffer_t *buffer;      /* holds all pieces and tiles */
    size_t buffer_bytes;
    hyb_pieces_t a, b;
    hyb_slot_t slot[HYB_MOST_PIPELINE];
    int slots;      /* number of slots in use */
    int64_t chunks; /* number of chunks per tile */
    bool launched_any;
} hyb_pipeline_t;

/* Open the queues, without memory for tiles. Close the pipeline even if this
 * fails. Errors: XH_ERR_MEMORY, XH_ERR_DEVICE */
xh_status_t hyb_pipeline_open(hyb_pipeline_t *pipeline, hyb_device_t *device);
void hyb_pipeline_close(hyb_pipeline_t *pipeline);

/*
 * Provide memory for tiles cut by `tiling`, unless there is enough already. No
 * tile may be in flight.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pipeline_reserve(hyb_pipeline_t *pipeline,
                                 const hyb_tiling_t *tiling);

/* Reserve memory for the tiles of `tiling`, and empty all slots and pieces. */
xh_status_t hyb_pipeline_prepare(hyb_pipeline_t *pipeline,
                                 const hyb_tiling_t *tiling);

/*
 * Queue all work for the slot's tile: copy in missing pieces of A and B, and
 * C's tile unless beta is 0; multiply; copy C's tile out. The last event of the
 * slot, HYB_END of its last `out`, passes after all others.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pipeline_launch(hyb_pipeline_t *pipeline,
                                const hyb_product_t *product,
                                const hyb_slot_t *slot);

/* Add the device's time for the slot's tile, which has returned, to `work`.
 * Errors: XH_ERR_DEVICE */
xh_status_t hyb_pipeline_time(const hyb_pipeline_t *pipeline,
                              const hyb_slot_t *slot, hyb_work_t *work);
