/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/pipeline.h"

#include <stdlib.h>
#include "base/integers.h"

/* ---- opening and closing ------------------------------------------------- */

xh_status_t hyb_pipeline_open(hyb_pipeline_t *pipeline, hyb_device_t *device)
{
    *pipeline = (hyb_pipeline_t){.device = device};
    XH_TRY(hyb_queue_create(device, HYB_QUEUE_NORMAL, &pipeline->in));
    XH_TRY(hyb_queue_create(device, HYB_QUEUE_NORMAL, &pipeline->multiply));
    return hyb_queue_create(device, HYB_QUEUE_NORMAL, &pipeline->out);
}

static void free_buffer(hyb_pipeline_t *pipeline)
{
    hyb_buffer_destroy(pipeline->buffer);
    pipeline->buffer = NULL;
    pipeline->buffer_bytes = 0;
}

void hyb_pipeline_close(hyb_pipeline_t *pipeline)
{
    free_buffer(pipeline);
    free(pipeline->a.piece);
    free(pipeline->b.piece);
    while (pipeline->events > 0)
        hyb_event_destroy(pipeline->event[--pipeline->events]);
    free(pipeline->event);
    hyb_queue_destroy(pipeline->out);
    hyb_queue_destroy(pipeline->multiply);
    hyb_queue_destroy(pipeline->in);
}

/* ---- pieces -------------------------------------------------------------- */

/*
 * Set up `count` pieces of `doubles` each, one after another from `offset` on,
 * each with an event from `used`, and mark all as empty. No work that uses them
 * may be in flight.
 * Errors: XH_ERR_MEMORY
 */
static xh_status_t reserve_pieces(hyb_pieces_t *pieces, int64_t count,
                                  int64_t doubles, int64_t offset,
                                  hyb_event_t *const *used)
{
    hyb_piece_t *piece = malloc((size_t)count * sizeof(*piece));

    if (piece == NULL)
        return XH_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        piece[i] = (hyb_piece_t){
            .strip = -1, .offset = offset + i * doubles, .used = used[i]};
    free(pieces->piece);
    *pieces = (hyb_pieces_t){piece, count, 0};
    return XH_OK;
}

static bool holds(const hyb_piece_t *piece, int64_t strip, int64_t chunk)
{
    return piece->strip == strip && piece->chunk == chunk;
}

static hyb_piece_t *choose(hyb_pieces_t *pieces, int64_t strip, int64_t chunk)
{
    hyb_piece_t *oldest = &pieces->piece[0];

    for (int64_t i = 0; i < pieces->count; i++) {
        if (holds(&pieces->piece[i], strip, chunk))
            return &pieces->piece[i];
        if (pieces->piece[i].last_use < oldest->last_use)
            oldest = &pieces->piece[i];
    }
    return oldest;
}

/*
 * Find the piece for `chunk` of `strip`: the piece that holds it, else the
 * least recently used one. *loads_p: must the caller copy the chunk in? If so,
 * `queue` waits until the piece's old contents have been read.
 * Errors: XH_ERR_DEVICE
 */
static xh_status_t get_piece(hyb_pieces_t *pieces, int64_t strip, int64_t chunk,
                             hyb_queue_t *queue, hyb_piece_t **piece_p,
                             bool *loads_p)
{
    hyb_piece_t *piece = choose(pieces, strip, chunk);
    bool loads = !holds(piece, strip, chunk);

    if (loads)
        XH_TRY(hyb_queue_wait(queue, piece->used));
    piece->strip = strip;
    piece->chunk = chunk;
    piece->last_use = ++pieces->uses;
    *piece_p = piece;
    *loads_p = loads;
    return XH_OK;
}

/* ---- memory -------------------------------------------------------------- */

/* Free the old memory first, because it might leave too little for the new. */
xh_status_t hyb_pipeline_reserve(hyb_pipeline_t *pipeline,
                                 const hyb_tiling_t *tiling)
{
    size_t bytes = hyb_tiling_memory(tiling);

    if (bytes <= pipeline->buffer_bytes)
        return XH_OK;
    free_buffer(pipeline);
    XH_TRY(hyb_buffer_create(pipeline->device, bytes, &pipeline->buffer));
    pipeline->buffer_bytes = bytes;
    return XH_OK;
}

