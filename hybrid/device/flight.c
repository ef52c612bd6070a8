/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "hybrid/device/copy.h"
#include "hybrid/device/flight.h"

/* Stop at the first call of a sequence that fails. */
#define TRY(call)                                                              \
    do {                                                                       \
        xh_status_t status_ = (call);                                          \
        if (status_ != XH_OK)                                                  \
            return status_;                                                    \
    } while (0)

/* ---- events ---------------------------------------------------------------
 */

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

static xh_status_t add_slots(hyb_flight_t *flight, int count)
{
    hyb_slot_t *grown;

    if (count <= flight->capacity)
        return XH_OK;
    grown = realloc(flight->slot, (size_t)count * sizeof(*grown));
    if (grown == NULL)
        return XH_ERR_MEMORY;
    flight->slot = grown;
    while (flight->capacity < count) {
        memset(&grown[flight->capacity], 0, sizeof(*grown));
        TRY(open_lap(flight->device, &grown[flight->capacity++].out));
    }
    return XH_OK;
}

/* ---- opening and closing --------------------------------------------------
 */

static xh_status_t open_all(hyb_flight_t *flight)
{
    TRY(hyb_queue_create(flight->device, HYB_QUEUE_NORMAL, &flight->in));
    TRY(hyb_queue_create(flight->device, HYB_QUEUE_NORMAL, &flight->multiply));
    TRY(hyb_queue_create(flight->device, HYB_QUEUE_NORMAL, &flight->out));
    TRY(hyb_event_create(flight->device, &flight->first));
    return hyb_event_create(flight->device, &flight->last);
}

xh_status_t hyb_flight_open(hyb_flight_t *flight, hyb_device_t *device)
{
    xh_status_t status;

    memset(flight, 0, sizeof(*flight));
    flight->device = device;
    hyb_pieces_init(&flight->a, device);
    hyb_pieces_init(&flight->b, device);
    status = open_all(flight);
    if (status != XH_OK)
        hyb_flight_close(flight);
    return status;
}

static void release_memory(hyb_flight_t *flight)
{
    hyb_buffer_destroy(flight->memory);
    flight->memory = NULL;
    flight->memory_bytes = 0;
}

static void release_staging(hyb_flight_t *flight)
{
    hyb_pinned_free(flight->device, flight->staging, flight->staging_bytes);
    flight->staging = NULL;
    flight->staging_bytes = 0;
}

void hyb_flight_close(hyb_flight_t *flight)
{
    int i;

    for (i = 0; i < flight->capacity; i++)
        close_slot(&flight->slot[i]);
    free(flight->slot);
    release_staging(flight);
    release_memory(flight);
    hyb_pieces_release(&flight->a);
    hyb_pieces_release(&flight->b);
    hyb_event_destroy(flight->last);
    hyb_event_destroy(flight->first);
    hyb_queue_destroy(flight->out);
    hyb_queue_destroy(flight->multiply);
    hyb_queue_destroy(flight->in);
}

/* ---- memory ---------------------------------------------------------------
 */

/* All the device's memory at once: a part that is kept could be in the way. */
static xh_status_t add_memory(hyb_flight_t *flight, size_t bytes)
{
    if (bytes <= flight->memory_bytes)
        return XH_OK;
    release_memory(flight);
    TRY(hyb_buffer_create(flight->device, bytes, &flight->memory));
    flight->memory_bytes = bytes;
    return XH_OK;
}

static xh_status_t add_staging(hyb_flight_t *flight, size_t bytes)
{
    if (bytes <= flight->staging_bytes)
        return XH_OK;
    release_staging(flight);
    TRY(hyb_pinned_alloc(flight->device, bytes, &flight->staging));
    flight->staging_bytes = bytes;
    return XH_OK;
}

size_t hyb_flight_staging_bytes(const hyb_tiling_t *tiling)
{
    return (size_t)(tiling->c_slots * tiling->most_rows * tiling->most_cols) *
           sizeof(double);
}

xh_status_t hyb_flight_reserve(hyb_flight_t *flight, const hyb_tiling_t *tiling)
{
    TRY(add_memory(flight, hyb_tiling_memory(tiling)));
    return flight->direct
               ? XH_OK
               : add_staging(flight, hyb_flight_staging_bytes(tiling));
}

