/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/cuda_model/model.h"

/*
 * HIP, as hybrid/device/hip/hip.h declares it, and CUDA's driver, as
 * hybrid/device/cuda/driver.h does: what is not a function of CUDA's runtime by
 * another name (cuda_model.mk). Errors have the same numbers.
 */

/* ---- HIP's devices and memory -------------------------------------------- */

/* As ROCm up to 7 does: memory is registered again, and given back once. */
cudaError_t hipHostRegister(void *memory, size_t bytes, unsigned flags)
{
    cudaError_t error = cudaHostRegister(memory, bytes, flags);
    MODEL_CALL();

    if (error != cudaErrorHostMemoryAlreadyRegistered)
        return error;
    model.counts.pinned++;
    return cudaSuccess;
}

MODEL_FUNCTION(hipSetDeviceFlags, (unsigned flags), cudaSuccess,
               model.counts.flags = flags)

MODEL_FUNCTION(hipDeviceGetName, (char *text_p, int bytes, int device),
               model_exists(device),
               snprintf(text_p, (size_t)bytes, "model of a HIP device"))

MODEL_FUNCTION(hipDeviceTotalMem, (size_t * bytes_p, int device),
               model_exists(device), *bytes_p = (size_t)model.memory)

enum { COOPERATIVE_LAUNCH = 10, PROCESSORS = 63 };

MODEL_FUNCTION(hipDeviceGetAttribute, (int *value_p, int attribute, int device),
               model_exists(device),
               if (attribute != COOPERATIVE_LAUNCH &&
                   attribute != PROCESSORS) return cudaErrorInvalidValue;
               *value_p = attribute == PROCESSORS ? model.processors
                                                  : model.processors > 0)

MODEL_FUNCTION(hipHostGetDevicePointer,
               (void **pointer_p, void *host, unsigned flags),
               flags == 0 && model_place(host, 1) == MODEL_PINNED
                   ? cudaSuccess
                   : cudaErrorInvalidValue,
               *pointer_p = host)

/* ---- modules of both ----------------------------------------------------- */

cudaError_t hipModuleLoadData(cudaLibrary_t *library_p, const void *image)
{
    return model_load(image, "__CLANG_OFFLOAD_BUNDLE__", library_p);
}

cudaError_t cuModuleLoadData(cudaLibrary_t *library_p, const void *image)
{
    return cudaLibraryLoadData(library_p, image, NULL, NULL, 0, NULL, NULL, 0);
}

cudaError_t cuFuncGetAttribute(int *value_p, int which, cudaKernel_t kernel)
{
    enum { REGISTERS = 4 };
    struct cudaFuncAttributes all;

    if (which != REGISTERS)
        return cudaErrorInvalidValue;
    MODEL_TRY(cudaFuncGetAttributes(&all, kernel));
    *value_p = all.numRegs;
    return cudaSuccess;
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

cudaError_t hipModuleLaunchCooperativeKernel(
    cudaKernel_t kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared,
    cudaStream_t stream, void **arguments)
{
    return cudaLaunchCooperativeKernel(
        kernel, (struct dim3){grid_x, grid_y, grid_z},
        (struct dim3){group_x, group_y, group_z}, arguments, shared, stream);
}
