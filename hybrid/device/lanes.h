/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_LANES_H
#define HYB_LANES_H

#include "hybrid/device/stream.h"

/*
 * What a stream has on its device, and all that it queues there: three queues,
 * memory for tiles in flight, and the pieces of A and B that stay.
 */

typedef struct { /* around what a queue does for a chunk of a tile */
    hyb_event_t *begin, *end;
} hyb_lap_t;

typedef struct {
    hyb_lap_t in, multiply;
} hyb_chunk_laps_t;

typedef struct { /* a tile from launch to commit */
    hyb_tile_t tile;
    int64_t offset;           /* of C's tile on the device, in doubles */
    double *staging;          /* ... and back on the host, if not direct */
    hyb_chunk_laps_t *chunk;  /* C's tile comes in with chunk 0 */
    int64_t chunks, capacity; /* of the product; with events */
    hyb_lap_t out;
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
    hyb_piece_t *piece;
    int64_t count, capacity; /* in use; with events */
    uint64_t uses;
} hyb_pieces_t;

enum { HYB_SLOTS = 64 }; /* tiles in flight, at most, as of setting pipeline */

/* The launching thread's, but for a slot from its launch to its commit. */
typedef struct {
    hyb_device_t *device;
    const hyb_pins_t *pins;
    hyb_tile_return_t tile_return;
    hyb_queue_t *in, *multiply, *out;
    hyb_event_t *first, *last; /* around all multiplications */
    hyb_buffer_t *buffer;      /* of all pieces and tiles */
    double *staging;           /* of all slots */
    size_t buffer_bytes, staging_bytes;
    hyb_pieces_t a, b;
    hyb_slot_t slot[HYB_SLOTS];
    int slots, capacity; /* in use; with events */
    bool launched_any;
} hyb_lanes_t;

/* Queues and events; no memory yet. Errors: XH_ERR_MEMORY, XH_ERR_DEVICE */
xh_status_t hyb_lanes_open(hyb_lanes_t *lanes, hyb_device_t *device);
void hyb_lanes_close(hyb_lanes_t *lanes);

/* Bytes on the host for tiles that are cut so. */
size_t hyb_lanes_staging(hyb_tile_return_t tile_return,
                         const hyb_tiling_t *tiling);

/*
 * Memory for tiles that are cut so; what is there already may do. Nothing may
 * be in flight. Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
bool hyb_lanes_have(const hyb_lanes_t *lanes, const hyb_tiling_t *tiling);
xh_status_t hyb_lanes_reserve(hyb_lanes_t *lanes, const hyb_tiling_t *tiling);

/* Give the memory on the device back. */
void hyb_lanes_release(hyb_lanes_t *lanes);

/* The same, and empty slots and pieces for these tiles. */
xh_status_t hyb_lanes_prepare(hyb_lanes_t *lanes, const hyb_tiling_t *tiling);

/*
 * Have count pieces of doubles each, one after the other from offset on, and
 * forget what they hold. Nothing that uses them may be in flight.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pieces_reserve(hyb_pieces_t *pieces, hyb_device_t *device,
                               int64_t count, int64_t doubles, int64_t offset);
void hyb_pieces_release(hyb_pieces_t *pieces);

/*
 * The piece for chunk of strip: the one that holds it, else the least recently
 * used one. loads_p says whether the caller has to copy it in, after what reads
 * its old contents: queue waits for that. Errors: XH_ERR_DEVICE
 */
xh_status_t hyb_pieces_get(hyb_pieces_t *pieces, int64_t strip, int64_t chunk,
                           hyb_queue_t *queue, hyb_piece_t **piece_p,
                           bool *loads_p);

/*
 * Queue all that slot's tile needs: pieces of A and B that are not there, C
 * unless only the product returns, the multiplications, the way back. When the
 * last event of slot, out.end, has passed, all of them have.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_lanes_launch(hyb_lanes_t *lanes, const hyb_product_t *product,
                             const hyb_slot_t *slot);

/* Wait until nothing is queued any more, at most seconds a queue. */
void hyb_lanes_drain(hyb_lanes_t *lanes, double seconds);

/* Write part number part of parts of a returned tile into C. Several threads
 * may do this for different parts. */
void hyb_lanes_commit(const hyb_lanes_t *lanes, const hyb_product_t *product,
                      const hyb_slot_t *slot, int part, int parts);

/* Add to work what slot's tile, which has returned, took of the device's time.
 * Errors: XH_ERR_DEVICE */
xh_status_t hyb_lanes_time(const hyb_slot_t *slot, hyb_work_t *work);

#endif
