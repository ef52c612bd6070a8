/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include "hybrid/device/device_private.h"

/* ---- checks of arguments ------------------------------------------------ */

/* Stop at the first call of a sequence that does not succeed. */
#define TRY(call)                                                              \
    do {                                                                       \
        xh_status_t status_ = (call);                                          \
        if (status_ != XH_OK)                                                  \
            return status_;                                                    \
    } while (0)

static bool is_matrix(int64_t rows, int64_t cols, int64_t ld)
{
    return rows >= 0 && cols >= 0 && ld >= 1 && ld >= rows;
}

static xh_status_t check_view(const char *name, xh_view_t v)
{
    if (is_matrix(v.rows, v.cols, v.ld) &&
        (v.data != NULL || v.rows == 0 || v.cols == 0))
        return XH_OK;
    xh_log_error("%s is no matrix: %" PRId64 " x %" PRId64 ", ld %" PRId64
                 ", at %p",
                 name, v.rows, v.cols, v.ld, (void *)v.data);
    return XH_ERR_ARG;
}

static bool is_empty(hyb_block_t b)
{
    return b.rows == 0 || b.cols == 0;
}

/* Does a matrix of at least one element end inside the buffer? */
static bool fits(hyb_block_t b)
{
    uint64_t left = b.buffer->bytes / sizeof(double);

    if (b.offset < 0 || (uint64_t)b.offset > left)
        return false;
    left -= (uint64_t)b.offset;
    return (uint64_t)b.rows <= left &&
           (uint64_t)(b.cols - 1) <= (left - (uint64_t)b.rows) / (uint64_t)b.ld;
}

static xh_status_t check_block(const hyb_device_t *device, const char *name,
                               hyb_block_t b)
{
    bool matrix = is_matrix(b.rows, b.cols, b.ld);

    if (matrix && (is_empty(b) ||
                   (b.buffer != NULL && b.buffer->device == device && fits(b))))
        return XH_OK;
    xh_log_error("%s, %" PRId64 " x %" PRId64 ", ld %" PRId64 ", at %" PRId64
                 ", is no matrix in %s",
                 name, b.rows, b.cols, b.ld, b.offset,
                 b.buffer == NULL             ? "any buffer"
                 : b.buffer->device != device ? "a buffer of this device"
                                              : "its buffer");
    return XH_ERR_ARG;
}

/* The numbers of a list as a matrix of one column. */
static hyb_block_t block_of(hyb_list_t list)
{
    return hyb_block(list.buffer, list.offset, list.count, 1);
}

static xh_status_t check_shape(const char *name, hyb_block_t b, int64_t rows,
                               int64_t cols)
{
    if (b.rows == rows && b.cols == cols)
        return XH_OK;
    xh_log_error("%s is %" PRId64 " x %" PRId64 ", not %" PRId64 " x %" PRId64,
                 name, b.rows, b.cols, rows, cols);
    return XH_ERR_ARG;
}

/* Is b in a buffer of device, and rows x cols? */
static xh_status_t check_operand(const hyb_device_t *device, const char *name,
                                 hyb_block_t b, int64_t rows, int64_t cols)
{
    TRY(check_block(device, name, b));
    return check_shape(name, b, rows, cols);
}

/* ---- work --------------------------------------------------------------- */

static const char *const op_names[HYB_OPS] = {
    [HYB_OP_GEMM] = "gemm",
    [HYB_OP_COPY] = "copy",
    [HYB_OP_SWAP_ROWS] = "swap_rows",
    [HYB_OP_GATHER_ROWS] = "gather_rows",
    [HYB_OP_SCATTER_ROWS] = "scatter_rows",
    [HYB_OP_TRSM] = "trsm",
    [HYB_OP_GEMV] = "gemv",
    [HYB_OP_GENERATE] = "generate",
};

bool hyb_device_has(const hyb_device_t *device, hyb_op_t op)
{
    const hyb_backend_t *b = device->backend;
    const bool has[HYB_OPS] = {
        [HYB_OP_GEMM] = b->gemm != NULL,
        [HYB_OP_COPY] = b->copy != NULL,
        [HYB_OP_SWAP_ROWS] = b->swap_rows != NULL,
        [HYB_OP_GATHER_ROWS] = b->gather_rows != NULL,
        [HYB_OP_SCATTER_ROWS] = b->scatter_rows != NULL,
        [HYB_OP_TRSM] = b->trsm != NULL,
        [HYB_OP_GEMV] = b->gemv != NULL,
        [HYB_OP_GENERATE] = b->generate != NULL,
    };

    return has[op];
}

