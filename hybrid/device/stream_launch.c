/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/product.h"
#include "hybrid/device/copy.h"
#include "hybrid/device/stream_private.h"

static hyb_block_t packed(const hyb_lanes_t *lanes, const hyb_piece_t *piece,
                          xh_view_t host)
{
    return hyb_block(lanes->buffer, piece->offset, host.rows, host.cols);
}

/* C's tile of slot there, and on the host. */
static hyb_block_t tile_there(const hyb_slot_t *slot)
{
    const xh_rectangle_t *p = &slot->tile.part;

    return hyb_block(slot->device.buffer, slot->device.offset, p->rows,
                     p->cols);
}

static xh_view_t tile_of_c(const hyb_product_t *product, const hyb_slot_t *slot)
{
    const xh_rectangle_t *p = &slot->tile.part;

    return xh_view_part(product->gemm->c, p->row, p->col, p->rows, p->cols);
}

/* ---- copies -------------------------------------------------------------- */

/* A copy does not cross from one pinned segment into the next. */
static xh_status_t copy_in(hyb_lanes_t *lanes, xh_view_t from, hyb_block_t to)
{
    int64_t rows = from.rows, j, cols;

    for (j = 0; j < from.cols; j += cols) {
        xh_view_t rest = xh_view_part(from, 0, j, rows, from.cols - j);

        cols = rest.cols = hyb_pins_together(lanes->pins, rest);
        TRY(hyb_queue_copy_in(lanes->in, rest,
                              hyb_block_part(to, 0, j, rows, cols)));
    }
    return XH_OK;
}

static xh_status_t copy_out(hyb_lanes_t *lanes, hyb_block_t from, xh_view_t to)
{
    int64_t rows = to.rows, j, cols;

    for (j = 0; j < to.cols; j += cols) {
        xh_view_t rest = xh_view_part(to, 0, j, rows, to.cols - j);

        cols = rest.cols = hyb_pins_together(lanes->pins, rest);
        TRY(hyb_queue_copy_out(lanes->out,
                               hyb_block_part(from, 0, j, rows, cols), rest));
    }
    return XH_OK;
}

/* ---- launching ----------------------------------------------------------- */

/* one operand's piece for a multiplication: where from, and where it is */
typedef struct {
    hyb_pieces_t *pieces;
    int64_t strip;
    xh_view_t host;
    hyb_piece_t *piece; /* out */
    bool loads;         /* out */
} fetch_t;

/* Copy in what is not there. */
static xh_status_t fetch(hyb_lanes_t *lanes, const fetch_t *f)
{
    return f->loads ? copy_in(lanes, f->host, packed(lanes, f->piece, f->host))
                    : XH_OK;
}

/* Find room for both operands' pieces of chunk z. */
static xh_status_t choose_pieces(hyb_lanes_t *lanes,
                                 const hyb_product_t *product,
                                 const hyb_tile_t *tile, int64_t z,
                                 fetch_t operands[2])
{
    const xh_gemm_t *p = product->gemm;
    const xh_rectangle_t *part = &tile->part;
    int64_t first, depth;
    int i;

    hyb_tiling_chunk(&product->tiling, z, &first, &depth);
    operands[0] = (fetch_t){.pieces = &lanes->a,
                            .strip = tile->row,
                            .host = xh_view_op_part(p->a, p->trans_a, part->row,
                                                    first, part->rows, depth)};
    operands[1] =
        (fetch_t){.pieces = &lanes->b,
                  .strip = tile->col,
                  .host = xh_view_op_part(p->b, p->trans_b, first, part->col,
                                          depth, part->cols)};
    for (i = 0; i < 2; i++)
        TRY(hyb_pieces_get(operands[i].pieces, operands[i].strip, z, lanes->in,
                           &operands[i].piece, &operands[i].loads));
    return XH_OK;
}

/* The device needs C only to add to it. */
static bool reads_c(const hyb_lanes_t *lanes, const hyb_product_t *product)
{
    return lanes->tile_return != HYB_RETURN_PRODUCT &&
           product->gemm->beta != 0.0;
}

