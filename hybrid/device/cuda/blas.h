/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CUDA_BLAS_H
#define HYB_CUDA_BLAS_H

#include "hybrid/device/cuda/vendor.h"

/* What is used of cuBLAS; each is the vendor's function of that name. */
typedef struct {
    __typeof__(cublasCreate) *create;
    __typeof__(cublasDestroy) *destroy;
    __typeof__(cublasSetStream) *set_stream;
    __typeof__(cublasSetWorkspace) *set_workspace;
    __typeof__(cublasDgemm_64) *dgemm;
    __typeof__(cublasDtrsm_64) *dtrsm;
    __typeof__(cublasDgemv_64) *dgemv;
    __typeof__(cublasGetStatusString) *status_text;
} hyb_cuda_blas_t;

/*
 * cuBLAS, of the version that this was built for. It is looked for once.
 *
 * why_p  out  why there is none; set if NULL is returned, never freed
 */
const hyb_cuda_blas_t *hyb_cuda_blas(const char **why_p);

#endif
