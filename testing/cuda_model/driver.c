/* SPDX-License-Identifier: BSD-3-Clause */
#include <cuda_runtime_api.h>
#include "testing/cuda_model/model.h"

/*
 * The driver's functions that hybrid/device/cuda/driver.h takes for a runtime
 * before 12.8: the model of the later one by other names.
 */
cudaError_t cuModuleLoadData(cudaLibrary_t *library_p, const void *image)
{
    return cudaLibraryLoadData(library_p, image, NULL, NULL, 0, NULL, NULL, 0);
}

cudaError_t cuModuleUnload(cudaLibrary_t library)
{
    return cudaLibraryUnload(library);
}

cudaError_t cuModuleGetFunction(cudaKernel_t *kernel_p, cudaLibrary_t library,
                                const char *name)
{
    return cudaLibraryGetKernel(kernel_p, library, name);
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

cudaError_t cuOccupancyMaxActiveBlocksPerMultiprocessor(int *groups_p,
                                                        cudaKernel_t kernel,
                                                        int items,
                                                        size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(groups_p, kernel,
                                                         items, shared);
}

cudaError_t cuLaunchKernel(cudaKernel_t kernel, unsigned grid_x,
                           unsigned grid_y, unsigned grid_z, unsigned group_x,
                           unsigned group_y, unsigned group_z, unsigned shared,
                           cudaStream_t stream, void **arguments, void **extra)
{
    if (extra != NULL)
        return cudaErrorInvalidValue;
    return cudaLaunchKernel(kernel, (struct dim3){grid_x, grid_y, grid_z},
                            (struct dim3){group_x, group_y, group_z}, arguments,
                            shared, stream);
}

cudaError_t cuLaunchCooperativeKernel(cudaKernel_t kernel, unsigned grid_x,
                                      unsigned grid_y, unsigned grid_z,
                                      unsigned group_x, unsigned group_y,
                                      unsigned group_z, unsigned shared,
                                      cudaStream_t stream, void **arguments)
{
    return cudaLaunchCooperativeKernel(
        kernel, (struct dim3){grid_x, grid_y, grid_z},
        (struct dim3){group_x, group_y, group_z}, arguments, shared, stream);
}