static xh_status_t reserve_events(hyb_pipeline_t *pipeline, int64_t count)
{
    hyb_event_t **grown;

    if (count <= pipeline->events)
        return XH_OK;
    grown = realloc(pipeline->event, (size_t)count * sizeof(*grown));
    if (grown == NULL)
        return XH_ERR_MEMORY;
    pipeline->event = grown;
    for (; pipeline->events < count; pipeline->events++)
        XH_TRY(hyb_event_create(pipeline->device, &grown[pipeline->events]));
    return XH_OK;
}

xh_status_t hyb_pipeline_prepare(hyb_pipeline_t *pipeline,
                                 const hyb_tiling_t *t)
{
    int64_t tile = t->most_rows * t->most_cols;
    int64_t a = t->most_rows * t->depth, b = t->most_cols * t->depth;
    int64_t pieces = t->a_pieces + t->b_pieces, laps = 2 * t->chunks + 1;
    hyb_event_t *const *event;

    XH_TRY(hyb_pipeline_reserve(pipeline, t));
    XH_TRY(reserve_events(pipeline, 2 + pieces + t->c_slots * 2 * laps));
    pipeline->first = pipeline->event[0];
    pipeline->last = pipeline->event[1];
    event = pipeline->event + 2;
    XH_TRY(reserve_pieces(&pipeline->a, t->a_pieces, a, 0, event));
    XH_TRY(reserve_pieces(&pipeline->b, t->b_pieces, b, t->a_pieces * a,
                          event + t->a_pieces));
    event += pieces;
    for (int i = 0; i < t->c_slots; i++, event += 2 * laps)
        pipeline->slot[i] =
            (hyb_slot_t){.offset = t->a_pieces * a + t->b_pieces * b + i * tile,
                         .in = event,
                         .multiply = event + 2 * t->chunks,
                         .out = event + 4 * t->chunks};
    pipeline->slots = (int)t->c_slots;
    pipeline->chunks = t->chunks;
    pipeline->launched_any = false;
    return XH_OK;
}

/* ---- launching ----------------------------------------------------------- */

/* The slot's tile of C, on the device and on the host. */
static hyb_device_view_t tile_there(const hyb_pipeline_t *pipeline,
                                    const hyb_slot_t *slot)
{
    const xh_rectangle_t *p = &slot->tile.part;

    return hyb_device_view(pipeline->buffer, slot->offset, p->rows, p->cols);
}

static xh_view_t tile_of_c(const hyb_product_t *product, const hyb_slot_t *slot)
{
    const xh_rectangle_t *p = &slot->tile.part;

    return xh_view_part(product->gemm->c, p->row, p->col, p->rows, p->cols);
}

/* One operand of a multiplication: its source on the host and its piece. */
typedef struct {
    xh_view_t host;
    hyb_piece_t *piece;
    bool loads;
} operand_t;

static hyb_device_view_t packed(const hyb_pipeline_t *pipeline,
                                const operand_t *o)
{
    return hyb_device_view(pipeline->buffer, o->piece->offset, o->host.rows,
                           o->host.cols);
}

/* Copy in the operands of the multiplication of chunk z unless their pieces
 * hold them; wait until both pieces may be overwritten. */