xh_status_t hyb_flight_prepare(hyb_flight_t *flight, const hyb_job_t *job)
{
    const hyb_tiling_t *t = &job->tiling;
    int64_t tile = t->most_rows * t->most_cols;
    int64_t a = t->most_rows * t->depth, b = t->most_cols * t->depth;
    int64_t next = 0;
    int i;

    TRY(hyb_flight_reserve(flight, t));
    TRY(add_slots(flight, (int)t->c_slots));
    for (i = 0; i < (int)t->c_slots; i++)
        TRY(add_chunks(flight->device, &flight->slot[i], t->chunks));
    TRY(hyb_pieces_reserve(&flight->a, t->a_pieces, a, next));
    next += t->a_pieces * a;
    TRY(hyb_pieces_reserve(&flight->b, t->b_pieces, b, next));
    next += t->b_pieces * b;
    flight->slots = (int)t->c_slots;
    flight->launched_any = false;
    for (i = 0; i < flight->slots; i++) {
        flight->slot[i].chunks = t->chunks;
        flight->slot[i].tile = -1;
        flight->slot[i].device = next + i * tile;
        flight->slot[i].staging =
            flight->direct ? NULL : flight->staging + i * tile;
    }
    return XH_OK;
}

/* ---- launching ------------------------------------------------------------
 */

static hyb_block_t held(const hyb_flight_t *flight, int64_t at, int64_t rows,
                        int64_t cols)
{
    return hyb_block(flight->memory, at, rows, cols);
}

/* one operand's piece for a multiplication: where from, and where it is */
typedef struct {
    hyb_pieces_t *pieces;
    int64_t strip;
    xh_view_t host;
    hyb_piece_t *piece; /* out */
    bool loads;         /* out */
} fetch_t;

/* Copy in what is not there. */
static xh_status_t fetch(hyb_flight_t *flight, const fetch_t *f)
{
    if (!f->loads)
        return XH_OK;
    return hyb_queue_copy_in(
        flight->in, f->host,
        held(flight, f->piece->at, f->host.rows, f->host.cols));
}

/* Chunk z of the tile's product, on what came in. */
static xh_status_t multiply(hyb_flight_t *flight, const hyb_job_t *job,
                            const hyb_slot_t *slot, const fetch_t operands[2],
                            int64_t z)
{
    const xh_gemm_t *whole = job->product;
    const xh_view_t a = operands[0].host, b = operands[1].host;
    hyb_gemm_t p = {
        .trans_a = whole->trans_a,
        .trans_b = whole->trans_b,
        .alpha = whole->alpha,
        .beta = whole->beta,
        .a = held(flight, operands[0].piece->at, a.rows, a.cols),
        .b = held(flight, operands[1].piece->at, b.rows, b.cols),
        .c = held(flight, slot->device, slot->part.rows, slot->part.cols)};

    if (flight->product_only)
        p.beta = 0.0;
    if (z > 0)
        p.beta = 1.0;
    TRY(hyb_queue_gemm(flight->multiply, &p));
    TRY(hyb_event_record(flight->multiply, operands[0].piece->used));
    return hyb_event_record(flight->multiply, operands[1].piece->used);
}

static xh_view_t part_of_c(const hyb_job_t *job, xh_rectangle_t part)
{
    return xh_view_part(job->product->c, part.row, part.col, part.rows,
                        part.cols);
}

/* Find room for both operands' pieces of chunk z. */
static xh_status_t choose_pieces(hyb_flight_t *flight, const hyb_job_t *job,
                                 const hyb_slot_t *slot, int64_t z,
                                 fetch_t operands[2])
{
    const xh_gemm_t *p = job->product;
    hyb_tile_t tile = hyb_tiling_tile(&job->tiling, slot->tile);
    xh_rectangle_t part = slot->part;
    int64_t first, depth;
    int i;

    hyb_tiling_chunk(&job->tiling, z, &first, &depth);
    operands[0] = (fetch_t){.pieces = &flight->a,
                            .strip = tile.row,
                            .host = xh_view_op_part(p->a, p->trans_a, part.row,
                                                    first, part.rows, depth)};
    operands[1] =
        (fetch_t){.pieces = &flight->b,
                  .strip = tile.col,
                  .host = xh_view_op_part(p->b, p->trans_b, first, part.col,
                                          depth, part.cols)};
    for (i = 0; i < 2; i++)
        TRY(hyb_pieces_get(operands[i].pieces, operands[i].strip, z, flight->in,
                           &operands[i].piece, &operands[i].loads));
    return XH_OK;
}

/* C's tile, if the device is to have it; before the first multiplication. */
static xh_status_t fetch_c(hyb_flight_t *flight, const hyb_job_t *job,
                           const hyb_slot_t *slot)
{
    if (flight->product_only || job->product->beta == 0.0)
        return XH_OK;
    return hyb_queue_copy_in(
        flight->in, part_of_c(job, slot->part),
        held(flight, slot->device, slot->part.rows, slot->part.cols));
}