/* What the multiplication of chunk z needs comes in, before or now. */
static xh_status_t fetch_chunk(hyb_lanes_t *lanes, const hyb_product_t *product,
                               const hyb_slot_t *slot, int64_t z,
                               fetch_t operands[2])
{
    const hyb_lap_t *lap = &slot->chunk[z].in;

    TRY(choose_pieces(lanes, product, &slot->tile, z, operands));
    TRY(hyb_event_record(lanes->in, lap->begin));
    TRY(fetch(lanes, &operands[0]));
    TRY(fetch(lanes, &operands[1]));
    if (z == 0 && reads_c(lanes, product))
        TRY(copy_in(lanes, tile_of_c(product, slot), tile_there(slot)));
    TRY(hyb_event_record(lanes->in, lap->end));
    return hyb_queue_wait(lanes->multiply, lap->end);
}

/* Chunk z of the tile's product, on what came in. */
static xh_status_t multiply(hyb_lanes_t *lanes, const hyb_product_t *product,
                            const hyb_slot_t *slot, const fetch_t operands[2],
                            int64_t z)
{
    const xh_gemm_t *whole = product->gemm;
    hyb_gemm_t p = {.trans_a = whole->trans_a,
                    .trans_b = whole->trans_b,
                    .alpha = whole->alpha,
                    .beta = z > 0                     ? 1.0
                            : reads_c(lanes, product) ? whole->beta
                                                      : 0.0,
                    .a = packed(lanes, operands[0].piece, operands[0].host),
                    .b = packed(lanes, operands[1].piece, operands[1].host),
                    .c = tile_there(slot)};

    TRY(hyb_queue_gemm(lanes->multiply, &p));
    TRY(hyb_event_record(lanes->multiply, operands[0].piece->used));
    return hyb_event_record(lanes->multiply, operands[1].piece->used);
}

static xh_status_t launch_chunk(hyb_lanes_t *lanes,
                                const hyb_product_t *product,
                                const hyb_slot_t *slot, int64_t z)
{
    const hyb_lap_t *lap = &slot->chunk[z].multiply;
    fetch_t operands[2];

    TRY(fetch_chunk(lanes, product, slot, z, operands));
    if (!lanes->launched_any)
        TRY(hyb_event_record(lanes->multiply, lanes->first));
    lanes->launched_any = true;
    TRY(hyb_event_record(lanes->multiply, lap->begin));
    TRY(multiply(lanes, product, slot, operands, z));
    return hyb_event_record(lanes->multiply, lap->end);
}

static xh_status_t send_back(hyb_lanes_t *lanes, const hyb_product_t *product,
                             const hyb_slot_t *slot)
{
    const xh_rectangle_t *p = &slot->tile.part;
    xh_view_t staging = {slot->staging, p->rows, p->cols, p->rows};

    TRY(hyb_queue_wait(lanes->out, lanes->last));
    TRY(hyb_event_record(lanes->out, slot->out.begin));
    if (lanes->tile_return == HYB_RETURN_DIRECT)
        TRY(copy_out(lanes, tile_there(slot), tile_of_c(product, slot)));
    else
        TRY(hyb_queue_copy_out(lanes->out, tile_there(slot), staging));
    return hyb_event_record(lanes->out, slot->out.end);
}

xh_status_t hyb_lanes_launch(hyb_lanes_t *lanes, const hyb_product_t *product,
                             const hyb_slot_t *slot)
{
    int64_t z;

    for (z = 0; z < slot->chunks; z++)
        TRY(launch_chunk(lanes, product, slot, z));
    TRY(hyb_event_record(lanes->multiply, lanes->last));
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

    TRY(hyb_event_elapsed(lap->begin, lap->end, &seconds));
    *sum += seconds;
    return XH_OK;
}

xh_status_t hyb_lanes_time(const hyb_slot_t *slot, hyb_stream_times_t *times)
{
    int64_t z;

    for (z = 0; z < slot->chunks; z++) {
        TRY(add_lap(&slot->chunk[z].in, &times->in));
        TRY(add_lap(&slot->chunk[z].multiply, &times->multiply));
    }
    return add_lap(&slot->out, &times->out);
}
