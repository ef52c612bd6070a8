/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include "base/integers.h"
#include "hybrid/device/device_private.h"

struct hyb_queue {
    hyb_device_t *device;
    void *queue; /* the backend's */
};

struct hyb_event {
    hyb_device_t *device;
    void *event; /* the backend's */
    atomic_bool recorded;
};

/* ---- queues and events -------------------------------------------------- */

xh_status_t hyb_queue_create(hyb_device_t *device, hyb_priority_t priority,
                             hyb_queue_t **queue_p)
{
    hyb_queue_t *queue = hyb_device_allocate(sizeof(*queue));
    xh_affinity_t before;
    xh_status_t status;
    bool moved;

    if (queue == NULL)
        return XH_ERR_MEMORY;
    queue->device = device;
    moved = hyb_device_move_near(device, &before);
    status = HYB_CALL(device, queue_create, priority, &queue->queue);
    if (moved)
        xh_pin_restore(&before);
    if (status == XH_OK)
        *queue_p = queue;
    else
        free(queue);
    return status;
}

void hyb_queue_destroy(hyb_queue_t *queue)
{
    if (queue == NULL)
        return;
    queue->device->backend->queue_destroy(queue->device->state, queue->queue);
    free(queue);
}

xh_status_t hyb_event_create(hyb_device_t *device, hyb_event_t **event_p)
{
    hyb_event_t *event = hyb_device_allocate(sizeof(*event));
    xh_status_t status;

    if (event == NULL)
        return XH_ERR_MEMORY;
    event->device = device;
    status = HYB_CALL(device, event_create, &event->event);
    if (status == XH_OK)
        *event_p = event;
    else
        free(event);
    return status;
}

void hyb_event_destroy(hyb_event_t *event)
{
    if (event == NULL)
        return;
    event->device->backend->event_destroy(event->device->state, event->event);
    free(event);
}

xh_status_t hyb_event_record(hyb_queue_t *queue, hyb_event_t *event)
{
    XH_TRY(HYB_CALL(queue->device, event_record, queue->queue, event->event));
    atomic_store(&event->recorded, true);
    return XH_OK;
}

xh_status_t hyb_queue_wait(hyb_queue_t *queue, hyb_event_t *event)
{
    XH_TRY(hyb_device_enter(queue->device));
    return atomic_load(&event->recorded)
               ? HYB_CALL(queue->device, queue_wait, queue->queue, event->event)
               : XH_OK;
}

xh_status_t hyb_event_wait(hyb_event_t *event, double seconds, bool *done_p)
{
    if (atomic_load(&event->recorded))
        return HYB_CALL(event->device, event_wait, event->event, seconds,
                        done_p);
    XH_TRY(hyb_device_enter(event->device));
    *done_p = true;
    return XH_OK;
}

xh_status_t hyb_event_await(hyb_event_t *event, double seconds)
{
    bool done = false;

    XH_TRY(hyb_event_wait(event, seconds, &done));
    if (done)
        return XH_OK;
    hyb_device_fail(event->device, "it stalled: no result in time");
    return XH_ERR_DEVICE;
}

xh_status_t hyb_event_elapsed(hyb_event_t *begin, hyb_event_t *end,
                              double *seconds_p)
{
    xh_status_t status = XH_ERR_ARG;

    XH_TRY(hyb_device_enter(begin->device));
    if (atomic_load(&begin->recorded) && atomic_load(&end->recorded))
        status = HYB_CALL(begin->device, event_elapsed, begin->event,
                          end->event, seconds_p);
    if (status == XH_ERR_ARG)
        xh_log_error("%s device %d: the time between events that have not "
                     "passed",
                     begin->device->backend->name, begin->device->index);
    return status;
}

/* ---- checks of arguments ------------------------------------------------ */

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

static bool is_empty(hyb_device_view_t b)
{
    return b.rows == 0 || b.cols == 0;
}

/* Does the matrix `b`, of at least one element, end inside its buffer? */
static bool fits(hyb_device_view_t b)
{
    uint64_t left = b.buffer->bytes / sizeof(double);

    if (b.offset < 0 || (uint64_t)b.offset > left)
        return false;
    left -= (uint64_t)b.offset;
    return (uint64_t)b.rows <= left &&
           (uint64_t)(b.cols - 1) <= (left - (uint64_t)b.rows) / (uint64_t)b.ld;
}

static xh_status_t check_block(const hyb_device_t *device, const char *name,
                               hyb_device_view_t b)
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

