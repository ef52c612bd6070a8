/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/device.h"

#include <inttypes.h>
#include <math.h>
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
    *device_p = device;
    return XH_OK;
}

void hyb_device_close(hyb_device_t *device)
{
    if (device == NULL)
        return;
    device->backend->close(device->state, hyb_device_failed(device));
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

xh_status_t hyb_device_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p)
{
    void *memory;
    xh_status_t status;

    if (bytes == 0) {
        xh_log_error("device memory of no bytes was asked for");
        return XH_ERR_ARG;
    }
    status = CALL(device, alloc, bytes, &memory);
    if (status == XH_OK)
        *memory_p = memory;
    return status;
}

/* On a failed device even giving back may wait for ever: close does it. */
void hyb_device_free(hyb_device_t *device, double *memory)
{
    if (memory != NULL && !hyb_device_failed(device))
        device->backend->free(device->state, memory);
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

xh_status_t hyb_queue_create(hyb_device_t *device, hyb_queue_t **queue_p)
{
    hyb_queue_t *queue = malloc(sizeof(*queue));
    xh_status_t status;

    if (queue == NULL)
        return out_of_memory(sizeof(*queue));
    queue->device = device;
    status = CALL(device, queue_create, &queue->queue);
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

/* ---- work --------------------------------------------------------------- */

static bool is_empty(xh_view_t v)
{
    return v.rows == 0 || v.cols == 0;
}

static bool is_view(xh_view_t v)
{
    return v.rows >= 0 && v.cols >= 0 && v.ld >= 1 && v.ld >= v.rows &&
           (v.data != NULL || is_empty(v));
}

static xh_status_t check_view(const char *name, xh_view_t v)
{
    if (is_view(v))
        return XH_OK;
    xh_log_error("%s is no matrix: %" PRId64 " x %" PRId64 ", ld %" PRId64
                 ", at %p",
                 name, v.rows, v.cols, v.ld, (void *)v.data);
    return XH_ERR_ARG;
}

static xh_status_t check_copy(xh_view_t from, xh_view_t to)
{
    xh_status_t status = check_view("the source of a copy", from);

    if (status == XH_OK)
        status = check_view("the destination of a copy", to);
    if (status != XH_OK)
        return status;
    if (from.rows == to.rows && from.cols == to.cols)
        return XH_OK;
    xh_log_error("a copy from %" PRId64 " x %" PRId64 " to %" PRId64
                 " x %" PRId64,
                 from.rows, from.cols, to.rows, to.cols);
    return XH_ERR_ARG;
}

static uint64_t bytes_of(xh_view_t v)
{
    return (uint64_t)v.rows * (uint64_t)v.cols * sizeof(double);
}

/* A copy's end: what of status is success has moved v's bytes. */
static xh_status_t count_bytes(xh_status_t status, xh_view_t v,
                               _Atomic uint64_t *counter)
{
    if (status == XH_OK)
        atomic_fetch_add(counter, bytes_of(v));
    return status;
}

xh_status_t hyb_queue_copy_in(hyb_queue_t *queue, xh_view_t from_host,
                              xh_view_t to_device)
{
    hyb_device_t *device = queue->device;
    xh_status_t status = check_copy(from_host, to_device);

    if (status != XH_OK)
        return status;
    if (is_empty(from_host))
        return hyb_device_failed(device) ? XH_ERR_DEVICE : XH_OK;
    status = CALL(device, copy_in, queue->queue, from_host, to_device);
    return count_bytes(status, from_host, &device->bytes_in);
}

xh_status_t hyb_queue_copy_out(hyb_queue_t *queue, xh_view_t from_device,
                               xh_view_t to_host)
{
    hyb_device_t *device = queue->device;
    xh_status_t status = check_copy(from_device, to_host);

    if (status != XH_OK)
        return status;
    if (is_empty(from_device))
        return hyb_device_failed(device) ? XH_ERR_DEVICE : XH_OK;
    status = CALL(device, copy_out, queue->queue, from_device, to_host);
    return count_bytes(status, from_device, &device->bytes_out);
}

static int64_t rows_of(xh_view_t v, xh_trans_t trans)
{
    return trans == XH_TRANS ? v.cols : v.rows;
}

static int64_t cols_of(xh_view_t v, xh_trans_t trans)
{
    return trans == XH_TRANS ? v.rows : v.cols;
}

static xh_status_t check_product(const xh_gemm_t *p)
{
    int64_t m = rows_of(p->a, p->trans_a), k = cols_of(p->a, p->trans_a);
    int64_t l = rows_of(p->b, p->trans_b), n = cols_of(p->b, p->trans_b);
    xh_status_t status = check_view("A of a product", p->a);

    if (status == XH_OK)
        status = check_view("B of a product", p->b);
    if (status == XH_OK)
        status = check_view("C of a product", p->c);
    if (status != XH_OK)
        return status;
    if (m == p->c.rows && n == p->c.cols && k == l)
        return XH_OK;
    xh_log_error("a product of %" PRId64 " x %" PRId64 " and %" PRId64
                 " x %" PRId64 " does not give %" PRId64 " x %" PRId64,
                 m, k, l, n, p->c.rows, p->c.cols);
    return XH_ERR_ARG;
}

xh_status_t hyb_queue_gemm(hyb_queue_t *queue, const xh_gemm_t *product)
{
    hyb_device_t *device = queue->device;
    xh_status_t status = check_product(product);

    if (status != XH_OK)
        return status;
    if (device->backend->gemm == NULL) {
        xh_log_error("%s devices have no gemm", device->backend->name);
        return XH_ERR_ARG;
    }
    if (is_empty(product->c))
        return hyb_device_failed(device) ? XH_ERR_DEVICE : XH_OK;
    return CALL(device, gemm, queue->queue, product);
}

void hyb_device_traffic(const hyb_device_t *device, uint64_t *in_p,
                        uint64_t *out_p)
{
    *in_p = atomic_load(&device->bytes_in);
    *out_p = atomic_load(&device->bytes_out);
}
