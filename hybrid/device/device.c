/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/device.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/memory.h"

struct hyb_device {
    const hyb_backend_t *backend;
    int index;
    void *state; /* the backend's */
    atomic_bool failed;
    _Atomic uint64_t bytes_in, bytes_out;
    pthread_mutex_t lock; /* of buffers */
    hyb_buffer_t *buffers;
};

struct hyb_queue {
    hyb_device_t *device;
    void *queue; /* the backend's */
};

struct hyb_event {
    hyb_device_t *device;
    void *event; /* the backend's */
};

bool hyb_device_failed(const hyb_device_t *device)
{
    return atomic_load(&device->failed);
}

/* Keep a failure of the backend, which has said what happened. */
static xh_status_t keep(hyb_device_t *device, xh_status_t status)
{
    if (status == XH_ERR_DEVICE)
        atomic_store(&device->failed, true);
    return status;
}

/* A function of the backend's table, unless the device has failed. */
#define CALL(device, function, ...)                                            \
    (hyb_device_failed(device)                                                 \
         ? XH_ERR_DEVICE                                                       \
         : keep(device,                                                        \
                (device)->backend->function((device)->state, __VA_ARGS__)))

static xh_status_t out_of_memory(size_t bytes)
{
    xh_log_error("cannot allocate %zu bytes", bytes);
    return XH_ERR_MEMORY;
}

/* ---- opening ------------------------------------------------------------ */

static xh_status_t check_choice(hyb_device_choice_t choice)
{
    const char *reason = NULL;
    int count = choice.backend->count(&reason);

    if (choice.index >= 0 && choice.index < count)
        return XH_OK;
    xh_log_error("%s has no device %d: it has %d%s%s", choice.backend->name,
                 choice.index, count, reason != NULL ? ", " : "",
                 reason != NULL ? reason : "");
    return XH_ERR_DEVICE;
}

xh_status_t hyb_device_open(hyb_device_choice_t choice, const int *cpus,
                            int cpu_count, hyb_device_t **device_p)
{
    xh_status_t status = check_choice(choice);
    hyb_device_t *device;

    if (status != XH_OK)
        return status;
    device = calloc(1, sizeof(*device));
    if (device == NULL)
        return out_of_memory(sizeof(*device));
    device->backend = choice.backend;
    device->index = choice.index;
    status =
        choice.backend->open(choice.index, cpus, cpu_count, &device->state);
    if (status != XH_OK) {
        free(device);
        return status;
    }
    pthread_mutex_init(&device->lock, NULL);
    *device_p = device;
    return XH_OK;
}

static void add_buffer(hyb_buffer_t *buffer)
{
    hyb_device_t *device = buffer->device;

    pthread_mutex_lock(&device->lock);
    buffer->next = device->buffers;
    buffer->link = &device->buffers;
    if (buffer->next != NULL)
        buffer->next->link = &buffer->next;
    device->buffers = buffer;
    pthread_mutex_unlock(&device->lock);
}

static void release_buffer(hyb_buffer_t *buffer)
{
    hyb_device_t *device = buffer->device;

    pthread_mutex_lock(&device->lock);
    *buffer->link = buffer->next;
    if (buffer->next != NULL)
        buffer->next->link = buffer->link;
    pthread_mutex_unlock(&device->lock);
    free(buffer);
}

void hyb_device_close(hyb_device_t *device)
{
    if (device == NULL)
        return;
    device->backend->close(device->state, hyb_device_failed(device));
    while (device->buffers != NULL)
        release_buffer(device->buffers);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

xh_status_t hyb_device_describe(hyb_device_t *device, hyb_device_info_t *info_p)
{
    hyb_device_info_t info;
    xh_status_t status;

    if (hyb_device_failed(device))
        return XH_ERR_DEVICE;
    status = keep(device, device->backend->describe(device->index, &info));
    if (status == XH_OK)
        status = CALL(device, memory_left, &info.memory_free);
    if (status == XH_OK)
        *info_p = info;
    return status;
}

xh_status_t hyb_device_sensors(hyb_device_t *device,
                               hyb_device_sensors_t *sensors_p)
{
    if (device->backend->sensors != NULL)
        return CALL(device, sensors, sensors_p);
    if (hyb_device_failed(device))
        return XH_ERR_DEVICE;
    *sensors_p = (hyb_device_sensors_t){NAN, NAN, NAN, NAN};
    return XH_OK;
}

void hyb_device_fail(hyb_device_t *device, const char *why)
{
    if (atomic_exchange(&device->failed, true))
        return;
    xh_log_warning("%s device %d is given up: %s", device->backend->name,
                   device->index, why);
    if (device->backend->give_up != NULL)
        device->backend->give_up(device->state);
}

/* ---- memory ------------------------------------------------------------- */

xh_status_t hyb_buffer_create(hyb_device_t *device, size_t bytes,
                              hyb_buffer_t **buffer_p)
{
    hyb_buffer_t *buffer;
    xh_status_t status;

    if (bytes == 0) {
        xh_log_error("a buffer of no bytes was asked for");
        return XH_ERR_ARG;
    }
    buffer = malloc(sizeof(*buffer));
    if (buffer == NULL)
        return out_of_memory(sizeof(*buffer));
    buffer->device = device;
    buffer->bytes = bytes;
    status = CALL(device, buffer_create, bytes, &buffer->memory);
    if (status != XH_OK) {
        free(buffer);
        return status;
    }
    add_buffer(buffer);
    *buffer_p = buffer;
    return XH_OK;
}

/* On a failed device freeing memory may wait for ever: close does it. */
void hyb_buffer_destroy(hyb_buffer_t *buffer)
{
    if (buffer == NULL)
        return;
    if (!hyb_device_failed(buffer->device))
        buffer->device->backend->buffer_destroy(buffer->device->state,
                                                buffer->memory);
    release_buffer(buffer);
}

xh_status_t hyb_device_pin(hyb_device_t *device, double *memory, size_t bytes)
{
    if (hyb_device_failed(device))
        return XH_ERR_DEVICE;
    return device->backend->pin != NULL ? CALL(device, pin, memory, bytes)
                                        : XH_OK;
}

void hyb_device_unpin(hyb_device_t *device, double *memory)
{
    if (!hyb_device_failed(device) && device->backend->unpin != NULL)
        device->backend->unpin(device->state, memory);
}

xh_status_t hyb_pinned_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p)
{
    void *memory;
    xh_status_t status;

    if (hyb_device_failed(device))
        return XH_ERR_DEVICE;
    status = xh_memory_allocate(bytes, &memory);
    if (status != XH_OK)
        return status;
    status = hyb_device_pin(device, memory, bytes);
    if (status != XH_OK && status != XH_ERR_MEMORY) {
        xh_memory_free(memory, bytes);
        return status;
    }
    *memory_p = memory; /* pinned or not, which the backend has said */
    return XH_OK;
}

