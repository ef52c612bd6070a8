/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include "hybrid/device/cuda/cuda.h"

/* ---- finding ------------------------------------------------------------ */

#define POINTER(name, arguments) cudaError_t(*cuda##name) arguments;
HYB_HIP_FUNCTIONS(POINTER)
const char *(*cudaGetErrorString)(cudaError_t error);

static bool load_hip(char *why_p)
{
#define SYMBOL(name, arguments) {"hip" #name, &cuda##name},
    static const hyb_cuda_symbol_t symbols[] = {
        HYB_HIP_FUNCTIONS(SYMBOL){"hipGetErrorString", &cudaGetErrorString},
        {NULL, NULL}};
    static const char *const files[] = {"libamdhip64.so", "libamdhip64.so.7",
                                        "libamdhip64.so.6", "libamdhip64.so.5",
                                        NULL};

    return hyb_cuda_open_library(files, symbols, why_p);
}

int hyb_cuda_find_devices(char *why_p)
{
    int found = 0;
    cudaError_t error;

    if (!load_hip(why_p)) {
        if (strstr(why_p, "cannot open shared object file: No such") != NULL)
            snprintf(why_p, HYB_CUDA_WHY, "there is no ROCm library");
        return 0;
    }
    error = cudaGetDeviceCount(&found);
    if (error == cudaSuccess && found > 0)
        return found;
    snprintf(why_p, HYB_CUDA_WHY, "the AMD driver shows no device: %s",
             cudaGetErrorString(error));
    return 0;
}

/* ---- rocBLAS ------------------------------------------------------------ */

static cublasStatus_t set_math(cublasHandle_t handle, cublasMath_t mode)
{
    (void)handle;
    return mode == CUBLAS_DEFAULT_MATH ? CUBLAS_STATUS_SUCCESS
                                       : CUBLAS_STATUS_INVALID_VALUE;
}

static cublasStatus_t get_math(cublasHandle_t handle, cublasMath_t *mode_p)
{
    (void)handle;
    *mode_p = CUBLAS_DEFAULT_MATH;
    return CUBLAS_STATUS_SUCCESS;
}

/* Ignore the workspace: with a fixed size, rocBLAS would report lower speed as
 * an error. */
static cublasStatus_t set_workspace(cublasHandle_t handle, void *memory,
                                    size_t bytes)
{
    (void)handle, (void)memory, (void)bytes;
    return CUBLAS_STATUS_SUCCESS;
}

xh_status_t hyb_cuda_load_blas(hyb_cuda_blas_t *blas, char *why_p)
{
    const hyb_cuda_symbol_t symbols[] = {
        {"rocblas_create_handle", &blas->create},
        {"rocblas_destroy_handle", &blas->destroy},
        {"rocblas_set_stream", &blas->set_stream},
        {"rocblas_dgemm_64", &blas->dgemm},
        {"rocblas_dtrsm_64", &blas->dtrsm},
        {"rocblas_dgemv_64", &blas->dgemv},
        {"rocblas_status_to_string", &blas->status_text},
        {NULL, NULL}};
    static const char *const files[] = {"librocblas.so", "librocblas.so.5",
                                        "librocblas.so.4", NULL};

    blas->set_workspace = set_workspace;
    blas->set_math = set_math;
    blas->math = get_math;
    return hyb_cuda_open_library(files, symbols, why_p) ? XH_OK : XH_ERR_DEVICE;
}