/* Check that `b` is in a buffer of `device`, and rows x cols. */
static xh_status_t check_operand(const hyb_device_t *device, const char *name,
                                 hyb_device_view_t b, int64_t rows,
                                 int64_t cols)
{
    XH_TRY(check_block(device, name, b));
    if (b.rows == rows && b.cols == cols)
        return XH_OK;
    xh_log_error("%s is %" PRId64 " x %" PRId64 ", not %" PRId64 " x %" PRId64,
                 name, b.rows, b.cols, rows, cols);
    return XH_ERR_ARG;
}

/* ---- work --------------------------------------------------------------- */

/* Queue `task`, whose operands have been checked; nothing if `extent` has no
 * elements. */
static xh_status_t add(const hyb_queue_t *queue, hyb_device_view_t extent,
                       const hyb_task_t *task)
{
    hyb_device_t *device = queue->device;

    if (!hyb_device_has(device, task->op)) {
        xh_log_error("%s devices have no %s", device->backend->name,
                     hyb_op_name(task->op));
        return XH_ERR_ARG;
    }
    XH_TRY(hyb_device_enter(device));
    if (is_empty(extent))
        return XH_OK;
    XH_TRY(HYB_CALL(device, work, queue->queue, task));
    atomic_fetch_add(&device->operations, 1);
    return XH_OK;
}

/* Queue a copy in parts, as a vendor's copy must not cross from one pinned
 * segment into the next. */
static xh_status_t add_parts(const hyb_queue_t *queue, hyb_op_t op,
                             xh_view_t host, hyb_device_view_t block)
{
    int64_t rows = host.rows, cols;

    for (int64_t j = 0; j < host.cols; j += cols) {
        hyb_task_t task = {
            .op = op,
            .link = {xh_view_part(host, 0, j, rows, host.cols - j), block}};

        cols = hyb_pinned_together(queue->device->pinned, task.link.host);
        task.link.host.cols = cols;
        task.link.block = hyb_device_view_part(block, 0, j, rows, cols);
        XH_TRY(add(queue, task.link.block, &task));
    }
    return XH_OK;
}

static xh_status_t cross(const hyb_queue_t *queue, hyb_op_t op, xh_view_t host,
                         hyb_device_view_t block, _Atomic uint64_t *moved)
{
    XH_TRY(check_view("the host's side of a copy", host));
    XH_TRY(check_operand(queue->device, "the device's side of a copy", block,
                         host.rows, host.cols));
    XH_TRY(add_parts(queue, op, host, block));
    atomic_fetch_add(moved, (uint64_t)block.rows * (uint64_t)block.cols *
                                sizeof(double));
    return XH_OK;
}

xh_status_t hyb_queue_copy_in(hyb_queue_t *queue, xh_view_t from_host,
                              hyb_device_view_t to)
{
    return cross(queue, HYB_OP_COPY_IN, from_host, to,
                 &queue->device->bytes_in);
}

xh_status_t hyb_queue_copy_out(hyb_queue_t *queue, hyb_device_view_t from,
                               xh_view_t to_host)
{
    return cross(queue, HYB_OP_COPY_OUT, to_host, from,
                 &queue->device->bytes_out);
}

/* A copy moves bytes, so it moves row numbers as well as doubles. */
xh_status_t hyb_queue_upload(hyb_queue_t *queue, const int64_t *rows,
                             hyb_device_view_t to)
{
    xh_view_t list = {(double *)(uintptr_t)rows, to.rows, 1, to.ld};

    return hyb_queue_copy_in(queue, list, to);
}

/* Check the shape of `b`, so that op(b) is rows x cols. */
static xh_status_t check_factor(const hyb_device_t *device, const char *name,
                                hyb_device_view_t b, xh_trans_t trans,
                                int64_t rows, int64_t cols)
{
    return trans == XH_TRANS ? check_operand(device, name, b, cols, rows)
                             : check_operand(device, name, b, rows, cols);
}

xh_status_t hyb_queue_gemm(hyb_queue_t *queue, const hyb_gemm_t *p)
{
    const hyb_device_t *device = queue->device;
    int64_t m = p->c.rows, n = p->c.cols, k = hyb_gemm_depth(p);

    XH_TRY(check_block(device, "C of a product", p->c));
    XH_TRY(check_factor(device, "A of a product", p->a, p->trans_a, m, k));
    XH_TRY(check_factor(device, "B of a product", p->b, p->trans_b, k, n));
    return add(queue, p->c, &(hyb_task_t){.op = HYB_OP_GEMM, .gemm = *p});
}

/* Compute C recursively: both halves of its diagonal, in whole tiles, and then
 * the part below the first half. */
