/* SPDX-License-Identifier: BSD-3-Clause */
#include <cuda_runtime_api.h>
#include <string.h>
#include "testing/cuda_model/model.h"

/*
 * HIP, as hybrid/device/hip/hip.h declares it: the model of CUDA by other
 * names, whose errors have the same numbers.
 */

/* ---- what is the same ---------------------------------------------------- */

#define SAME(name, parameters, arguments)                                      \
    cudaError_t hip##name parameters;                                          \
    cudaError_t hip##name parameters                                           \
    {                                                                          \
        return cuda##name arguments;                                           \
    }

SAME(DeviceCanAccessPeer, (int *can, int device, int other),
     (can, device, other))
SAME(DeviceEnablePeerAccess, (int other, unsigned flags), (other, flags))
SAME(DeviceGetPCIBusId, (char *text, int bytes, int device),
     (text, bytes, device))
SAME(DeviceGetStreamPriorityRange, (int *lowest, int *highest),
     (lowest, highest))
SAME(DeviceSynchronize, (void), ())
SAME(EventCreateWithFlags, (cudaEvent_t * event, unsigned flags),
     (event, flags))
SAME(EventDestroy, (cudaEvent_t event), (event))
SAME(EventElapsedTime, (float *ms, cudaEvent_t begin, cudaEvent_t end),
     (ms, begin, end))
SAME(EventQuery, (cudaEvent_t event), (event))
SAME(EventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
SAME(Free, (void *memory), (memory))
SAME(GetDeviceCount, (int *count), (count))
SAME(GetLastError, (void), ())
SAME(HostUnregister, (void *memory), (memory))
SAME(Malloc, (void **memory, size_t bytes), (memory, bytes))
SAME(MemGetInfo, (size_t * left, size_t *all), (left, all))
SAME(Memcpy, (void *to, const void *from, size_t bytes, int kind),
     (to, from, bytes, (enum cudaMemcpyKind)kind))
SAME(Memcpy2DAsync,
     (void *to, size_t to_pitch, const void *from, size_t from_pitch,
      size_t width, size_t height, int kind, cudaStream_t stream),
     (to, to_pitch, from, from_pitch, width, height, (enum cudaMemcpyKind)kind,
      stream))
SAME(MemcpyAsync,
     (void *to, const void *from, size_t bytes, int kind, cudaStream_t stream),
     (to, from, bytes, (enum cudaMemcpyKind)kind, stream))
SAME(MemsetAsync, (void *memory, int value, size_t bytes, cudaStream_t stream),
     (memory, value, bytes, stream))
SAME(SetDevice, (int device), (device))
SAME(StreamCreateWithPriority,
     (cudaStream_t * stream, unsigned flags, int priority),
     (stream, flags, priority))
SAME(StreamDestroy, (cudaStream_t stream), (stream))
SAME(StreamSynchronize, (cudaStream_t stream), (stream))
SAME(StreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
     (stream, event, flags))

const char *hipGetErrorString(cudaError_t error)
{
    return cudaGetErrorString(error);
}

/* ---- devices and memory -------------------------------------------------- */

/* As ROCm up to 7 does: memory is registered again, and given back once. */
cudaError_t hipHostRegister(void *memory, size_t bytes, unsigned flags)
{
    cudaError_t error = cudaHostRegister(memory, bytes, flags);
    MODEL_CALL();

    if (error != cudaErrorHostMemoryAlreadyRegistered)
        return error;
    cudaGetLastError();
    model.counts.pinned++;
    return cudaSuccess;
}

cudaError_t hipSetDeviceFlags(unsigned flags)
{
    MODEL_CALL();

    model.counts.flags = flags;
    return cudaSuccess;
}

cudaError_t hipDeviceGetName(char *text_p, int bytes, int device)
{
    MODEL_CALL();

    if (device < 0 || device >= model.count)
        return cudaErrorInvalidDevice;
    strncpy(text_p, "model of a HIP device", (size_t)bytes);
    return cudaSuccess;
}

cudaError_t hipDeviceTotalMem(size_t *bytes_p, int device)
{
    MODEL_CALL();

    if (device < 0 || device >= model.count)
        return cudaErrorInvalidDevice;
    *bytes_p = model.memory;
    return cudaSuccess;
}

cudaError_t hipDeviceGetAttribute(int *value_p, int attribute, int device)
{
    enum { COOPERATIVE_LAUNCH = 10, PROCESSORS = 63 };
    struct cudaDeviceProp p;

    MODEL_TRY(cudaGetDeviceProperties(&p, device));
    if (attribute != COOPERATIVE_LAUNCH && attribute != PROCESSORS)
        return cudaErrorInvalidValue;
    *value_p =
        attribute == PROCESSORS ? p.multiProcessorCount : p.cooperativeLaunch;
    return cudaSuccess;
}

cudaError_t hipHostGetDevicePointer(void **pointer_p, void *host,
                                    unsigned flags)
{
    MODEL_CALL();

    if (flags != 0 || model_place(host, 1) != MODEL_PINNED)
        return cudaErrorInvalidValue;
    *pointer_p = host;
    return cudaSuccess;
}

/* ---- modules ------------------------------------------------------------- */

enum { MAGIC = 24 };

/* Where the last of a bundle's parts ends: its header lists them. */
static uint64_t bundle_bytes(const char *bundle)
{
    uint64_t count, part[3], bytes = 0; /* offset, bytes, length of a name */
    const char *at = bundle + MAGIC;

    memcpy(&count, at, sizeof(count));
    at += sizeof(count);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(part, at, sizeof(part));
        at += sizeof(part) + part[2];
        bytes = part[0] + part[1] > bytes ? part[0] + part[1] : bytes;
    }
    return bytes;
}

cudaError_t hipModuleLoadData(cudaLibrary_t *library_p, const void *image)
{
    MODEL_CALL();

    if (memcmp(image, "__CLANG_OFFLOAD_BUNDLE__", MAGIC) != 0)
        return cudaErrorInvalidValue;
    return model_load((model_image_t){image, bundle_bytes(image), "", ".kd"},
                      library_p);
}

cudaError_t hipModuleUnload(cudaLibrary_t library)
{
    return cudaLibraryUnload(library);
}

/* A module's kernels are loaded with it. */
cudaError_t hipModuleGetFunction(cudaKernel_t *kernel_p, cudaLibrary_t library,
                                 const char *name)
{
    struct cudaFuncAttributes attributes;

    MODEL_TRY(cudaLibraryGetKernel(kernel_p, library, name));
    return cudaFuncGetAttributes(&attributes, *kernel_p);
}

cudaError_t hipModuleLaunchKernel(cudaKernel_t kernel, unsigned grid_x,
                                  unsigned grid_y, unsigned grid_z,
                                  unsigned group_x, unsigned group_y,
                                  unsigned group_z, unsigned shared,
                                  cudaStream_t stream, void **arguments,
                                  void **extra)
{
    if (extra != NULL)
        return cudaErrorInvalidValue;
    return cudaLaunchKernel(kernel, (struct dim3){grid_x, grid_y, grid_z},
                            (struct dim3){group_x, group_y, group_z}, arguments,
                            shared, stream);
}

cudaError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *groups_p, cudaKernel_t kernel, int items, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(groups_p, kernel,
                                                         items, shared);
}

cudaError_t hipModuleLaunchCooperativeKernel(
    cudaKernel_t kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared,
    cudaStream_t stream, void **arguments)
{
    return cudaLaunchCooperativeKernel(
        kernel, (struct dim3){grid_x, grid_y, grid_z},
        (struct dim3){group_x, group_y, group_z}, arguments, shared, stream);
}
