/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PIECES_H
#define HYB_PIECES_H

#include "hybrid/device/device.h"

/*
 * The pieces of one operand, A or B, that a device keeps: a fixed number of
 * equal buffers, each holding a chunk of a strip, the least recently used one
 * replaced. A piece is asked for before every product that reads it.
 */
typedef struct {
    int64_t strip, chunk; /* what it holds; strip -1: nothing */
    int64_t at;           /* its place in the device's memory, doubles */
    hyb_event_t *used;    /* the last product that read it */
    uint64_t last_use;
} hyb_piece_t;

typedef struct {
    hyb_device_t *device;
    hyb_piece_t *piece;
    int64_t count, capacity; /* in use; with events */
    uint64_t uses;
} hyb_pieces_t;

/* No pieces, of device. */
void hyb_pieces_init(hyb_pieces_t *pieces, hyb_device_t *device);

/*
 * Have count pieces of at most doubles each, side by side in the device's
 * memory from first on, and forget what they hold. Nothing that uses them may
 * be in flight. Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pieces_reserve(hyb_pieces_t *pieces, int64_t count,
                               int64_t doubles, int64_t first);
void hyb_pieces_release(hyb_pieces_t *pieces);

/*
 * The piece for chunk of strip; loads_p says whether the caller has to copy it
 * in, after what reads its old contents: queue waits for that.
 * Errors: XH_ERR_DEVICE
 */
xh_status_t hyb_pieces_get(hyb_pieces_t *pieces, int64_t strip, int64_t chunk,
                           hyb_queue_t *queue, hyb_piece_t **piece_p,
                           bool *loads_p);

#endif