xh_status_t hyb_queue_syrk(hyb_queue_t *queue, double alpha,
                           hyb_device_view_t a, double beta,
                           hyb_device_view_t c)
{
    int64_t n = c.cols, k = a.cols;
    int64_t half = xh_units(n, 2 * HYB_SYRK_TILE) * HYB_SYRK_TILE;
    hyb_gemm_t below = {XH_NO_TRANS, XH_TRANS, alpha, beta, a, a, c};

    XH_TRY(check_operand(queue->device, "C of A A^T", c, n, n));
    XH_TRY(check_operand(queue->device, "A of A A^T", a, n, k));
    if (n <= HYB_SYRK_TILE)
        return hyb_queue_gemm(queue, &below);
    below.a = hyb_device_view_part(a, half, 0, n - half, k);
    below.b = hyb_device_view_first(a, half, k);
    below.c = hyb_device_view_part(c, half, 0, n - half, half);
    XH_TRY(hyb_queue_syrk(queue, alpha, below.b, beta,
                          hyb_device_view_first(c, half, half)));
    XH_TRY(hyb_queue_syrk(
        queue, alpha, below.a, beta,
        hyb_device_view_part(c, half, half, n - half, n - half)));
    return hyb_queue_gemm(queue, &below);
}

xh_status_t hyb_queue_copy(hyb_queue_t *queue, hyb_device_view_t from,
                           hyb_device_view_t to)
{
    const hyb_backend_t *backend = queue->device->backend;
    const hyb_device_t *owner =
        from.buffer != NULL ? from.buffer->device : queue->device;

    if (owner->backend != backend || backend->reach == NULL)
        owner = queue->device;
    XH_TRY(check_block(owner, "the source of a copy", from));
    XH_TRY(check_operand(queue->device, "the target of a copy", to, from.rows,
                         from.cols));
    return add(queue, to, &(hyb_task_t){.op = HYB_OP_COPY, .copy = {from, to}});
}

xh_status_t hyb_queue_swap_rows(hyb_queue_t *queue, const hyb_row_swap_t *swap)
{
    const hyb_device_t *device = queue->device;
    int64_t nb = swap->u.rows, displaced = swap->from.rows;

    XH_TRY(check_block(device, "the columns of a row swap", swap->columns));
    XH_TRY(check_operand(device, "U of a row swap", swap->u, nb,
                         swap->columns.cols));
    XH_TRY(
        check_operand(device, "the source of a row swap", swap->source, nb, 1));
    XH_TRY(check_operand(device, "the list of displaced rows", swap->from,
                         displaced, 1));
    XH_TRY(check_operand(device, "the list of their new rows", swap->to,
                         displaced, 1));
    if (nb > swap->columns.rows || displaced > nb) {
        xh_log_error("%" PRId64 " rows of U, %" PRId64
                     " displaced, in columns of %" PRId64 " rows",
                     nb, displaced, swap->columns.rows);
        return XH_ERR_ARG;
    }
    return add(queue, swap->u,
               &(hyb_task_t){.op = HYB_OP_SWAP_ROWS, .swap_rows = *swap});
}

static xh_status_t pack(const hyb_queue_t *queue, hyb_op_t op,
                        hyb_device_view_t columns, hyb_device_view_t rows,
                        hyb_device_view_t packed)
{
    XH_TRY(
        check_block(queue->device, "columns whose rows are packed", columns));
    XH_TRY(check_operand(queue->device, "the list of packed rows", rows,
                         rows.rows, 1));
    XH_TRY(check_operand(queue->device, "the packed rows", packed, columns.cols,
                         rows.rows));
    return add(queue, packed,
               &(hyb_task_t){.op = op, .pack = {columns, packed, rows}});
}

xh_status_t hyb_queue_gather_rows(hyb_queue_t *queue, hyb_device_view_t columns,
                                  hyb_device_view_t rows,
                                  hyb_device_view_t packed)
{
    return pack(queue, HYB_OP_GATHER_ROWS, columns, rows, packed);
}

xh_status_t hyb_queue_scatter_rows(hyb_queue_t *queue, hyb_device_view_t packed,
                                   hyb_device_view_t rows,
                                   hyb_device_view_t columns)
{
    return pack(queue, HYB_OP_SCATTER_ROWS, columns, rows, packed);
}

xh_status_t hyb_queue_trsm(hyb_queue_t *queue, hyb_device_view_t l1,
                           hyb_device_view_t u)
{
    XH_TRY(check_block(queue->device, "U of a solve", u));
    XH_TRY(check_operand(queue->device, "L1 of a solve", l1, u.rows, u.rows));
    return add(queue, u, &(hyb_task_t){.op = HYB_OP_TRSM, .trsm = {l1, u}});
}

