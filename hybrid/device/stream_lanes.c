/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "hybrid/device/stream_private.h"

/* ---- events -------------------------------------------------------------- */

static xh_status_t open_lap(hyb_device_t *device, hyb_lap_t *lap)
{
    TRY(hyb_event_create(device, &lap->begin));
    return hyb_event_create(device, &lap->end);
}

static void close_lap(const hyb_lap_t *lap)
{
    hyb_event_destroy(lap->begin);
    hyb_event_destroy(lap->end);
}

static void close_slot(const hyb_slot_t *slot)
{
    int64_t z;

    for (z = 0; z < slot->capacity; z++) {
        close_lap(&slot->chunk[z].in);
        close_lap(&slot->chunk[z].multiply);
    }
    free(slot->chunk);
    close_lap(&slot->out);
}

static xh_status_t add_chunks(hyb_device_t *device, hyb_slot_t *slot,
                              int64_t count)
{
    hyb_chunk_laps_t *grown, *next;

    if (count <= slot->capacity)
        return XH_OK;
    grown = realloc(slot->chunk, (size_t)count * sizeof(*grown));
    if (grown == NULL)
        return XH_ERR_MEMORY;
    slot->chunk = grown;
    while (slot->capacity < count) {
        next = &grown[slot->capacity++];
        memset(next, 0, sizeof(*next));
        TRY(open_lap(device, &next->in));
        TRY(open_lap(device, &next->multiply));
    }
    return XH_OK;
}

static xh_status_t add_slots(hyb_lanes_t *lanes, int count)
{
    hyb_slot_t *grown;

    if (count <= lanes->capacity)
        return XH_OK;
    grown = realloc(lanes->slot, (size_t)count * sizeof(*grown));
    if (grown == NULL)
        return XH_ERR_MEMORY;
    lanes->slot = grown;
    while (lanes->capacity < count) {
        memset(&grown[lanes->capacity], 0, sizeof(*grown));
        TRY(open_lap(lanes->device, &grown[lanes->capacity++].out));
    }
    return XH_OK;
}

/* ---- opening and closing --------------------------------------------------
 */

static xh_status_t open_all(hyb_lanes_t *lanes)
{
    TRY(hyb_queue_create(lanes->device, HYB_QUEUE_NORMAL, &lanes->in));
    TRY(hyb_queue_create(lanes->device, HYB_QUEUE_NORMAL, &lanes->multiply));
    TRY(hyb_queue_create(lanes->device, HYB_QUEUE_NORMAL, &lanes->out));
    TRY(hyb_event_create(lanes->device, &lanes->first));
    return hyb_event_create(lanes->device, &lanes->last);
}

xh_status_t hyb_lanes_open(hyb_lanes_t *lanes, hyb_device_t *device)
{
    xh_status_t status;

    memset(lanes, 0, sizeof(*lanes));
    lanes->device = device;
    status = open_all(lanes);
    if (status != XH_OK)
        hyb_lanes_close(lanes);
    return status;
}

static void release_buffer(hyb_lanes_t *lanes)
{
    hyb_buffer_destroy(lanes->buffer);
    lanes->buffer = NULL;
    lanes->buffer_bytes = 0;
}

static void release_staging(hyb_lanes_t *lanes)
{
    hyb_pinned_free(lanes->device, lanes->staging, lanes->staging_bytes);
    lanes->staging = NULL;
    lanes->staging_bytes = 0;
}

void hyb_lanes_close(hyb_lanes_t *lanes)
{
    int i;

    for (i = 0; i < lanes->capacity; i++)
        close_slot(&lanes->slot[i]);
    free(lanes->slot);
    release_staging(lanes);
    release_buffer(lanes);
    hyb_pieces_release(&lanes->a);
    hyb_pieces_release(&lanes->b);
    hyb_event_destroy(lanes->last);
    hyb_event_destroy(lanes->first);
    hyb_queue_destroy(lanes->out);
    hyb_queue_destroy(lanes->multiply);
    hyb_queue_destroy(lanes->in);
}

/* ---- memory -------------------------------------------------------------- */

size_t hyb_lanes_staging(hyb_tile_return_t tile_return, const hyb_tiling_t *t)
{
    return tile_return == HYB_RETURN_DIRECT
               ? 0
               : (size_t)(t->c_slots * t->most_rows * t->most_cols) *
                     sizeof(double);
}

bool hyb_lanes_have(const hyb_lanes_t *lanes, const hyb_tiling_t *tiling)
{
    return hyb_tiling_memory(tiling) <= lanes->buffer_bytes &&
           hyb_lanes_staging(lanes->tile_return, tiling) <=
               lanes->staging_bytes;
}

/* All the device's memory at once: a part that is kept could be in the way. */
static xh_status_t reserve_buffer(hyb_lanes_t *lanes, size_t bytes)
{
    if (bytes <= lanes->buffer_bytes)
        return XH_OK;
    release_buffer(lanes);
    TRY(hyb_buffer_create(lanes->device, bytes, &lanes->buffer));
    lanes->buffer_bytes = bytes;
    return XH_OK;
}