static xh_status_t fetch_chunk(hyb_pipeline_t *pipeline,
                               const hyb_product_t *product,
                               const hyb_slot_t *slot, int64_t z, operand_t *a,
                               operand_t *b)
{
    hyb_event_t *const *lap = slot->in + 2 * z;
    const xh_gemm_t *p = product->gemm;
    const hyb_tile_t *tile = &slot->tile;
    const xh_rectangle_t *part = &tile->part;
    int64_t first = z * product->tiling.depth;
    int64_t depth =
        xh_smaller(product->tiling.depth, product->tiling.k - first);

    a->host =
        xh_view_op_part(p->a, p->trans_a, part->row, first, part->rows, depth);
    b->host =
        xh_view_op_part(p->b, p->trans_b, first, part->col, depth, part->cols);
    XH_TRY(get_piece(&pipeline->a, tile->row, z, pipeline->in, &a->piece,
                     &a->loads));
    XH_TRY(get_piece(&pipeline->b, tile->col, z, pipeline->in, &b->piece,
                     &b->loads));
    XH_TRY(hyb_event_record(pipeline->in, lap[HYB_BEGIN]));
    if (a->loads)
        XH_TRY(hyb_queue_copy_in(pipeline->in, a->host, packed(pipeline, a)));
    if (b->loads)
        XH_TRY(hyb_queue_copy_in(pipeline->in, b->host, packed(pipeline, b)));
    if (z == 0 && p->beta != 0.0)
        XH_TRY(hyb_queue_copy_in(pipeline->in, tile_of_c(product, slot),
                                 tile_there(pipeline, slot)));
    XH_TRY(hyb_event_record(pipeline->in, lap[HYB_END]));
    return hyb_queue_wait(pipeline->multiply, lap[HYB_END]);
}

/* Queue the multiplication of chunk z of the tile, after its copies. */
static xh_status_t launch_chunk(hyb_pipeline_t *pipeline,
                                const hyb_product_t *product,
                                const hyb_slot_t *slot, int64_t z)
{
    hyb_event_t *const *lap = slot->multiply + 2 * z;
    const xh_gemm_t *whole = product->gemm;
    operand_t a, b;
    hyb_gemm_t p;

    XH_TRY(fetch_chunk(pipeline, product, slot, z, &a, &b));
    p = (hyb_gemm_t){whole->trans_a,
                     whole->trans_b,
                     whole->alpha,
                     z > 0 ? 1.0 : whole->beta,
                     packed(pipeline, &a),
                     packed(pipeline, &b),
                     tile_there(pipeline, slot)};
    if (!pipeline->launched_any)
        XH_TRY(hyb_event_record(pipeline->multiply, pipeline->first));
    pipeline->launched_any = true;
    XH_TRY(hyb_event_record(pipeline->multiply, lap[HYB_BEGIN]));
    XH_TRY(hyb_queue_gemm(pipeline->multiply, &p));
    XH_TRY(hyb_event_record(pipeline->multiply, a.piece->used));
    XH_TRY(hyb_event_record(pipeline->multiply, b.piece->used));
    return hyb_event_record(pipeline->multiply, lap[HYB_END]);
}

static xh_status_t send_back(const hyb_pipeline_t *pipeline,
                             const hyb_product_t *product,
                             const hyb_slot_t *slot)
{
    XH_TRY(hyb_queue_wait(pipeline->out, pipeline->last));
    XH_TRY(hyb_event_record(pipeline->out, slot->out[HYB_BEGIN]));
    XH_TRY(hyb_queue_copy_out(pipeline->out, tile_there(pipeline, slot),
                              tile_of_c(product, slot)));
    return hyb_event_record(pipeline->out, slot->out[HYB_END]);
}

xh_status_t hyb_pipeline_launch(hyb_pipeline_t *pipeline,
                                const hyb_product_t *product,
                                const hyb_slot_t *slot)
{
    for (int64_t z = 0; z < pipeline->chunks; z++)
        XH_TRY(launch_chunk(pipeline, product, slot, z));
    XH_TRY(hyb_event_record(pipeline->multiply, pipeline->last));
    return send_back(pipeline, product, slot);
}

/* ---- timing -------------------------------------------------------------- */

static xh_status_t add_lap(hyb_event_t *const *lap, double *sum)
{
    double seconds;

    XH_TRY(hyb_event_elapsed(lap[HYB_BEGIN], lap[HYB_END], &seconds));
    *sum += seconds;
    return XH_OK;
}

xh_status_t hyb_pipeline_time(const hyb_pipeline_t *pipeline,
                              const hyb_slot_t *slot, hyb_work_t *work)
{
    for (int64_t z = 0; z < pipeline->chunks; z++) {
        XH_TRY(add_lap(slot->in + 2 * z, &work->in_seconds));
        XH_TRY(add_lap(slot->multiply + 2 * z, &work->compute_seconds));
    }
    return add_lap(slot->out, &work->out_seconds);
}
