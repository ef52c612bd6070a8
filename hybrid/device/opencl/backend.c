/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sequence.h"

enum { PLATFORMS = 16, DEVICES = 64 };

/*
 * A thread that gets an error first waits until queued work has ended, because
 * a driver that uses the host's cores runs in this process, which may end next.
 */
static xh_status_t enter(void *state)
{
    hyb_opencl_device_t *device = state;

    if (atomic_load(&device->given_up))
        return XH_ERR_DEVICE;
    if (!atomic_load(&device->failed))
        return XH_OK;
    hyb_opencl_drain(device);
    return XH_ERR_DEVICE;
}

/* ---- finding ------------------------------------------------------------ */

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static cl_device_id found[DEVICES]; /* ordered by platform */
static int present;
static const char *reason; /* why there are no devices */

/* Can the device compile programs and compute in double precision? */
static bool is_fit(cl_device_id id)
{
    cl_bool compiles = CL_FALSE;
    cl_device_fp_config doubles = 0;

    hyb_cl.GetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof(compiles),
                         &compiles, NULL);
    hyb_cl.GetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(doubles),
                         &doubles, NULL);
    return compiles == CL_TRUE && doubles != 0;
}

static void look(void)
{
    cl_platform_id platforms[PLATFORMS];
    cl_device_id ids[DEVICES];
    cl_uint platform_count = 0, count;

    reason = hyb_opencl_load();
    if (reason != NULL)
        return;
    if (hyb_cl.GetPlatformIDs(PLATFORMS, platforms, &platform_count) !=
            CL_SUCCESS ||
        platform_count == 0) {
        reason = "no driver for OpenCL is installed";
        return;
    }
    for (cl_uint p = 0; p < platform_count && p < PLATFORMS; p++) {
        if (hyb_cl.GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, DEVICES, ids,
                                &count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < count && d < DEVICES && present < DEVICES; d++)
            if (is_fit(ids[d]))
                found[present++] = ids[d];
    }
    if (present == 0)
        reason = "no device of OpenCL computes in double precision";
}

static int count(const char **reason_p)
{
    pthread_once(&looked, look);
    *reason_p = reason;
    return present;
}

/* ---- describing --------------------------------------------------------- */

static uint64_t number_of(cl_device_id id, cl_device_info what)
{
    cl_ulong number = 0;

    hyb_cl.GetDeviceInfo(id, what, sizeof(number), &number, NULL);
    return number;
}

static xh_status_t describe(int index, hyb_device_info_t *info_p)
{
    hyb_device_info_t info = {.backend = "opencl", .index = index};
    char name[256] = "";

    hyb_cl.GetDeviceInfo(found[index], CL_DEVICE_NAME, sizeof(name) - 1, name,
                         NULL);
    snprintf(info.name, sizeof(info.name), "%s%.53s",
             hyb_opencl_is_cpu(found[index]) ? "the CPU: " : "", name);
    info.memory = number_of(found[index], CL_DEVICE_GLOBAL_MEM_SIZE);
    info.memory_free = info.memory;
    *info_p = info;
    return XH_OK;
}

static bool has_extension(cl_device_id id, const char *name)
{
    char list[8192] = "";

    hyb_cl.GetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof(list) - 1, list,
                         NULL);
    return strstr(list, name) != NULL;
}

/* ---- memory ------------------------------------------------------------- */

static xh_status_t buffer_create(void *state, size_t bytes, void **memory_p)
{
    cl_mem memory;

    XH_TRY(hyb_opencl_allocate(state, bytes, &memory));
    *memory_p = memory;
    return XH_OK;
}

static void buffer_destroy(void *state, void *memory, size_t bytes)
{
    hyb_opencl_free(state, memory, bytes);
}

/* ---- opening and closing ------------------------------------------------ */

static xh_status_t create_jump_table(hyb_opencl_device_t *device)
{
    xh_jump_t jumps[XH_JUMP_DIGITS * XH_JUMP_VALUES];
    cl_int error;

    xh_jump_digits(jumps);
    device->jump_table = hyb_cl.CreateBuffer(
        device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(jumps),
        jumps, &error);
    return hyb_opencl_status(device, "allocating memory", error);
}

static xh_status_t prepare(hyb_opencl_device_t *device)
{
    cl_int error;

    device->id = found[device->index];
    device->memory = number_of(device->id, CL_DEVICE_GLOBAL_MEM_SIZE);
    device->largest = number_of(device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    device->has_priorities = has_extension(device->id, "cl_khr_priority_hints");
    device->context =
        hyb_cl.CreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    XH_TRY(hyb_opencl_status(device, "making a context", error));
    XH_TRY(hyb_opencl_build(device));
    return create_jump_table(device);
}

static void close_device(void *state)
{
    hyb_opencl_device_t *device = state;

    if (device->jump_table != NULL)
        hyb_cl.ReleaseMemObject(device->jump_table);
    if (!atomic_load(&device->failed) && !atomic_load(&device->given_up))
        hyb_opencl_store_products(device);
    hyb_opencl_release_programs(device);
    if (device->context != NULL)
        hyb_cl.ReleaseContext(device->context);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static xh_status_t open_device(int index, void **state_p)
{
    hyb_opencl_device_t *device = calloc(1, sizeof(*device));
    xh_status_t status;

    if (device == NULL)
        return XH_ERR_MEMORY;
    device->index = index;
    pthread_mutex_init(&device->lock, NULL);
    status = prepare(device);
    if (status == XH_OK)
        *state_p = device;
    else
        close_device(device);
    return status;
}

/* OpenCL cannot cancel work on a stalled device, so the work stays queued. */
static void give_up(void *state)
{
    atomic_store(&((hyb_opencl_device_t *)state)->given_up, true);
}

/* OpenCL has no function to pin memory; any host memory works. */
static const hyb_backend_t backend = {
    .abi = HYB_BACKEND_ABI,
    .name = "opencl",
    .by_name_only = true,
    .ops = (1u << HYB_OPS) - 1,
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .enter = enter,
    .memory_left = hyb_opencl_memory_left,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .queue_create = hyb_opencl_queue_create,
    .queue_destroy = hyb_opencl_queue_destroy,
    .event_create = hyb_opencl_event_create,
    .event_destroy = hyb_opencl_event_destroy,
    .event_record = hyb_opencl_event_record,
    .queue_wait = hyb_opencl_queue_wait,
    .event_wait = hyb_opencl_event_wait,
    .event_elapsed = hyb_opencl_event_elapsed,
    .work = hyb_opencl_work,
    .parameters = hyb_opencl_parameters,
    .config = hyb_opencl_config,
    .set_config = hyb_opencl_set_config,
    .give_up = give_up,
};

const hyb_backend_t *hyb_backend_entry(const hyb_host_t *program)
{
    hyb_opencl_host = program;
    return &backend;
}
