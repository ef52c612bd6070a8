/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/sequence.h"
#include "hybrid/device/emu/emu.h"

/* ---- what each operation does ------------------------------------------- */

static double *at(xh_view_t v, int64_t i, int64_t j)
{
    return v.data + i + j * v.ld;
}

static xh_status_t copy(xh_view_t from, xh_view_t to)
{
    size_t column = (size_t)from.rows * sizeof(double);
    int64_t j;

    if (from.ld == from.rows && to.ld == to.rows) {
        memcpy(to.data, from.data, column * (size_t)from.cols);
        return XH_OK;
    }
    for (j = 0; j < from.cols; j++)
        memcpy(at(to, 0, j), at(from, 0, j), column);
    return XH_OK;
}

static bool are_rows_of(hyb_emu_rows_t rows, xh_view_t v)
{
    int64_t r;

    for (r = 0; r < rows.count; r++)
        if (rows.row[r] < 0 || rows.row[r] >= v.rows)
            return false;
    return true;
}

/* Displaced rows leave the top before U overwrites it. */
static xh_status_t swap_rows(const hyb_emu_command_t *command)
{
    const xh_view_t columns = command->swap.columns, u = command->to;
    const hyb_emu_rows_t source = command->swap.source,
                         from = command->swap.from, to = command->swap.to;
    int64_t i, j;

    if (!are_rows_of(source, columns) || !are_rows_of(from, columns) ||
        !are_rows_of(to, columns))
        return XH_ERR_ARG;
    for (j = 0; j < u.cols; j++) {
        for (i = 0; i < u.rows; i++)
            *at(u, i, j) = *at(columns, source.row[i], j);
        for (i = 0; i < from.count; i++)
            *at(columns, to.row[i], j) = *at(columns, from.row[i], j);
        memcpy(at(columns, 0, j), at(u, 0, j), (size_t)u.rows * sizeof(double));
    }
    return XH_OK;
}

static xh_status_t gather_rows(hyb_emu_rows_t rows, xh_view_t columns,
                               xh_view_t packed)
{
    int64_t r, j;

    if (!are_rows_of(rows, columns))
        return XH_ERR_ARG;
    for (r = 0; r < rows.count; r++)
        for (j = 0; j < columns.cols; j++)
            *at(packed, j, r) = *at(columns, rows.row[r], j);
    return XH_OK;
}

static xh_status_t scatter_rows(hyb_emu_rows_t rows, xh_view_t packed,
                                xh_view_t columns)
{
    int64_t r, j;

    if (!are_rows_of(rows, columns))
        return XH_ERR_ARG;
    for (r = 0; r < rows.count; r++)
        for (j = 0; j < columns.cols; j++)
            *at(columns, rows.row[r], j) = *at(packed, j, r);
    return XH_OK;
}

/* y := y - alpha x */
static void subtract(int64_t count, double alpha, const double *x, double *y)
{
    int64_t i;

    for (i = 0; i < count; i++)
        y[i] -= alpha * x[i];
}

/* Forward substitution: each solved row is subtracted from those below. */
static xh_status_t trsm(xh_view_t l1, xh_view_t u)
{
    int64_t k, j;

    for (j = 0; j < u.cols; j++)
        for (k = 0; k + 1 < u.rows; k++)
            subtract(u.rows - k - 1, *at(u, k, j), at(l1, k + 1, k),
                     at(u, k + 1, j));
    return XH_OK;
}

static xh_status_t gemv(xh_view_t a, xh_view_t x, xh_view_t y)
{
    int64_t j;

    for (j = 0; j < a.cols; j++)
        subtract(a.rows, *at(x, j, 0), at(a, 0, j), y.data);
    return XH_OK;
}

/* ---- the random matrix -------------------------------------------------- */

static int64_t global_of(hyb_dealt_t d, int64_t i)
{
    int64_t local = d.first + i;

    return (local / d.nb * d.processes + d.process) * d.nb + local % d.nb;
}

static xh_status_t generate(const hyb_generate_t *part, xh_view_t to)
{
    const hyb_dealt_t rows = part->rows;
    const xh_jump_t over_others =
        xh_jump_power(xh_jump_step, (uint64_t)((rows.processes - 1) * rows.nb));
    int64_t i, j;

    for (j = 0; j < to.cols; j++) {
        int64_t entry =
            global_of(part->cols, j) * part->order + global_of(rows, 0);
        uint64_t x = xh_jump_apply(
            xh_jump_power(xh_jump_step, (uint64_t)entry + 1), part->seed);

        for (i = 0; i < to.rows; i++) {
            *at(to, i, j) = xh_sequence_entry(x);
            x = xh_jump_apply(xh_jump_step, x);
            if ((rows.first + i + 1) % rows.nb == 0)
                x = xh_jump_apply(over_others, x);
        }
    }
    return XH_OK;
}