static xh_status_t check_has(const hyb_device_t *device, hyb_op_t op)
{
    if (hyb_device_has(device, op))
        return XH_OK;
    xh_log_error("%s devices have no %s", device->backend->name, op_names[op]);
    return XH_ERR_ARG;
}

/* The status of work on no elements. */
static xh_status_t do_nothing(const hyb_device_t *device)
{
    return hyb_device_failed(device) ? XH_ERR_DEVICE : XH_OK;
}

static uint64_t bytes_of(hyb_block_t b)
{
    return (uint64_t)b.rows * (uint64_t)b.cols * sizeof(double);
}

xh_status_t hyb_queue_copy_in(hyb_queue_t *queue, xh_view_t from_host,
                              hyb_block_t to)
{
    hyb_device_t *device = queue->device;

    TRY(check_view("the source of a copy", from_host));
    TRY(check_operand(device, "the destination of a copy", to, from_host.rows,
                      from_host.cols));
    if (is_empty(to))
        return do_nothing(device);
    TRY(HYB_CALL(device, copy_in, queue->queue, from_host, to));
    atomic_fetch_add(&device->bytes_in, bytes_of(to));
    return XH_OK;
}

xh_status_t hyb_queue_copy_out(hyb_queue_t *queue, hyb_block_t from,
                               xh_view_t to_host)
{
    hyb_device_t *device = queue->device;

    TRY(check_view("the destination of a copy", to_host));
    TRY(check_operand(device, "the source of a copy", from, to_host.rows,
                      to_host.cols));
    if (is_empty(from))
        return do_nothing(device);
    TRY(HYB_CALL(device, copy_out, queue->queue, from, to_host));
    atomic_fetch_add(&device->bytes_out, bytes_of(from));
    return XH_OK;
}

/* A copy moves bytes, so it moves row numbers as well as doubles. */
xh_status_t hyb_queue_upload(hyb_queue_t *queue, const int64_t *rows,
                             hyb_list_t to)
{
    hyb_block_t block = block_of(to);
    xh_view_t list = {(double *)(uintptr_t)rows, block.rows, 1, block.ld};

    return hyb_queue_copy_in(queue, list, block);
}

static xh_status_t check_product(const hyb_device_t *device,
                                 const hyb_gemm_t *p)
{
    int64_t m = p->c.rows, n = p->c.cols;
    int64_t k = p->trans_a == XH_TRANS ? p->a.rows : p->a.cols;

    TRY(check_block(device, "C of a product", p->c));
    TRY(p->trans_a == XH_TRANS
            ? check_operand(device, "A of a product", p->a, k, m)
            : check_operand(device, "A of a product", p->a, m, k));
    return p->trans_b == XH_TRANS
               ? check_operand(device, "B of a product", p->b, n, k)
               : check_operand(device, "B of a product", p->b, k, n);
}

xh_status_t hyb_queue_gemm(hyb_queue_t *queue, const hyb_gemm_t *product)
{
    hyb_device_t *device = queue->device;

    TRY(check_has(device, HYB_OP_GEMM));
    TRY(check_product(device, product));
    if (is_empty(product->c))
        return do_nothing(device);
    return HYB_CALL(device, gemm, queue->queue, product);
}

xh_status_t hyb_queue_copy(hyb_queue_t *queue, hyb_block_t from, hyb_block_t to)
{
    hyb_device_t *device = queue->device;

    TRY(check_has(device, HYB_OP_COPY));
    TRY(check_block(device, "the source of a copy", from));
    TRY(check_operand(device, "the destination of a copy", to, from.rows,
                      from.cols));
    if (is_empty(from))
        return do_nothing(device);
    return HYB_CALL(device, copy, queue->queue, from, to);
}

