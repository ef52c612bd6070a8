/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "hybrid/device/pieces.h"

void hyb_pieces_init(hyb_pieces_t *pieces, hyb_device_t *device)
{
    memset(pieces, 0, sizeof(*pieces));
    pieces->device = device;
}

void hyb_pieces_release(hyb_pieces_t *pieces)
{
    int64_t i;

    for (i = 0; i < pieces->capacity; i++)
        hyb_event_destroy(pieces->piece[i].used);
    free(pieces->piece);
    hyb_pieces_init(pieces, pieces->device);
}

static xh_status_t add_events(hyb_pieces_t *pieces, int64_t count)
{
    hyb_piece_t *grown, *piece;
    xh_status_t status = XH_OK;

    if (count <= pieces->capacity)
        return XH_OK;
    grown = realloc(pieces->piece, (size_t)count * sizeof(*grown));
    if (grown == NULL)
        return XH_ERR_MEMORY;
    pieces->piece = grown;
    while (pieces->capacity < count && status == XH_OK) {
        piece = &pieces->piece[pieces->capacity++];
        memset(piece, 0, sizeof(*piece));
        status = hyb_event_create(pieces->device, &piece->used);
    }
    return status;
}

xh_status_t hyb_pieces_reserve(hyb_pieces_t *pieces, int64_t count,
                               int64_t doubles, int64_t first)
{
    xh_status_t status = add_events(pieces, count);
    int64_t i;

    if (status != XH_OK)
        return status;
    pieces->count = count;
    for (i = 0; i < count; i++) {
        pieces->piece[i].strip = -1;
        pieces->piece[i].last_use = 0;
        pieces->piece[i].at = first + i * doubles;
    }
    return XH_OK;
}

static bool holds(const hyb_piece_t *piece, int64_t strip, int64_t chunk)
{
    return piece->strip == strip && piece->chunk == chunk;
}

/* The piece that holds chunk of strip, else the least recently used one. */
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
    xh_status_t status = XH_OK;

    if (loads)
        status = hyb_queue_wait(queue, piece->used);
    if (status != XH_OK)
        return status;
    piece->strip = strip;
    piece->chunk = chunk;
    piece->last_use = ++pieces->uses;
    *piece_p = piece;
    *loads_p = loads;
    return XH_OK;
}