/* ---- one command -------------------------------------------------------- */

static xh_status_t compute(const hyb_host_t *host,
                           const hyb_emu_command_t *command)
{
    switch (command->op) {
    case HYB_EMU_GEMM:
        return host->gemm(&command->product);
    case HYB_EMU_SWAP_ROWS:
        return swap_rows(command);
    case HYB_EMU_GATHER_ROWS:
        return gather_rows(command->move.rows, command->move.from, command->to);
    case HYB_EMU_SCATTER_ROWS:
        return scatter_rows(command->move.rows, command->move.from,
                            command->to);
    case HYB_EMU_TRSM:
        return trsm(command->from, command->to);
    case HYB_EMU_GEMV:
        return gemv(command->gemv.a, command->gemv.x, command->to);
    case HYB_EMU_GENERATE:
        return generate(&command->part, command->to);
    default:
        return copy(command->from, command->to);
    }
}

/*
 * Flip the highest bit of the exponent of v's middle element: that makes it
 * very large, very small or no number.
 */
static void flip(xh_view_t v)
{
    double *x = at(v, v.rows / 2, v.cols / 2);
    uint64_t bits;

    memcpy(&bits, x, sizeof(bits));
    bits ^= UINT64_C(1) << 62;
    memcpy(x, &bits, sizeof(bits));
}

xh_status_t hyb_emu_work(const hyb_host_t *host,
                         const hyb_emu_command_t *command)
{
    xh_status_t status = compute(host, command);

    if (command->fault == HYB_EMU_FLIP)
        flip(command->to);
    return status;
}

/* ---- queueing ----------------------------------------------------------- */

/*
 * The engine's rate is that of products. Work that only moves doubles runs at
 * the rate of the memory; GPUs do 10 to 20 flop in the time of one byte.
 */
#define FLOP_PER_BYTE 16.0

static double flop_of_traffic(double doubles)
{
    return FLOP_PER_BYTE * (double)sizeof(double) * doubles;
}

static double elements(int64_t rows, int64_t cols)
{
    return (double)rows * (double)cols;
}

