/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CUDA_VENDOR_H
#define HYB_CUDA_VENDOR_H

/* All that is included from the vendor; nothing outside this folder sees it. */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#if CUDART_VERSION < 12000
#error "CUDA 12 or later is needed"
#endif

#endif