xh_status_t hyb_queue_swap_rows(hyb_queue_t *queue, const hyb_row_swap_t *swap)
{
    hyb_device_t *device = queue->device;
    int64_t nb = swap->u.rows;

    TRY(check_has(device, HYB_OP_SWAP_ROWS));
    TRY(check_block(device, "the columns of a row swap", swap->columns));
    TRY(check_operand(device, "U of a row swap", swap->u, nb,
                      swap->columns.cols));
    TRY(check_operand(device, "the source of a row swap",
                      block_of(swap->source), nb, 1));
    TRY(check_block(device, "the list of displaced rows",
                    block_of(swap->from)));
    TRY(check_operand(device, "the list of their new rows", block_of(swap->to),
                      swap->from.count, 1));
    if (nb > swap->columns.rows || swap->from.count > nb) {
        xh_log_error("%" PRId64 " rows of U, %" PRId64
                     " displaced, in columns of %" PRId64 " rows",
                     nb, swap->from.count, swap->columns.rows);
        return XH_ERR_ARG;
    }
    if (is_empty(swap->u))
        return do_nothing(device);
    return HYB_CALL(device, swap_rows, queue->queue, swap);
}

static xh_status_t check_packed(const hyb_device_t *device, hyb_op_t op,
                                hyb_block_t columns, hyb_list_t rows,
                                hyb_block_t packed)
{
    TRY(check_has(device, op));
    TRY(check_block(device, "the columns that rows are of", columns));
    TRY(check_block(device, "a list of rows", block_of(rows)));
    return check_operand(device, "the block of packed rows", packed,
                         columns.cols, rows.count);
}

xh_status_t hyb_queue_gather_rows(hyb_queue_t *queue, hyb_block_t columns,
                                  hyb_list_t rows, hyb_block_t packed)
{
    hyb_device_t *device = queue->device;

    TRY(check_packed(device, HYB_OP_GATHER_ROWS, columns, rows, packed));
    if (is_empty(packed))
        return do_nothing(device);
    return HYB_CALL(device, gather_rows, queue->queue, columns, rows, packed);
}

xh_status_t hyb_queue_scatter_rows(hyb_queue_t *queue, hyb_block_t packed,
                                   hyb_list_t rows, hyb_block_t columns)
{
    hyb_device_t *device = queue->device;

    TRY(check_packed(device, HYB_OP_SCATTER_ROWS, columns, rows, packed));
    if (is_empty(packed))
        return do_nothing(device);
    return HYB_CALL(device, scatter_rows, queue->queue, packed, rows, columns);
}

xh_status_t hyb_queue_trsm(hyb_queue_t *queue, hyb_block_t l1, hyb_block_t u)
{
    hyb_device_t *device = queue->device;

    TRY(check_has(device, HYB_OP_TRSM));
    TRY(check_block(device, "U of a solve", u));
    TRY(check_operand(device, "L1 of a solve", l1, u.rows, u.rows));
    if (is_empty(u))
        return do_nothing(device);
    return HYB_CALL(device, trsm, queue->queue, l1, u);
}

xh_status_t hyb_queue_gemv(hyb_queue_t *queue, hyb_block_t a, hyb_block_t x,
                           hyb_block_t y)
{
    hyb_device_t *device = queue->device;

    TRY(check_has(device, HYB_OP_GEMV));
    TRY(check_block(device, "A of A x", a));
    TRY(check_operand(device, "x of A x", x, a.cols, 1));
    TRY(check_operand(device, "y of y - A x", y, a.rows, 1));
    if (is_empty(a))
        return do_nothing(device);
    return HYB_CALL(device, gemv, queue->queue, a, x, y);
}

static bool is_dealt(hyb_dealt_t d)
{
    return d.first >= 0 && d.nb >= 1 && d.process >= 0 &&
           d.process < d.processes;
}

xh_status_t hyb_queue_generate(hyb_queue_t *queue, const hyb_generate_t *part)
{
    hyb_device_t *device = queue->device;

    TRY(check_has(device, HYB_OP_GENERATE));
    TRY(check_block(device, "what is generated", part->block));
    if (part->order < 0 || !is_dealt(part->rows) || !is_dealt(part->cols)) {
        xh_log_error("a matrix of order %" PRId64
                     " that is dealt out so cannot be generated",
                     part->order);
        return XH_ERR_ARG;
    }
    if (is_empty(part->block))
        return do_nothing(device);
    return HYB_CALL(device, generate, queue->queue, part);
}

void hyb_device_traffic(const hyb_device_t *device, uint64_t *in_p,
                        uint64_t *out_p)
{
    *in_p = atomic_load(&device->bytes_in);
    *out_p = atomic_load(&device->bytes_out);
}