static xh_status_t add(hyb_emu_device_t *device, hyb_emu_queue_t *queue,
                       const hyb_emu_command_t *command)
{
    xh_status_t status;

    pthread_mutex_lock(&device->lock);
    status = hyb_emu_queue_add(queue, command);
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* Where a block is; its buffer may be gone when the work runs. */
static xh_view_t view_of(hyb_block_t b)
{
    const hyb_emu_buffer_t *buffer = b.buffer != NULL ? b.buffer->memory : NULL;

    return (xh_view_t){buffer != NULL ? buffer->data + b.offset : NULL, b.rows,
                       b.cols, b.ld};
}

static hyb_emu_rows_t rows_of(hyb_list_t list)
{
    const hyb_emu_buffer_t *buffer =
        list.buffer != NULL ? list.buffer->memory : NULL;
    const void *row = buffer != NULL ? buffer->data + list.offset : NULL;

    return (hyb_emu_rows_t){row, list.count};
}

xh_status_t hyb_emu_copy_in(void *state, void *queue, xh_view_t from_host,
                            hyb_block_t to)
{
    return add(state, queue,
               &(hyb_emu_command_t){.op = HYB_EMU_COPY_IN,
                                    .to = view_of(to),
                                    .from = from_host,
                                    .amount = sizeof(double) *
                                              elements(to.rows, to.cols)});
}

xh_status_t hyb_emu_copy_out(void *state, void *queue, hyb_block_t from,
                             xh_view_t to_host)
{
    return add(state, queue,
               &(hyb_emu_command_t){.op = HYB_EMU_COPY_OUT,
                                    .to = to_host,
                                    .from = view_of(from),
                                    .amount = sizeof(double) *
                                              elements(from.rows, from.cols)});
}

/* The host's products take operands whose sizes are int. */
static xh_status_t check_size(const hyb_emu_device_t *device, const char *name,
                              hyb_block_t b)
{
    if (b.rows <= INT_MAX && b.cols <= INT_MAX && b.ld <= INT_MAX)
        return XH_OK;
    hyb_emu_say(device, XH_LOG_ERROR,
                "%s is too large: %" PRId64 " x %" PRId64 ", ld %" PRId64, name,
                b.rows, b.cols, b.ld);
    return XH_ERR_ARG;
}

xh_status_t hyb_emu_gemm(void *state, void *queue, const hyb_gemm_t *product)
{
    const hyb_gemm_t *p = product;
    int64_t k = p->trans_a == XH_TRANS ? p->a.rows : p->a.cols;
    xh_status_t status = check_size(state, "A of a product", p->a);

    if (status == XH_OK)
        status = check_size(state, "B of a product", p->b);
    if (status == XH_OK)
        status = check_size(state, "C of a product", p->c);
    if (status != XH_OK)
        return status;
    return add(state, queue,
               &(hyb_emu_command_t){
                   .op = HYB_EMU_GEMM,
                   .to = view_of(p->c),
                   .product = {p->trans_a, p->trans_b, p->alpha, p->beta,
                               view_of(p->a), view_of(p->b), view_of(p->c)},
                   .amount = 2 * elements(p->c.rows, p->c.cols) * (double)k});
}

xh_status_t hyb_emu_copy(void *state, void *queue, hyb_block_t from,
                         hyb_block_t to)
{
    return add(state, queue,
               &(hyb_emu_command_t){
                   .op = HYB_EMU_COPY,
                   .to = view_of(to),
                   .from = view_of(from),
                   .amount = flop_of_traffic(2 * elements(to.rows, to.cols))});
}

/* Reads U's rows once and writes them twice; displaced rows once each. */
xh_status_t hyb_emu_swap_rows(void *state, void *queue,
                              const hyb_row_swap_t *swap)
{
    double rows = 3 * (double)swap->u.rows + 2 * (double)swap->from.count;

    return add(state, queue,
               &(hyb_emu_command_t){
                   .op = HYB_EMU_SWAP_ROWS,
                   .to = view_of(swap->u),
                   .swap = {view_of(swap->columns), rows_of(swap->source),
                            rows_of(swap->from), rows_of(swap->to)},
                   .amount = flop_of_traffic(rows * (double)swap->u.cols)});
}

static xh_status_t move_rows(void *state, void *queue, hyb_emu_op_t op,
                             hyb_list_t rows, hyb_block_t from, hyb_block_t to)
{
    double moved =
        elements(rows.count, op == HYB_EMU_GATHER_ROWS ? from.cols : to.cols);

    return add(state, queue,
               &(hyb_emu_command_t){.op = op,
                                    .to = view_of(to),
                                    .move = {view_of(from), rows_of(rows)},
                                    .amount = flop_of_traffic(2 * moved)});
}

xh_status_t hyb_emu_gather_rows(void *state, void *queue, hyb_block_t columns,
                                hyb_list_t rows, hyb_block_t packed)
{
    return move_rows(state, queue, HYB_EMU_GATHER_ROWS, rows, columns, packed);
}

xh_status_t hyb_emu_scatter_rows(void *state, void *queue, hyb_block_t packed,
                                 hyb_list_t rows, hyb_block_t columns)
{
    return move_rows(state, queue, HYB_EMU_SCATTER_ROWS, rows, packed, columns);
}

xh_status_t hyb_emu_trsm(void *state, void *queue, hyb_block_t l1,
                         hyb_block_t u)
{
    double size = elements(u.rows, u.cols);

    return add(state, queue,
               &(hyb_emu_command_t){.op = HYB_EMU_TRSM,
                                    .to = view_of(u),
                                    .from = view_of(l1),
                                    .amount = fmax((double)u.rows * size,
                                                   flop_of_traffic(2 * size))});
}

xh_status_t hyb_emu_gemv(void *state, void *queue, hyb_block_t a, hyb_block_t x,
                         hyb_block_t y)
{
    return add(state, queue,
               &(hyb_emu_command_t){
                   .op = HYB_EMU_GEMV,
                   .to = view_of(y),
                   .gemv = {view_of(a), view_of(x)},
                   .amount = flop_of_traffic(elements(a.rows, a.cols))});
}

xh_status_t hyb_emu_generate(void *state, void *queue,
                             const hyb_generate_t *part)
{
    const hyb_block_t block = part->block;

    return add(state, queue,
               &(hyb_emu_command_t){.op = HYB_EMU_GENERATE,
                                    .to = view_of(block),
                                    .part = *part,
                                    .amount = flop_of_traffic(
                                        elements(block.rows, block.cols))});
}
