/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cuda/cuda.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUS_ID = 32 }; /* bytes of the longest PCI address */

/* ---- finding ------------------------------------------------------------ */

static int present;
static char reason[HYB_CUDA_WHY]; /* why there are no devices */

static void look(void)
{
    present = hyb_cuda_find_devices(reason);
}

static int count(const char **reason_p)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, look);
    *reason_p = present > 0 ? NULL : reason;
    return present;
}

/* ---- describing --------------------------------------------------------- */

static xh_status_t read_properties(hyb_cuda_device_t *device,
                                   struct cudaDeviceProp *properties_p)
{
    char address[BUS_ID] = "";

    XH_TRY(
        hyb_cuda_status(device, "reading its properties",
                        cudaGetDeviceProperties(properties_p, device->index)));
    XH_TRY(hyb_cuda_status(
        device, "reading its address",
        cudaDeviceGetPCIBusId(address, sizeof(address), device->index)));
    if (strlen(address) >= sizeof(device->pci_address))
        return XH_OK;
    for (size_t i = 0; address[i] != '\0'; i++)
        device->pci_address[i] = (char)tolower((unsigned char)address[i]);
    return XH_OK;
}

/*
 * Ask the management library for free memory, because CUDA would create a
 * context first, which takes some hundred MiB of the device.
 */
static xh_status_t describe(int index, hyb_device_info_t *info_p)
{
    hyb_cuda_device_t device = {.index = index};
    struct cudaDeviceProp properties;
    uint64_t memory_free;

    XH_TRY(read_properties(&device, &properties));
    if (!hyb_cuda_sensor_memory(device.pci_address, &memory_free) ||
        memory_free > properties.totalGlobalMem)
        memory_free = properties.totalGlobalMem;
    *info_p = (hyb_device_info_t){
        .backend = HYB_CUDA_NAME,
        .index = index,
        .memory = properties.totalGlobalMem,
        .memory_free = memory_free,
    };
    snprintf(info_p->name, sizeof(info_p->name), "%.63s", properties.name);
    strcpy(info_p->pci_address, device.pci_address);
    hyb_cuda_serial(device.pci_address, info_p->serial);
    return XH_OK;
}

/* ---- opening and closing ------------------------------------------------ */

static hyb_cuda_blas_t blas;
static xh_status_t blas_status;
static char blas_reason[HYB_CUDA_WHY];

static void load_blas(void)
{
    blas_status = hyb_cuda_load_blas(&blas, blas_reason);
}

/* Like hyb_cuda_load_blas; why_p is set on failure only, and stays valid. */
static xh_status_t blas_once(const hyb_cuda_blas_t **blas_p, const char **why_p)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load_blas);
    if (blas_status == XH_OK)
        *blas_p = &blas;
    else
        *why_p = blas_reason;
    return blas_status;
}

/* Create the context, with the flag that lets waiting threads sleep. */
static xh_status_t start(hyb_cuda_device_t *device)
{
    xh_status_t status = hyb_cuda_status(
        device, "making a context",
        cudaInitDevice(device->index, cudaDeviceScheduleBlockingSync,
                       cudaInitDeviceFlagsAreValid));

    if (status == XH_OK)
        status = hyb_cuda_enter(device);
    if (status == XH_ERR_MEMORY)
        hyb_cuda_host->log(XH_LOG_ERROR, HYB_CUDA_NAME, device->index,
                           "there is no memory left for a context");
    return status;
}

static xh_status_t prepare(hyb_cuda_device_t *device)
{
    struct cudaDeviceProp properties;
    const char *why;
    xh_status_t status = blas_once(&device->blas, &why);

    if (status != XH_OK) {
        hyb_cuda_fail(device, "it cannot be used without " HYB_CUDA_BLAS, why);
        return status;
    }
    XH_TRY(read_properties(device, &properties));
    device->memory = properties.totalGlobalMem;
    device->workspace = HYB_CUDA_WORKSPACE(properties.major);
    if (properties.cooperativeLaunch)
        device->processors = properties.multiProcessorCount;
    return XH_OK;
}

/* Check that a cuBLAS handle computes in the precision wanted. Each queue's
 * handle is checked again. */
static xh_status_t check_arithmetic(hyb_cuda_device_t *device)
{
    cublasHandle_t handle;

    XH_TRY(hyb_cuda_handle_create(device, &handle));
    if (hyb_cuda_emulates_doubles())
        hyb_cuda_host->log(XH_LOG_WARNING, HYB_CUDA_NAME, device->index,
                           "double precision is EMULATED (fp64=emulated): this "
                           "is not a valid run of HPL");
    return hyb_cuda_blas_status(device, HYB_CUDA_BLAS "Destroy",
                                device->blas->destroy(handle));
}

/* The context stays open, because other users of CUDA in this process share it.
 */
static void close_device(void *state)
{
    hyb_cuda_device_t *device = state;

    if (device->library != NULL && hyb_cuda_enter(device) == XH_OK)
        hyb_cuda_kernels_unload(device);
    free(device);
}

static xh_status_t open_device(int index, void **state_p)
{
    hyb_cuda_device_t *device = calloc(1, sizeof(*device));
    xh_status_t status;

    if (device == NULL)
        return XH_ERR_MEMORY;
    device->index = index;
    status = prepare(device);
    if (status == XH_OK)
        status = start(device);
    if (status == XH_OK)
        status = check_arithmetic(device);
    if (status == XH_OK)
        status = hyb_cuda_kernels_load(device);
    if (status == XH_OK)
        *state_p = device;
    else
        close_device(device);
    return status;
}

