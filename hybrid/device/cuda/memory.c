/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include "hybrid/device/cuda/cuda.h"

/* CUDA loads kernels into device memory when they are first used. */
static const size_t kept_for_kernels = (size_t)64 << 20;

xh_status_t hyb_cuda_memory_left(void *state, uint64_t *bytes_p)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);
    size_t left, all;

    if (status == XH_OK)
        status = hyb_cuda_status(device, "asking for free memory",
                                 cudaMemGetInfo(&left, &all));
    if (status == XH_OK)
        *bytes_p = left > kept_for_kernels ? left - kept_for_kernels : 0;
    return status;
}

static xh_status_t allocate(hyb_cuda_device_t *device, size_t bytes,
                            double **data_p)
{
    xh_status_t status = XH_ERR_MEMORY;
    void *data = NULL;

    if (bytes <= device->memory)
        status = hyb_cuda_status(device, "allocating memory",
                                 cudaMalloc(&data, bytes));
    if (status == XH_OK)
        *data_p = data;
    else if (status == XH_ERR_MEMORY)
        hyb_cuda_say(device, XH_LOG_INFO, "no %zu bytes of memory are left",
                     bytes);
    return status;
}

xh_status_t hyb_cuda_buffer_create(void *state, size_t bytes, void **memory_p)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);
    hyb_cuda_buffer_t *buffer;

    if (status != XH_OK)
        return status;
    buffer = calloc(1, sizeof(*buffer));
    if (buffer == NULL)
        return XH_ERR_MEMORY;
    status = allocate(device, bytes, &buffer->data);
    if (status != XH_OK) {
        free(buffer);
        return status;
    }
    pthread_mutex_lock(&device->lock);
    buffer->next = device->buffers;
    device->buffers = buffer;
    pthread_mutex_unlock(&device->lock);
    *memory_p = buffer;
    return XH_OK;
}

void hyb_cuda_buffer_destroy(void *state, void *memory)
{
    hyb_cuda_device_t *device = state;
    hyb_cuda_buffer_t *buffer = memory, **link = &device->buffers;

    pthread_mutex_lock(&device->lock);
    while (*link != buffer)
        link = &(*link)->next;
    *link = buffer->next;
    pthread_mutex_unlock(&device->lock);
    if (hyb_cuda_enter(device) == XH_OK)
        hyb_cuda_status(device, "freeing memory", cudaFree(buffer->data));
    free(buffer);
}

static bool is_pinned(const char *address)
{
    struct cudaPointerAttributes kind = {.type = cudaMemoryTypeUnregistered};
    bool known = cudaPointerGetAttributes(&kind, address) == cudaSuccess;

    cudaGetLastError();
    return known && kind.type == cudaMemoryTypeHost;
}

/* Does error mean only that this memory cannot be pinned? */
static bool is_refusal(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ||
           error == cudaErrorInvalidValue || error == cudaErrorNotSupported ||
           error == cudaErrorNotPermitted ||
           error == cudaErrorOperatingSystem ||
           error == cudaErrorHostMemoryAlreadyRegistered;
}

/* Pinning is portable: memory that another device pinned is pinned for all. */
xh_status_t hyb_cuda_pin(void *state, void *host, size_t bytes)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);
    cudaError_t error;

    if (status != XH_OK)
        return status;
    error = cudaHostRegister(host, bytes, cudaHostRegisterPortable);
    if (!is_refusal(error))
        return hyb_cuda_status(device, "pinning host memory", error);
    cudaGetLastError();
    if (error == cudaErrorHostMemoryAlreadyRegistered && is_pinned(host) &&
        is_pinned((const char *)host + bytes - 1))
        return XH_OK;
    hyb_cuda_say(device, XH_LOG_WARNING,
                 "%zu bytes of host memory cannot be pinned: %s", bytes,
                 cudaGetErrorString(error));
    return XH_ERR_MEMORY;
}

void hyb_cuda_unpin(void *state, void *host)
{
    hyb_cuda_device_t *device = state;
    cudaError_t error;

    if (hyb_cuda_enter(device) != XH_OK)
        return;
    error = cudaHostUnregister(host);
    if (error == cudaErrorHostMemoryNotRegistered)
        cudaGetLastError();
    else
        hyb_cuda_status(device, "unpinning host memory", error);
}
