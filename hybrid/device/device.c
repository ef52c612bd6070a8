/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include "base/memory.h"
#include "hybrid/device/device_private.h"

bool hyb_device_failed(const hyb_device_t *device)
{
    return atomic_load(&device->failed);
}

xh_status_t hyb_device_keep(hyb_device_t *device, xh_status_t status)
{
    if (status == XH_ERR_DEVICE)
        atomic_store(&device->failed, true);
    return status;
}

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
    status = hyb_device_keep(device,
                             device->backend->describe(device->index, &info));
    if (status == XH_OK)
        status = HYB_CALL(device, memory_left, &info.memory_free);
    if (status == XH_OK)
        *info_p = info;
    return status;
}

xh_status_t hyb_device_sensors(hyb_device_t *device,
                               hyb_device_sensors_t *sensors_p)
{
    if (device->backend->sensors != NULL)
        return HYB_CALL(device, sensors, sensors_p);
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
    status = HYB_CALL(device, buffer_create, bytes, &buffer->memory);
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
    return device->backend->pin != NULL ? HYB_CALL(device, pin, memory, bytes)
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
    status = HYB_CALL(device, queue_create, priority, &queue->queue);
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

    return status != XH_OK ? status
                           : HYB_CALL(queue->device, event_record, queue->queue,
                                      event->event);
}

xh_status_t hyb_queue_wait(hyb_queue_t *queue, hyb_event_t *event)
{
    xh_status_t status = check_same(queue->device, event->device);

    return status != XH_OK ? status
                           : HYB_CALL(queue->device, queue_wait, queue->queue,
                                      event->event);
}

xh_status_t hyb_event_wait(hyb_event_t *event, double seconds, bool *done_p)
{
    if (!(seconds >= 0)) {
        xh_log_error("an event cannot be waited for %g seconds", seconds);
        return XH_ERR_ARG;
    }
    return HYB_CALL(event->device, event_wait, event->event, seconds, done_p);
}

xh_status_t hyb_event_elapsed(hyb_event_t *begin, hyb_event_t *end,
                              double *seconds_p)
{
    xh_status_t status = check_same(begin->device, end->device);

    return status != XH_OK ? status
                           : HYB_CALL(begin->device, event_elapsed,
                                      begin->event, end->event, seconds_p);
}
