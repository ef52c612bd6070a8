/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/opencl/opencl.h"

#include <inttypes.h>

/*
 * Move a buffer to the device. Otherwise a driver may allocate it at its first
 * use, and fail only then.
 */
static cl_int place(const hyb_opencl_device_t *device, cl_mem memory)
{
    cl_int error;
    cl_command_queue queue =
        hyb_cl.CreateCommandQueue(device->context, device->id, 0, &error);

    if (error != CL_SUCCESS)
        return error;
    error = hyb_cl.EnqueueMigrateMemObjects(
        queue, 1, &memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL,
        NULL);
    if (error == CL_SUCCESS)
        error = hyb_cl.Finish(queue);
    hyb_cl.ReleaseCommandQueue(queue);
    return error;
}

static bool is_lack_of_memory(cl_int error)
{
    return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
           error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY ||
           error == CL_INVALID_BUFFER_SIZE;
}

/* Reserve `bytes` of the device's memory; OpenCL does not report what is left.
 */
static bool reserve(hyb_opencl_device_t *device, size_t bytes)
{
    bool fits;

    pthread_mutex_lock(&device->lock);
    fits = bytes <= device->largest && bytes <= device->memory - device->used;
    if (fits)
        device->used += bytes;
    pthread_mutex_unlock(&device->lock);
    return fits;
}

static void release(hyb_opencl_device_t *device, size_t bytes)
{
    pthread_mutex_lock(&device->lock);
    device->used -= bytes;
    pthread_mutex_unlock(&device->lock);
}

xh_status_t hyb_opencl_memory_left(void *state, uint64_t *bytes_p)
{
    hyb_opencl_device_t *device = state;
    uint64_t left;

    pthread_mutex_lock(&device->lock);
    left = device->memory - device->used;
    *bytes_p = left < device->largest ? left : device->largest;
    pthread_mutex_unlock(&device->lock);
    return XH_OK;
}

xh_status_t hyb_opencl_allocate(hyb_opencl_device_t *device, size_t bytes,
                                cl_mem *memory_p)
{
    cl_int error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    cl_mem memory = NULL;
    uint64_t left;

    if (reserve(device, bytes)) {
        memory = hyb_cl.CreateBuffer(device->context, CL_MEM_READ_WRITE, bytes,
                                     NULL, &error);
        if (error == CL_SUCCESS)
            error = place(device, memory);
        if (error == CL_SUCCESS) {
            *memory_p = memory;
            return XH_OK;
        }
        if (memory != NULL)
            hyb_cl.ReleaseMemObject(memory);
        release(device, bytes);
    }
    if (!is_lack_of_memory(error))
        return hyb_opencl_status(device, "allocating memory", error);
    hyb_opencl_memory_left(device, &left);
    hyb_opencl_host->log(XH_LOG_INFO, "opencl", device->index,
                         "no %zu bytes of memory: one allocation can have "
                         "%" PRIu64 " now, %" PRIu64 " at most",
                         bytes, left, device->largest);
    return XH_ERR_MEMORY;
}

void hyb_opencl_free(hyb_opencl_device_t *device, cl_mem memory, size_t bytes)
{
    if (memory == NULL)
        return;
    hyb_cl.ReleaseMemObject(memory);
    release(device, bytes);
}
