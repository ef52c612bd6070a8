/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cuda/cuda.h"

const hyb_host_t *hyb_cuda_host;

xh_status_t hyb_cuda_fail(hyb_cuda_device_t *device, const char *what,
                          const char *why)
{
    if (!atomic_exchange(&device->failed, true))
        hyb_cuda_host->log(XH_LOG_ERROR, HYB_CUDA_NAME, device->index, "%s: %s",
                           what, why);
    return XH_ERR_DEVICE;
}

xh_status_t hyb_cuda_status(hyb_cuda_device_t *device, const char *what,
                            cudaError_t error)
{
    if (error == cudaSuccess)
        return XH_OK;
    cudaGetLastError(); /* clear it, or another call returns it again */
    return error == cudaErrorMemoryAllocation
               ? XH_ERR_MEMORY
               : hyb_cuda_fail(device, what, cudaGetErrorString(error));
}

xh_status_t hyb_cuda_blas_status(hyb_cuda_device_t *device, const char *what,
                                 cublasStatus_t result)
{
    if (result == CUBLAS_STATUS_SUCCESS)
        return XH_OK;
    return result == CUBLAS_STATUS_ALLOC_FAILED
               ? XH_ERR_MEMORY
               : hyb_cuda_fail(device, what, device->blas->status_text(result));
}

xh_status_t hyb_cuda_enter(void *state)
{
    hyb_cuda_device_t *device = state;

    if (atomic_load(&device->failed))
        return XH_ERR_DEVICE;
    return hyb_cuda_status(device, "selecting the device",
                           cudaSetDevice(device->index));
}
