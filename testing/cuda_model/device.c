/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/cuda_model/model.h"

enum { HOPPER = 9 };

/* All errors are returned where they occur. */
cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    static __thread char text[32];

    if (error == cudaErrorLaunchFailure)
        return "a kernel failed";
    snprintf(text, sizeof(text), "error %d", (int)error);
    return text;
}

MODEL_FUNCTION(cudaDriverGetVersion, (int *version_p), cudaSuccess,
               *version_p = model.driver)

MODEL_FUNCTION(cudaGetDeviceCount, (int *count_p),
               model.driver < CUDART_VERSION ? cudaErrorInsufficientDriver
               : model.count == 0            ? cudaErrorNoDevice
                                             : cudaSuccess,
               *count_p = model.count)

MODEL_FUNCTION(cudaInitDevice,
               (int device, unsigned device_flags, unsigned flags),
               model_context(device, flags == cudaInitDeviceFlagsAreValid
                                         ? device_flags
                                         : cudaDeviceScheduleAuto),
               (void)0)

/* Makes the context, since CUDA 12. */
MODEL_FUNCTION(cudaSetDevice, (int device),
               model_context(device, cudaDeviceScheduleAuto),
               model_current = device)

MODEL_FUNCTION(cudaDeviceSynchronize, (void),
               model_finish(model_current, NULL, __func__),
               model.device[model_current].copies_under_way = false)

MODEL_FUNCTION(cudaMemGetInfo, (size_t * free_p, size_t *all_p),
               model_check(model_current),
               *free_p = (size_t)model_memory_left(model_current),
               *all_p = (size_t)model.memory)

MODEL_FUNCTION(cudaGetDeviceProperties,
               (struct cudaDeviceProp * properties_p, int device),
               model_exists(device),
               *properties_p = (struct cudaDeviceProp){
                   .name = "model of a CUDA device",
                   .totalGlobalMem = (size_t)model.memory,
                   .multiProcessorCount = model.processors,
                   .cooperativeLaunch = model.processors > 0,
                   .major = HOPPER})

MODEL_FUNCTION(cudaDeviceGetPCIBusId, (char *text_p, int length, int device),
               model_exists(device),
               snprintf(text_p, (size_t)length, "0000:A%d:00.0",
                        model.device[device].place))

MODEL_FUNCTION(cudaDeviceCanAccessPeer, (int *can_p, int device, int other),
               model_exists(device), MODEL_TRY(model_exists(other));
               *can_p = model.peers && device != other)

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
    model_device_t *d = &model.device[model_current];
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    MODEL_TRY(model_exists(other));
    if (flags != 0 || other == model_current)
        return cudaErrorInvalidValue;
    if (!model.peers)
        return cudaErrorPeerAccessUnsupported;
    if ((d->reaches >> other & 1) != 0)
        return cudaErrorPeerAccessAlreadyEnabled;
    d->reaches |= 1u << other;
    return cudaSuccess;
}