static xh_status_t reserve_staging(hyb_lanes_t *lanes, size_t bytes)
{
    if (bytes <= lanes->staging_bytes)
        return XH_OK;
    release_staging(lanes);
    TRY(hyb_pinned_alloc(lanes->device, bytes, &lanes->staging));
    lanes->staging_bytes = bytes;
    return XH_OK;
}

xh_status_t hyb_lanes_reserve(hyb_lanes_t *lanes, const hyb_tiling_t *tiling)
{
    TRY(reserve_buffer(lanes, hyb_tiling_memory(tiling)));
    return reserve_staging(lanes,
                           hyb_lanes_staging(lanes->tile_return, tiling));
}

static void place_tile(hyb_lanes_t *lanes, hyb_slot_t *slot, int64_t at,
                       const hyb_tiling_t *t)
{
    int64_t first_tile = t->a_pieces * t->most_rows * t->depth +
                         t->b_pieces * t->most_cols * t->depth;

    slot->chunks = t->chunks;
    slot->device = hyb_block(lanes->buffer, first_tile + at, 0, 0);
    slot->staging =
        lanes->tile_return == HYB_RETURN_DIRECT ? NULL : lanes->staging + at;
}

xh_status_t hyb_lanes_prepare(hyb_lanes_t *lanes, const hyb_tiling_t *t)
{
    int64_t tile = t->most_rows * t->most_cols;
    int64_t a = t->most_rows * t->depth, b = t->most_cols * t->depth;
    int i, slots = (int)t->c_slots;

    TRY(hyb_lanes_reserve(lanes, t));
    TRY(add_slots(lanes, slots));
    for (i = 0; i < slots; i++) {
        TRY(add_chunks(lanes->device, &lanes->slot[i], t->chunks));
        place_tile(lanes, &lanes->slot[i], i * tile, t);
    }
    TRY(hyb_pieces_reserve(&lanes->a, lanes->device, t->a_pieces, a, 0));
    TRY(hyb_pieces_reserve(&lanes->b, lanes->device, t->b_pieces, b,
                           t->a_pieces * a));
    lanes->slots = slots;
    lanes->launched_any = false;
    return XH_OK;
}

/* ---- pieces -------------------------------------------------------------- */

void hyb_pieces_release(hyb_pieces_t *pieces)
{
    int64_t i;

    for (i = 0; i < pieces->capacity; i++)
        hyb_event_destroy(pieces->piece[i].used);
    free(pieces->piece);
    *pieces = (hyb_pieces_t){.piece = NULL};
}

static xh_status_t add_pieces(hyb_pieces_t *pieces, hyb_device_t *device,
                              int64_t count)
{
    hyb_piece_t *grown;

    if (count <= pieces->capacity)
        return XH_OK;
    grown = realloc(pieces->piece, (size_t)count * sizeof(*grown));
    if (grown == NULL)
        return XH_ERR_MEMORY;
    pieces->piece = grown;
    while (pieces->capacity < count) {
        memset(&grown[pieces->capacity], 0, sizeof(*grown));
        TRY(hyb_event_create(device, &grown[pieces->capacity++].used));
    }
    return XH_OK;
}

xh_status_t hyb_pieces_reserve(hyb_pieces_t *pieces, hyb_device_t *device,
                               int64_t count, int64_t doubles, int64_t offset)
{
    int64_t i;

    TRY(add_pieces(pieces, device, count));
    pieces->count = count;
    for (i = 0; i < count; i++) {
        pieces->piece[i].strip = -1;
        pieces->piece[i].last_use = 0;
        pieces->piece[i].offset = offset + i * doubles;
    }
    return XH_OK;
}

static bool holds(const hyb_piece_t *piece, int64_t strip, int64_t chunk)
{
    return piece->strip == strip && piece->chunk == chunk;
}

static hyb_piece_t *choose(hyb_pieces_t *pieces, int64_t strip, int64_t chunk)
{
    hyb_piece_t *oldest = &pieces->piece[0];
    int64_t i;

    for (i = 0; i < pieces->count; i++) {
        if (holds(&pieces->piece[i], strip, chunk))
            return &pieces->piece[i];
        if (pieces->piece[i].last_use < oldest->last_use)
            oldest = &pieces->piece[i];
    }
    return oldest;
}

xh_status_t hyb_pieces_get(hyb_pieces_t *pieces, int64_t strip, int64_t chunk,
                           hyb_queue_t *queue, hyb_piece_t **piece_p,
                           bool *loads_p)
{
    hyb_piece_t *piece = choose(pieces, strip, chunk);
    bool loads = !holds(piece, strip, chunk);

    if (loads)
        TRY(hyb_queue_wait(queue, piece->used));
    piece->strip = strip;
    piece->chunk = chunk;
    piece->last_use = ++pieces->uses;
    *piece_p = piece;
    *loads_p = loads;
    return XH_OK;
}