void hyb_pinned_free(hyb_device_t *device, double *memory, size_t bytes)
{
    if (memory == NULL || hyb_device_failed(device))
        return;
    hyb_device_unpin(device, memory);
    xh_memory_free(memory, bytes);
}

/* ---- queues and events -------------------------------------------------- */

xh_status_t hyb_queue_create(hyb_device_t *device, hyb_priority_t priority,
                             hyb_queue_t **queue_p)
{
    hyb_queue_t *queue = malloc(sizeof(*queue));
    xh_status_t status;

    if (queue == NULL)
        return out_of_memory(sizeof(*queue));
    queue->device = device;
    status = CALL(device, queue_create, priority, &queue->queue);
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
    hyb_event_t *event = malloc(sizeof(*event));
    xh_status_t status;

    if (event == NULL)
        return out_of_memory(sizeof(*event));
    event->device = device;
    status = CALL(device, event_create, &event->event);
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

static xh_status_t check_same(const hyb_device_t *a, const hyb_device_t *b)
{
    if (a == b)
        return XH_OK;
    xh_log_error("a queue or event of %s device %d is used with %s device %d",
                 b->backend->name, b->index, a->backend->name, a->index);
    return XH_ERR_ARG;
}

xh_status_t hyb_event_record(hyb_queue_t *queue, hyb_event_t *event)
{
    xh_status_t status = check_same(queue->device, event->device);

    return status != XH_OK
               ? status
               : CALL(queue->device, event_record, queue->queue, event->event);
}

xh_status_t hyb_queue_wait(hyb_queue_t *queue, hyb_event_t *event)
{
    xh_status_t status = check_same(queue->device, event->device);

    return status != XH_OK
               ? status
               : CALL(queue->device, queue_wait, queue->queue, event->event);
}

xh_status_t hyb_event_wait(hyb_event_t *event, double seconds, bool *done_p)
{
    if (!(seconds >= 0)) {
        xh_log_error("an event cannot be waited for %g seconds", seconds);
        return XH_ERR_ARG;
    }
    return CALL(event->device, event_wait, event->event, seconds, done_p);
}

xh_status_t hyb_event_elapsed(hyb_event_t *begin, hyb_event_t *end,
                              double *seconds_p)
{
    xh_status_t status = check_same(begin->device, end->device);

    return status != XH_OK ? status
                           : CALL(begin->device, event_elapsed, begin->event,
                                  end->event, seconds_p);
}

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

/* Both checks. */
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

/* What work on no elements comes to. */
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
    TRY(CALL(device, copy_in, queue->queue, from_host, to));
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
    TRY(CALL(device, copy_out, queue->queue, from, to_host));
    atomic_fetch_add(&device->bytes_out, bytes_of(from));
    return XH_OK;
}

/* A copy moves bytes: what they mean is all the same to it. */
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
    return CALL(device, gemm, queue->queue, product);
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
    return CALL(device, copy, queue->queue, from, to);
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
    return CALL(device, swap_rows, queue->queue, swap);
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
    return CALL(device, gather_rows, queue->queue, columns, rows, packed);
}

xh_status_t hyb_queue_scatter_rows(hyb_queue_t *queue, hyb_block_t packed,
                                   hyb_list_t rows, hyb_block_t columns)
{
    hyb_device_t *device = queue->device;

    TRY(check_packed(device, HYB_OP_SCATTER_ROWS, columns, rows, packed));
    if (is_empty(packed))
        return do_nothing(device);
    return CALL(device, scatter_rows, queue->queue, packed, rows, columns);
}

xh_status_t hyb_queue_trsm(hyb_queue_t *queue, hyb_block_t l1, hyb_block_t u)
{
    hyb_device_t *device = queue->device;

    TRY(check_has(device, HYB_OP_TRSM));
    TRY(check_block(device, "U of a solve", u));
    TRY(check_operand(device, "L1 of a solve", l1, u.rows, u.rows));
    if (is_empty(u))
        return do_nothing(device);
    return CALL(device, trsm, queue->queue, l1, u);
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
    return CALL(device, gemv, queue->queue, a, x, y);
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
    return CALL(device, generate, queue->queue, part);
}

void hyb_device_traffic(const hyb_device_t *device, uint64_t *in_p,
                        uint64_t *out_p)
{
    *in_p = atomic_load(&device->bytes_in);
    *out_p = atomic_load(&device->bytes_out);
}
