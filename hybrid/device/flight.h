/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_FLIGHT_H
#define HYB_FLIGHT_H

#include "hybrid/device/device.h"
#include "hybrid/device/job.h"
#include "hybrid/device/pieces.h"

/*
 * A device's queues and memory, and the tiles in flight on them: what a stream
 * does with them in turn is launch and land.
 */
typedef struct { /* around what a queue does for a chunk of a tile */
    hyb_event_t *begin, *end;
} hyb_lap_t;

typedef struct {
    hyb_lap_t in, multiply;
} hyb_chunk_laps_t;

typedef struct {  /* a tile in flight */
    int64_t tile; /* -1: none */
    xh_rectangle_t part;
    int64_t device;           /* C's tile there: its place in memory */
    double *staging;          /* ... and back on the host, if not direct */
    hyb_chunk_laps_t *chunk;  /* C's tile comes in with chunk 0 */
    int64_t chunks, capacity; /* of the job; with events */
    hyb_lap_t out;
} hyb_slot_t;

typedef struct { /* seconds of device time at work, in all */
    double in, multiply, out;
} hyb_flight_times_t;

typedef struct {
    hyb_device_t *device;
    hyb_queue_t *in, *multiply, *out;
    hyb_pieces_t a, b;
    hyb_slot_t *slot;
    int slots, capacity;  /* in use; with events */
    hyb_buffer_t *memory; /* of all pieces and tiles */
    double *staging;      /* of all slots */
    size_t memory_bytes, staging_bytes;
    hyb_event_t *first, *last; /* around all multiplications */
    bool launched_any;
    bool product_only;
    bool direct; /* tiles return into C */
} hyb_flight_t;

/* Queues and events; no memory yet. Errors: XH_ERR_MEMORY, XH_ERR_DEVICE */
xh_status_t hyb_flight_open(hyb_flight_t *flight, hyb_device_t *device);
void hyb_flight_close(hyb_flight_t *flight);

/*
 * Memory for tiles that are cut so, on the device and, where they do not return
 * into C, on the host; what is there already may do. Nothing may be in flight.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_flight_reserve(hyb_flight_t *flight,
                               const hyb_tiling_t *tiling);

/* Bytes of it on the host, where tiles do not return into C. */
size_t hyb_flight_staging_bytes(const hyb_tiling_t *tiling);

/*
 * The same for a job's tiles, and all else that they need to be launched.
 */
xh_status_t hyb_flight_prepare(hyb_flight_t *flight, const hyb_job_t *job);

/*
 * Queue all that tile needs on slot: pieces of A and B that are not there, C
 * unless only the product returns, the multiplications, the way back.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_flight_launch(hyb_flight_t *flight, const hyb_job_t *job,
                              int64_t tile, int slot);

/*
 * Wait until nothing is queued any more, at most seconds a queue; for a device
 * that works and is given up all the same.
 */
void hyb_flight_drain(hyb_flight_t *flight, double seconds);

/* Write part number part of parts of a returned tile, which is not direct, into
 * C. Several threads may do this for different parts. */
void hyb_flight_commit(const hyb_flight_t *flight, const hyb_job_t *job,
                       const hyb_slot_t *slot, int part, int parts);

/* Add what slot's tile, which has returned, took. Errors: XH_ERR_DEVICE */
xh_status_t hyb_flight_time(const hyb_slot_t *slot, hyb_flight_times_t *times);

#endif