/* CUDA cannot cancel work on a stalled device, so the work stays queued. */
static void give_up(void *state)
{
    atomic_store(&((hyb_cuda_device_t *)state)->failed, true);
}

/* Without peer access a copy between the devices would go through the host. */
static bool reach(void *state, int other)
{
    hyb_cuda_device_t *device = state;
    int can = 0;
    cudaError_t error = cudaDeviceCanAccessPeer(&can, device->index, other);

    if (error == cudaSuccess && can)
        error = cudaDeviceEnablePeerAccess(other, 0);
    cudaGetLastError();
    return can &&
           (error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled);
}

/* ---- memory ------------------------------------------------------------- */

static xh_status_t memory_left(void *state, uint64_t *bytes_p)
{
    /* CUDA loads kernels into device memory when they are first used. */
    const size_t kept_for_kernels = (size_t)64 << 20;
    size_t left, all;

    XH_TRY(hyb_cuda_status(state, "asking for free memory",
                           cudaMemGetInfo(&left, &all)));
    *bytes_p = left > kept_for_kernels ? left - kept_for_kernels : 0;
    return XH_OK;
}

static xh_status_t buffer_create(void *state, size_t bytes, void **memory_p)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = XH_ERR_MEMORY;
    void *memory = NULL;

    if (bytes <= device->memory)
        status = hyb_cuda_status(device, "allocating memory",
                                 cudaMalloc(&memory, bytes));
    if (status == XH_OK)
        *memory_p = memory;
    else if (status == XH_ERR_MEMORY)
        hyb_cuda_host->log(XH_LOG_INFO, HYB_CUDA_NAME, device->index,
                           "less than %zu bytes of memory are left", bytes);
    return status;
}

static void buffer_destroy(void *state, void *memory, size_t bytes)
{
    (void)bytes;
    if (hyb_cuda_enter(state) == XH_OK)
        hyb_cuda_status(state, "freeing memory", cudaFree(memory));
}

static bool is_pinned(const char *address)
{
    struct cudaPointerAttributes kind = {.type = cudaMemoryTypeUnregistered};
    bool known = cudaPointerGetAttributes(&kind, address) == cudaSuccess;

    cudaGetLastError();
    return known && kind.type == cudaMemoryTypeHost;
}

/* Does `error` mean only that this memory cannot be pinned? */
static bool is_refusal(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ||
           error == cudaErrorInvalidValue || error == cudaErrorNotSupported ||
           error == cudaErrorNotPermitted ||
           error == cudaErrorOperatingSystem ||
           error == cudaErrorHostMemoryAlreadyRegistered;
}

/* Pinning is portable: memory pinned by one device is pinned for all. HIP would
 * pin it twice, but unpin it once. */
static xh_status_t pin(void *state, void *memory, size_t bytes)
{
    hyb_cuda_device_t *device = state;
    cudaError_t error;

    if (is_pinned(memory) && is_pinned((const char *)memory + bytes - 1))
        return XH_OK;
    error = cudaHostRegister(memory, bytes, cudaHostRegisterPortable);
    if (!is_refusal(error))
        return hyb_cuda_status(device, "pinning host memory", error);
    cudaGetLastError();
    hyb_cuda_host->log(XH_LOG_WARNING, HYB_CUDA_NAME, device->index,
                       "%zu bytes of host memory cannot be pinned: %s", bytes,
                       cudaGetErrorString(error));
    return XH_ERR_MEMORY;
}

static void unpin(void *state, void *memory)
{
    cudaError_t error = cudaHostUnregister(memory);

    if (error == cudaErrorHostMemoryNotRegistered ||
        error == cudaErrorInvalidValue) /* in memory pinned by another device */
        cudaGetLastError();
    else
        hyb_cuda_status(state, "unpinning host memory", error);
}

/* All other operations need our kernels. */
enum {
    OPS_OF_LIBRARIES = 1u << HYB_OP_COPY_IN | 1u << HYB_OP_COPY_OUT |
                       1u << HYB_OP_COPY | 1u << HYB_OP_GEMM |
                       1u << HYB_OP_TRSM | 1u << HYB_OP_GEMV
};

static hyb_backend_t backend = {
    .abi = HYB_BACKEND_ABI,
    .name = HYB_CUDA_NAME,
    .has_addresses = true,
    .ops = OPS_OF_LIBRARIES,
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .enter = hyb_cuda_enter,
    .memory_left = memory_left,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .queue_create = hyb_cuda_queue_create,
    .queue_destroy = hyb_cuda_queue_destroy,
    .event_create = hyb_cuda_event_create,
    .event_destroy = hyb_cuda_event_destroy,
    .event_record = hyb_cuda_event_record,
    .queue_wait = hyb_cuda_queue_wait,
    .event_wait = hyb_cuda_event_wait,
    .event_elapsed = hyb_cuda_event_elapsed,
    .work = hyb_cuda_work,
    .reach = reach,
    .sensors = hyb_cuda_sensors,
    .pin = pin,
    .unpin = unpin,
    .give_up = give_up,
};

const hyb_backend_t *hyb_backend_entry(const hyb_host_t *program)
{
    hyb_cuda_host = program;
    if (hyb_cuda_has_kernels())
        backend.ops = (1u << HYB_OPS) - 1;
    return &backend;
}
