/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include "base/memory.h"
#include "base/settings.h"
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

xh_status_t hyb_device_enter(hyb_device_t *device)
{
    if (hyb_device_failed(device))
        return XH_ERR_DEVICE;
    return device->backend->enter != NULL
               ? hyb_device_keep(device, device->backend->enter(device->state))
               : XH_OK;
}

void *hyb_device_allocate(size_t size)
{
    void *memory = calloc(1, size);

    if (memory == NULL)
        xh_log_error("cannot allocate %zu bytes", size);
    return memory;
}

/* ---- opening ------------------------------------------------------------ */

xh_status_t hyb_device_open(hyb_device_choice_t choice, const int *cpus,
                            int cpu_count, hyb_device_t **device_p)
{
    hyb_device_t *device;
    xh_affinity_t before;
    xh_status_t status;
    bool moved;

    device = hyb_device_allocate(sizeof(*device));
    if (device == NULL)
        return XH_ERR_MEMORY;
    device->backend = choice.backend;
    device->index = choice.index;
    moved = cpu_count > 0 && xh_pin_save(&before) == 0 &&
            xh_pin_thread(cpus, cpu_count) == 0;
    device->confined = moved && xh_pin_save(&device->cores) == 0;
    status = choice.backend->open(choice.index, &device->state);
    if (moved)
        xh_pin_restore(&before);
    if (status != XH_OK) {
        free(device);
        return status;
    }
    *device_p = device;
    return XH_OK;
}

bool hyb_device_move_near(const hyb_device_t *device, xh_affinity_t *before_p)
{
    return device->confined && xh_pin_save(before_p) == 0 &&
           xh_pin_restore(&device->cores) == 0;
}

/* Return a buffer to the backend and free its handle. */
static void drop_buffer(hyb_buffer_t *buffer)
{
    hyb_device_t *device = buffer->device;

    device->backend->buffer_destroy(device->state, buffer->memory,
                                    buffer->bytes);
    free(buffer);
}

void hyb_device_close(hyb_device_t *device)
{
    hyb_buffer_t *buffer;

    if (device == NULL)
        return;
    while ((buffer = device->kept) != NULL) {
        device->kept = buffer->next;
        drop_buffer(buffer);
    }
    device->backend->close(device->state);
    free(device);
}

xh_status_t hyb_device_describe(hyb_device_t *device, hyb_device_info_t *info_p)
{
    uint64_t most = (uint64_t)xh_settings_int("device_memory") << 20;
    hyb_device_info_t info;

    XH_TRY(hyb_device_enter(device));
    XH_TRY(hyb_device_keep(device,
                           device->backend->describe(device->index, &info)));
    XH_TRY(HYB_CALL(device, memory_left, &info.memory_free));
    if (most > 0 && most < info.memory_free)
        info.memory_free = most;
    *info_p = info;
    return XH_OK;
}

xh_status_t hyb_device_sensors(hyb_device_t *device,
                               hyb_device_sensors_t *sensors_p)
{
    XH_TRY(hyb_device_enter(device));
    if (device->backend->sensors != NULL)
        return HYB_CALL(device, sensors, sensors_p);
    *sensors_p = (hyb_device_sensors_t){NAN, NAN, NAN, NAN};
    return XH_OK;
}

bool hyb_device_reach(hyb_device_t *device, const hyb_device_t *other)
{
    const hyb_backend_t *backend = device->backend;

    return other->backend == backend && backend->reach != NULL &&
           hyb_device_has(device, HYB_OP_COPY) &&
           hyb_device_enter(device) == XH_OK &&
           backend->reach(device->state, other->index);
}

bool hyb_device_has(const hyb_device_t *device, hyb_op_t op)
{
    return (device->backend->ops >> op & 1) != 0;
}

const hyb_gemm_parameter_t *hyb_device_gemm_parameters(hyb_device_t *device,
                                                       int *count_p)
{
    if (device->backend->parameters != NULL)
        return device->backend->parameters(device->state, count_p);
    *count_p = 0;
    return NULL;
}

xh_status_t hyb_device_gemm_config(hyb_device_t *device, int d,
                                   hyb_gemm_config_t *config_p)
{
    if (device->backend->parameters == NULL)
        return XH_ERR_ARG;
    *config_p = device->backend->config(device->state, d);
    return XH_OK;
}

xh_status_t hyb_device_set_gemm_config(hyb_device_t *device, int d,
                                       const hyb_gemm_config_t *config)
{
    XH_TRY(hyb_device_enter(device));
    return device->backend->parameters != NULL
               ? HYB_CALL(device, set_config, d, config)
               : XH_ERR_ARG;
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
        xh_log_error("a buffer of 0 bytes was requested");
        return XH_ERR_ARG;
    }
    buffer = hyb_device_allocate(sizeof(*buffer));
    if (buffer == NULL)
        return XH_ERR_MEMORY;
    buffer->device = device;
    buffer->bytes = bytes;
    status = HYB_CALL(device, buffer_create, bytes, &buffer->memory);
    if (status != XH_OK) {
        free(buffer);
        return status;
    }
    *buffer_p = buffer;
    return XH_OK;
}

/* On a failed device work may stay queued for ever, so closing the device frees
 * the buffer. */
void hyb_buffer_destroy(hyb_buffer_t *buffer)
{
    if (buffer == NULL)
        return;
    if (!hyb_device_failed(buffer->device)) {
        drop_buffer(buffer);
        return;
    }
    buffer->next = atomic_load(&buffer->device->kept);
    while (!atomic_compare_exchange_weak(&buffer->device->kept, &buffer->next,
                                         buffer))
        ;
}

double *hyb_device_view_address(hyb_device_view_t b)
{
    return b.buffer->device->backend->has_addresses
               ? (double *)b.buffer->memory + b.offset
               : NULL;
}

xh_status_t hyb_device_pin(hyb_device_t *device, double *memory, size_t bytes)
{
    XH_TRY(hyb_device_enter(device));
    return device->backend->pin != NULL ? HYB_CALL(device, pin, memory, bytes)
                                        : XH_OK;
}

void hyb_device_unpin(hyb_device_t *device, double *memory)
{
    if (device->backend->unpin != NULL && hyb_device_enter(device) == XH_OK)
        device->backend->unpin(device->state, memory);
}

void hyb_device_cut_copies(hyb_device_t *device,
                           const hyb_pinned_memory_t *pinned)
{
    device->pinned = pinned;
}

xh_status_t hyb_pinned_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p)
{
    xh_affinity_t before;
    void *memory;
    xh_status_t status;
    bool moved;

    XH_TRY(hyb_device_enter(device));
    XH_TRY(xh_memory_allocate(bytes, &memory));
    moved = hyb_device_move_near(device, &before);
    status = hyb_device_pin(device, memory, bytes);
    if (moved)
        xh_pin_restore(&before);
    if (status != XH_OK && status != XH_ERR_MEMORY) {
        xh_memory_free(memory, bytes);
        return status;
    }
    *memory_p = memory; /* whether the memory is pinned or not */
    return XH_OK;
}

void hyb_pinned_free(hyb_device_t *device, double *memory, size_t bytes)
{
    if (memory == NULL || hyb_device_failed(device))
        return;
    hyb_device_unpin(device, memory);
    xh_memory_free(memory, bytes);
}