xh_status_t hyb_queue_gemv(hyb_queue_t *queue, hyb_device_view_t a,
                           hyb_device_view_t x, hyb_device_view_t y)
{
    XH_TRY(check_block(queue->device, "A of A x", a));
    XH_TRY(check_operand(queue->device, "x of A x", x, a.cols, 1));
    XH_TRY(check_operand(queue->device, "y of y - A x", y, a.rows, 1));
    return add(queue, a, &(hyb_task_t){.op = HYB_OP_GEMV, .gemv = {a, x, y}});
}

static bool is_dealt(hyb_dealt_t d)
{
    return d.first >= 0 && d.nb >= 1 && d.process >= 0 &&
           d.process < d.processes;
}

xh_status_t hyb_queue_generate(hyb_queue_t *queue, const hyb_generate_t *part)
{
    XH_TRY(check_block(queue->device, "what is generated", part->block));
    if (part->order < 0 || !is_dealt(part->rows) || !is_dealt(part->cols)) {
        xh_log_error("internal error: the device cannot generate a matrix of "
                     "order %" PRId64 " with this distribution",
                     part->order);
        return XH_ERR_ARG;
    }
    return add(queue, part->block,
               &(hyb_task_t){.op = HYB_OP_GENERATE, .generate = *part});
}

xh_status_t hyb_queue_checksum(hyb_queue_t *queue, hyb_device_view_t of,
                               hyb_device_view_t sums)
{
    XH_TRY(check_block(queue->device, "what is summed up", of));
    XH_TRY(check_operand(queue->device, "its sums", sums, 2, of.cols));
    return add(queue, sums,
               &(hyb_task_t){.op = HYB_OP_CHECKSUM, .checksum = {of, sums}});
}

static xh_status_t check_columns(hyb_device_view_t panel, int64_t first,
                                 int64_t count, int64_t most)
{
    if (first >= 0 && count >= 0 && count <= xh_smaller(most, HYB_PANEL_STEP))
        return XH_OK;
    xh_log_error("a step of columns %" PRId64 " to %" PRId64
                 " in a panel of %" PRId64 " x %" PRId64,
                 first, first + count - 1, panel.rows, panel.cols);
    return XH_ERR_ARG;
}

xh_status_t hyb_queue_panel_step(hyb_queue_t *queue,
                                 const hyb_panel_step_t *step)
{
    const hyb_device_view_t panel = step->panel;
    int64_t most = xh_smaller(panel.rows, panel.cols) - step->first;

    XH_TRY(check_block(queue->device, "a panel", panel));
    XH_TRY(check_operand(queue->device, "the list of its pivots", step->pivots,
                         panel.cols, 1));
    XH_TRY(check_columns(panel, step->first, step->count, most));
    return add(
        queue,
        hyb_device_view_part(step->pivots, step->first, 0, step->count, 1),
        &(hyb_task_t){.op = HYB_OP_PANEL_STEP, .panel_step = *step});
}

xh_status_t hyb_queue_panel_column(hyb_queue_t *queue,
                                   const hyb_panel_column_t *p)
{
    const hyb_device_view_t panel = p->panel;
    bool apart = p->top.rows > 0;
    int64_t nb = panel.cols, rows = apart ? nb : panel.rows;

    XH_TRY(check_block(queue->device, "a panel", panel));
    if (apart)
        XH_TRY(
            check_operand(queue->device, "the top of a panel", p->top, nb, nb));
    XH_TRY(check_operand(queue->device, "the pivot of a column", p->pivot,
                         hyb_pivot_elements(nb), 1));
    XH_TRY(check_columns(panel, p->first, p->end - p->first,
                         xh_smaller(rows, nb) - p->first));
    if (p->column < p->first - 1 || p->column >= p->end) {
        xh_log_error("column %" PRId64 " in a step from %" PRId64
                     " to %" PRId64,
                     p->column, p->first, p->end - 1);
        return XH_ERR_ARG;
    }
    return add(queue, p->pivot,
               &(hyb_task_t){.op = HYB_OP_PANEL_COLUMN, .panel_column = *p});
}

hyb_traffic_t hyb_device_traffic(const hyb_device_t *device)
{
    return (hyb_traffic_t){.in = atomic_load(&device->bytes_in),
                           .out = atomic_load(&device->bytes_out),
                           .operations = atomic_load(&device->operations)};
}
