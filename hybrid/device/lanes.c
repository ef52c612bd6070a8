/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/lanes.h"

#include <stdlib.h>
#include <string.h>
#include "base/product.h"
#include "hybrid/device/copy.h"

/* ---- events -------------------------------------------------------------- */

static xh_status_t open_lap(hyb_device_t *device, hyb_lap_t *lap)
{
    HYB_TRY(hyb_event_create(device, &lap->begin));
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

/* The array with zeros behind its first elements, so that it has more; NULL:
 * there is no memory, and it stays as it is. */
static void *grow(void *array, size_t element, int64_t from, int64_t to)
{
    char *grown = realloc(array, (size_t)to * element);

    if (grown != NULL && to > from)
        memset(grown + (size_t)from * element, 0,
               (size_t)(to - from) * element);
    return grown;
}

static xh_status_t add_chunks(hyb_device_t *device, hyb_slot_t *slot,
                              int64_t count)
{
    hyb_chunk_laps_t *grown;

    if (count <= slot->capacity)
        return XH_OK;
    grown = grow(slot->chunk, sizeof(*grown), slot->capacity, count);
    if (grown == NULL)
        return XH_ERR_MEMORY;
    slot->chunk = grown;
    while (slot->capacity < count) {
        grown = &slot->chunk[slot->capacity++];
        HYB_TRY(open_lap(device, &grown->in));
        HYB_TRY(open_lap(device, &grown->multiply));
    }
    return XH_OK;
}

/* ---- opening and closing ------------------------------------------------- */

static xh_status_t open_all(hyb_lanes_t *lanes)
{
    HYB_TRY(hyb_queue_create(lanes->device, HYB_QUEUE_NORMAL, &lanes->in));
    HYB_TRY(
        hyb_queue_create(lanes->device, HYB_QUEUE_NORMAL, &lanes->multiply));
    HYB_TRY(hyb_queue_create(lanes->device, HYB_QUEUE_NORMAL, &lanes->out));
    HYB_TRY(hyb_event_create(lanes->device, &lanes->first));
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

void hyb_lanes_release(hyb_lanes_t *lanes)
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
    release_staging(lanes);
    hyb_lanes_release(lanes);
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
    hyb_lanes_release(lanes);
    HYB_TRY(hyb_buffer_create(lanes->device, bytes, &lanes->buffer));
    lanes->buffer_bytes = bytes;
    return XH_OK;
}

static xh_status_t reserve_staging(hyb_lanes_t *lanes, size_t bytes)
{
    if (bytes <= lanes->staging_bytes)
        return XH_OK;
    release_staging(lanes);
    HYB_TRY(hyb_pinned_alloc(lanes->device, bytes, &lanes->staging));
    lanes->staging_bytes = bytes;
    return XH_OK;
}

xh_status_t hyb_lanes_reserve(hyb_lanes_t *lanes, const hyb_tiling_t *tiling)
{
    HYB_TRY(reserve_buffer(lanes, hyb_tiling_memory(tiling)));
    return reserve_staging(lanes,
                           hyb_lanes_staging(lanes->tile_return, tiling));
}

xh_status_t hyb_lanes_prepare(hyb_lanes_t *lanes, const hyb_tiling_t *t)
{
    int64_t tile = t->most_rows * t->most_cols;
    int64_t a = t->most_rows * t->depth, b = t->most_cols * t->depth;
    int64_t first_tile = t->a_pieces * a + t->b_pieces * b;
    int i, slots = (int)t->c_slots;

    HYB_TRY(hyb_lanes_reserve(lanes, t));
    while (lanes->capacity < slots)
        HYB_TRY(open_lap(lanes->device, &lanes->slot[lanes->capacity++].out));
    for (i = 0; i < slots; i++) {
        hyb_slot_t *slot = &lanes->slot[i];

        HYB_TRY(add_chunks(lanes->device, slot, t->chunks));
        slot->chunks = t->chunks;
        slot->offset = first_tile + i * tile;
        if (lanes->tile_return != HYB_RETURN_DIRECT)
            slot->staging = lanes->staging + i * tile;
    }
    HYB_TRY(hyb_pieces_reserve(&lanes->a, lanes->device, t->a_pieces, a, 0));
    HYB_TRY(hyb_pieces_reserve(&lanes->b, lanes->device, t->b_pieces, b,
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
    grown = grow(pieces->piece, sizeof(*grown), pieces->capacity, count);
    if (grown == NULL)
        return XH_ERR_MEMORY;
    pieces->piece = grown;
    while (pieces->capacity < count)
        HYB_TRY(hyb_event_create(device, &grown[pieces->capacity++].used));
    return XH_OK;
}

xh_status_t hyb_pieces_reserve(hyb_pieces_t *pieces, hyb_device_t *device,
                               int64_t count, int64_t doubles, int64_t offset)
{
    int64_t i;

    HYB_TRY(add_pieces(pieces, device, count));
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
        HYB_TRY(hyb_queue_wait(queue, piece->used));
    piece->strip = strip;
    piece->chunk = chunk;
    piece->last_use = ++pieces->uses;
    *piece_p = piece;
    *loads_p = loads;
    return XH_OK;
}

/* ---- launching ----------------------------------------------------------- */

/* C's tile of slot on the device, and on the host. */
static hyb_block_t tile_there(const hyb_lanes_t *lanes, const hyb_slot_t *slot)
{
    const xh_rectangle_t *p = &slot->tile.part;

    return hyb_block(lanes->buffer, slot->offset, p->rows, p->cols);
}

static xh_view_t tile_of_c(const hyb_product_t *product, const hyb_slot_t *slot)
{
    const xh_rectangle_t *p = &slot->tile.part;

    return xh_view_part(product->gemm->c, p->row, p->col, p->rows, p->cols);
}

/* Copy in or out. A copy does not cross from one pinned segment into the
 * next. */
static xh_status_t copy(const hyb_lanes_t *lanes, hyb_op_t op, xh_view_t host,
                        hyb_block_t block)
{
    int64_t rows = host.rows, j, cols;

    for (j = 0; j < host.cols; j += cols) {
        xh_view_t rest = xh_view_part(host, 0, j, rows, host.cols - j);
        hyb_block_t part;

        cols = rest.cols = hyb_pins_together(lanes->pins, rest);
        part = hyb_block_part(block, 0, j, rows, cols);
        HYB_TRY(op == HYB_OP_COPY_IN
                    ? hyb_queue_copy_in(lanes->in, rest, part)
                    : hyb_queue_copy_out(lanes->out, part, rest));
    }
    return XH_OK;
}

/* one operand's piece for a multiplication: where from, and where it is */
typedef struct {
    xh_view_t host;
    hyb_piece_t *piece;
    bool loads;
} operand_t;

static hyb_block_t packed(const hyb_lanes_t *lanes, const operand_t *o)
{
    return hyb_block(lanes->buffer, o->piece->offset, o->host.rows,
                     o->host.cols);
}

static xh_status_t fetch(const hyb_lanes_t *lanes, const operand_t *o)
{
    return o->loads ? copy(lanes, HYB_OP_COPY_IN, o->host, packed(lanes, o))
                    : XH_OK;
}

/* Find room for both operands' pieces of chunk z. */
static xh_status_t choose_pieces(hyb_lanes_t *lanes,
                                 const hyb_product_t *product,
                                 const hyb_tile_t *tile, int64_t z,
                                 operand_t *a, operand_t *b)
{
    const xh_gemm_t *p = product->gemm;
    const xh_rectangle_t *part = &tile->part;
    int64_t first, depth;

    hyb_tiling_chunk(&product->tiling, z, &first, &depth);
    a->host =
        xh_view_op_part(p->a, p->trans_a, part->row, first, part->rows, depth);
    b->host =
        xh_view_op_part(p->b, p->trans_b, first, part->col, depth, part->cols);
    HYB_TRY(hyb_pieces_get(&lanes->a, tile->row, z, lanes->in, &a->piece,
                           &a->loads));
    return hyb_pieces_get(&lanes->b, tile->col, z, lanes->in, &b->piece,
                          &b->loads);
}

/* The device needs C only to add to it. */
static bool reads_c(const hyb_lanes_t *lanes, const hyb_product_t *product)
{
    return lanes->tile_return != HYB_RETURN_PRODUCT &&
           product->gemm->beta != 0.0;
}

/* What the multiplication of chunk z needs comes in, before or now. */
static xh_status_t fetch_chunk(hyb_lanes_t *lanes, const hyb_product_t *product,
                               const hyb_slot_t *slot, int64_t z, operand_t *a,
                               operand_t *b)
{
    const hyb_lap_t *lap = &slot->chunk[z].in;

    HYB_TRY(choose_pieces(lanes, product, &slot->tile, z, a, b));
    HYB_TRY(hyb_event_record(lanes->in, lap->begin));
    HYB_TRY(fetch(lanes, a));
    HYB_TRY(fetch(lanes, b));
    if (z == 0 && reads_c(lanes, product))
        HYB_TRY(copy(lanes, HYB_OP_COPY_IN, tile_of_c(product, slot),
                     tile_there(lanes, slot)));
    HYB_TRY(hyb_event_record(lanes->in, lap->end));
    return hyb_queue_wait(lanes->multiply, lap->end);
}

/* Chunk z of the tile's product, on what comes in. */
static xh_status_t launch_chunk(hyb_lanes_t *lanes,
                                const hyb_product_t *product,
                                const hyb_slot_t *slot, int64_t z)
{
    const hyb_lap_t *lap = &slot->chunk[z].multiply;
    const xh_gemm_t *whole = product->gemm;
    double first_beta = reads_c(lanes, product) ? whole->beta : 0.0;
    operand_t a, b;
    hyb_gemm_t p;

    HYB_TRY(fetch_chunk(lanes, product, slot, z, &a, &b));
    p = (hyb_gemm_t){whole->trans_a,         whole->trans_b,
                     whole->alpha,           z > 0 ? 1.0 : first_beta,
                     packed(lanes, &a),      packed(lanes, &b),
                     tile_there(lanes, slot)};
    if (!lanes->launched_any)
        HYB_TRY(hyb_event_record(lanes->multiply, lanes->first));
    lanes->launched_any = true;
    HYB_TRY(hyb_event_record(lanes->multiply, lap->begin));
    HYB_TRY(hyb_queue_gemm(lanes->multiply, &p));
    HYB_TRY(hyb_event_record(lanes->multiply, a.piece->used));
    HYB_TRY(hyb_event_record(lanes->multiply, b.piece->used));
    return hyb_event_record(lanes->multiply, lap->end);
}

static xh_status_t send_back(const hyb_lanes_t *lanes,
                             const hyb_product_t *product,
                             const hyb_slot_t *slot)
{
    const xh_rectangle_t *p = &slot->tile.part;
    xh_view_t staging = {slot->staging, p->rows, p->cols, p->rows};

    HYB_TRY(hyb_queue_wait(lanes->out, lanes->last));
    HYB_TRY(hyb_event_record(lanes->out, slot->out.begin));
    if (lanes->tile_return == HYB_RETURN_DIRECT)
        HYB_TRY(copy(lanes, HYB_OP_COPY_OUT, tile_of_c(product, slot),
                     tile_there(lanes, slot)));
    else
        HYB_TRY(
            hyb_queue_copy_out(lanes->out, tile_there(lanes, slot), staging));
    return hyb_event_record(lanes->out, slot->out.end);
}

xh_status_t hyb_lanes_launch(hyb_lanes_t *lanes, const hyb_product_t *product,
                             const hyb_slot_t *slot)
{
    int64_t z;

    for (z = 0; z < slot->chunks; z++)
        HYB_TRY(launch_chunk(lanes, product, slot, z));
    HYB_TRY(hyb_event_record(lanes->multiply, lanes->last));
    return send_back(lanes, product, slot);
}

/* ---- landing ------------------------------------------------------------- */

void hyb_lanes_drain(hyb_lanes_t *lanes, double seconds)
{
    hyb_queue_t *queues[] = {lanes->in, lanes->multiply, lanes->out};
    bool done = true;
    size_t i;

    for (i = 0; i < sizeof(queues) / sizeof(queues[0]) && done; i++) {
        done = false;
        if (hyb_event_record(queues[i], lanes->last) == XH_OK)
            (void)hyb_event_wait(lanes->last, seconds, &done);
    }
}

void hyb_lanes_commit(const hyb_lanes_t *lanes, const hyb_product_t *product,
                      const hyb_slot_t *slot, int part, int parts)
{
    bool adds = lanes->tile_return == HYB_RETURN_PRODUCT;
    double beta = product->gemm->beta;
    xh_view_t c = tile_of_c(product, slot);
    int64_t i, j, end = c.cols * (part + 1) / parts;

    for (j = c.cols * part / parts; j < end; j++) {
        const double *from = slot->staging + j * c.rows;
        double *to = c.data + j * c.ld;

        if (!adds || beta == 0.0)
            hyb_copy_past_caches(to, from, c.rows);
        else
            for (i = 0; i < c.rows; i++)
                to[i] = beta * to[i] + from[i];
    }
}

static xh_status_t add_lap(const hyb_lap_t *lap, double *sum)
{
    double seconds;

    HYB_TRY(hyb_event_elapsed(lap->begin, lap->end, &seconds));
    *sum += seconds;
    return XH_OK;
}

xh_status_t hyb_lanes_time(const hyb_slot_t *slot, hyb_work_t *work)
{
    int64_t z;

    for (z = 0; z < slot->chunks; z++) {
        HYB_TRY(add_lap(&slot->chunk[z].in, &work->in_seconds));
        HYB_TRY(add_lap(&slot->chunk[z].multiply, &work->compute_seconds));
    }
    return add_lap(&slot->out, &work->out_seconds);
}