/* What the multiplication of chunk z needs comes in, before or now. */
static xh_status_t fetch_chunk(hyb_flight_t *flight, const hyb_job_t *job,
                               const hyb_slot_t *slot, int64_t z,
                               fetch_t operands[2])
{
    const hyb_lap_t *lap = &slot->chunk[z].in;

    TRY(choose_pieces(flight, job, slot, z, operands));
    TRY(hyb_event_record(flight->in, lap->begin));
    TRY(fetch(flight, &operands[0]));
    TRY(fetch(flight, &operands[1]));
    if (z == 0)
        TRY(fetch_c(flight, job, slot));
    TRY(hyb_event_record(flight->in, lap->end));
    return hyb_queue_wait(flight->multiply, lap->end);
}

static xh_status_t launch_chunk(hyb_flight_t *flight, const hyb_job_t *job,
                                const hyb_slot_t *slot, int64_t z)
{
    const hyb_lap_t *lap = &slot->chunk[z].multiply;
    fetch_t operands[2];

    TRY(fetch_chunk(flight, job, slot, z, operands));
    if (!flight->launched_any)
        TRY(hyb_event_record(flight->multiply, flight->first));
    flight->launched_any = true;
    TRY(hyb_event_record(flight->multiply, lap->begin));
    TRY(multiply(flight, job, slot, operands, z));
    return hyb_event_record(flight->multiply, lap->end);
}

/* When the tile has returned, all its events have passed. */
static xh_status_t send_back(hyb_flight_t *flight, const hyb_job_t *job,
                             const hyb_slot_t *slot)
{
    int64_t rows = slot->part.rows, cols = slot->part.cols;
    xh_view_t to = flight->direct
                       ? part_of_c(job, slot->part)
                       : (xh_view_t){slot->staging, rows, cols, rows};

    TRY(hyb_queue_wait(flight->out, flight->last));
    TRY(hyb_event_record(flight->out, slot->out.begin));
    TRY(hyb_queue_copy_out(flight->out, held(flight, slot->device, rows, cols),
                           to));
    return hyb_event_record(flight->out, slot->out.end);
}

xh_status_t hyb_flight_launch(hyb_flight_t *flight, const hyb_job_t *job,
                              int64_t tile, int slot_number)
{
    hyb_slot_t *slot = &flight->slot[slot_number];
    int64_t z;

    slot->tile = tile;
    slot->part = hyb_tiling_tile(&job->tiling, tile).part;
    for (z = 0; z < slot->chunks; z++)
        TRY(launch_chunk(flight, job, slot, z));
    TRY(hyb_event_record(flight->multiply, flight->last));
    return send_back(flight, job, slot);
}

/* ---- landing --------------------------------------------------------------
 */

void hyb_flight_drain(hyb_flight_t *flight, double seconds)
{
    hyb_queue_t *queues[] = {flight->in, flight->multiply, flight->out};
    bool done = true;
    size_t i;

    for (i = 0; i < sizeof(queues) / sizeof(queues[0]) && done; i++) {
        done = false;
        if (hyb_event_record(queues[i], flight->last) == XH_OK)
            (void)hyb_event_wait(flight->last, seconds, &done);
    }
}

void hyb_flight_commit(const hyb_flight_t *flight, const hyb_job_t *job,
                       const hyb_slot_t *slot, int part, int parts)
{
    xh_view_t c = part_of_c(job, slot->part);
    double beta = job->product->beta;
    int64_t i, j, end = c.cols * (part + 1) / parts;

    for (j = c.cols * part / parts; j < end; j++) {
        const double *from = slot->staging + j * c.rows;
        double *to = c.data + j * c.ld;

        if (!flight->product_only || beta == 0.0)
            hyb_copy_past_caches(to, from, c.rows);
        else
            for (i = 0; i < c.rows; i++)
                to[i] = beta * to[i] + from[i];
    }
}

static xh_status_t add_lap(const hyb_lap_t *lap, double *sum)
{
    double seconds;

    TRY(hyb_event_elapsed(lap->begin, lap->end, &seconds));
    *sum += seconds;
    return XH_OK;
}

xh_status_t hyb_flight_time(const hyb_slot_t *slot, hyb_flight_times_t *times)
{
    int64_t z;

    for (z = 0; z < slot->chunks; z++) {
        TRY(add_lap(&slot->chunk[z].in, &times->in));
        TRY(add_lap(&slot->chunk[z].multiply, &times->multiply));
    }
    return add_lap(&slot->out, &times->out);
}
