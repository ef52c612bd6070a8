/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CUDA_LIBRARY_H
#define HYB_CUDA_LIBRARY_H

/* All that is included from the vendor; nothing outside this folder sees it. */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include "hybrid/device/device.h"

#if CUDART_VERSION < 12000
#error "CUDA 12 or later is needed"
#endif

/*
 * Libraries that are looked for at run time, once, so that this plug-in loads
 * where they are not installed: cuBLAS, and the driver's management library.
 */

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
 * cuBLAS, of the version that this was built for.
 *
 * why_p  out  why there is none; set if NULL is returned, never freed
 */
const hyb_cuda_blas_t *hyb_cuda_blas(const char **why_p);

/*
 * What the management library knows of a device, which its PCI address names.
 * Neither function uses the device's context or waits for its work.
 */

/* Temperature, clock, power and energy now; NaN if unknown. */
hyb_device_sensors_t hyb_cuda_sensor_read(const char *pci_address);

/* Bytes of device memory that are free; false if unknown. */
bool hyb_cuda_sensor_memory(const char *pci_address, uint64_t *free_p);

#endif
