/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What bench/cuda_reference.py calls of CUDA's libraries, all in one: memory is
 * the host's, a product or a factorization is none, but lets a clock go on as
 * if at 1 Gflop/s. A call whose arguments are not in order returns a status of
 * its own, and what it takes for wrong is on stderr.
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRONG 99 /* a status of all libraries */

enum { ALLOCATIONS = 16, HANDLE = 7 };
enum { ROOM_THERE = 1000, ROOM_HERE = 24 }; /* bytes of workspaces */

static const double rate = 1e9;
static double now; /* seconds */
static long products, factorizations;
static struct {
    char *begin;
    size_t bytes;
} memory[ALLOCATIONS];

#define EXPECT(condition)                                                      \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s: not so: %s\n", __func__, #condition);         \
            return WRONG;                                                      \
        }                                                                      \
    } while (0)

static bool holds(const void *begin, size_t bytes)
{
    const char *at = begin;

    for (int i = 0; i < ALLOCATIONS; i++)
        if (memory[i].begin != NULL && at >= memory[i].begin &&
            at + bytes <= memory[i].begin + memory[i].bytes)
            return true;
    return false;
}

/* Is there an m x n matrix of values that are random? */
static bool is_random(const double *a, int64_t m, int64_t n, int64_t ld)
{
    double sum = 0.0;

    if (ld < m || !holds(a, (size_t)(ld * (n - 1) + m) * sizeof(double)))
        return false;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            if (!(fabs(a[i + j * ld]) <= 0.5))
                return false;
            sum += fabs(a[i + j * ld]);
        }
    return fabs(sum / (double)(m * n) - 0.25) < 0.05;
}

/* ---- the runtime --------------------------------------------------------- */

cudaError_t cudaSetDevice(int device)
{
    EXPECT(device == 3);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    EXPECT(length >= 13 && device == 3);
    strcpy(text, "0000:00:06.0");
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_p, size_t *total_p)
{
    *free_p = 4000000;
    *total_p = 5000000;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory_p, size_t bytes)
{
    int i = 0;

    while (i < ALLOCATIONS && memory[i].begin != NULL)
        i++;
    EXPECT(i < ALLOCATIONS && bytes > 0);
    if (bytes > 4000000)
        return cudaErrorMemoryAllocation;
    *memory_p = memory[i].begin = malloc(bytes);
    memory[i].bytes = bytes;
    return cudaSuccess;
}

cudaError_t cudaFree(void *begin)
{
    int i = 0;

    while (i < ALLOCATIONS && memory[i].begin != begin)
        i++;
    EXPECT(i < ALLOCATIONS && begin != NULL);
    free(begin);
    memory[i].begin = NULL;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind)
{
    EXPECT(kind == cudaMemcpyHostToDevice || holds(from, bytes));
    EXPECT(kind == cudaMemcpyDeviceToHost || holds(to, bytes));
    EXPECT(kind != cudaMemcpyHostToHost && kind != cudaMemcpyDefault);
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event_p)
{
    *event_p = calloc(1, sizeof(double));
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    EXPECT(stream == NULL);
    *(double *)event = now;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    EXPECT(event != NULL);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds_p, cudaEvent_t begin,
                                 cudaEvent_t end)
{
    *milliseconds_p = (float)(1e3 * (*(double *)end - *(double *)begin));
    return cudaSuccess;
}

/* ---- cuBLAS -------------------------------------------------------------- */

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle_p)
{
    const char *emulates = getenv("CUBLAS_EMULATE_DOUBLE_PRECISION");

    EXPECT(emulates != NULL && strcmp(emulates, "0") == 0);
    *handle_p = (cublasHandle_t)(uintptr_t)HANDLE;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    EXPECT(handle == (cublasHandle_t)(uintptr_t)HANDLE);
    fprintf(stderr, "%ld products\n", products);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    EXPECT(handle == (cublasHandle_t)(uintptr_t)HANDLE);
    EXPECT(mode == CUBLAS_DEFAULT_MATH);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t op_a,
                              cublasOperation_t op_b, int m, int n, int k,
                              const double *alpha, const double *a, int lda,
                              const double *b, int ldb, const double *beta,
                              double *c, int ldc)
{
    EXPECT(handle == (cublasHandle_t)(uintptr_t)HANDLE);
    EXPECT(op_a == CUBLAS_OP_N && op_b == CUBLAS_OP_N);
    EXPECT(*alpha == -1.0 && *beta == 1.0);
    EXPECT(products > 0 || is_random(a, m, k, lda));
    EXPECT(products > 0 || is_random(b, k, n, ldb));
    EXPECT(products > 0 || is_random(c, m, n, ldc));
    EXPECT(a + (int64_t)lda * k <= b && b + (int64_t)ldb * n <= c);
    products++;
    now += 2.0 * m * n * k / rate;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- cuSOLVER ------------------------------------------------------------ */

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle_p)
{
    *handle_p = (cusolverDnHandle_t)(uintptr_t)HANDLE;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params_p)
{
    *params_p = (cusolverDnParams_t)(uintptr_t)(HANDLE + 1);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    EXPECT(handle == (cusolverDnHandle_t)(uintptr_t)HANDLE);
    fprintf(stderr, "%ld factorizations\n", factorizations);
    for (int i = 0; i < ALLOCATIONS; i++)
        EXPECT(memory[i].begin == NULL);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
    EXPECT(params == (cusolverDnParams_t)(uintptr_t)(HANDLE + 1));
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle,
                                             cusolverDnParams_t params,
                                             int64_t m, int64_t n,
                                             cudaDataType type, const void *a,
                                             int64_t lda, cudaDataType compute,
                                             size_t *there_p, size_t *here_p)
{
    EXPECT(handle == (cusolverDnHandle_t)(uintptr_t)HANDLE);
    EXPECT(params == (cusolverDnParams_t)(uintptr_t)(HANDLE + 1));
    EXPECT(type == CUDA_R_64F && compute == CUDA_R_64F);
    EXPECT(m == n && lda >= m && holds(a, (size_t)(lda * n) * sizeof(double)));
    *there_p = ROOM_THERE;
    *here_p = ROOM_HERE;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                 int64_t m, int64_t n, cudaDataType type, void *a, int64_t lda,
                 int64_t *pivots, cudaDataType compute, void *there,
                 size_t there_bytes, void *here, size_t here_bytes, int *info)
{
    const char *singular = getenv("REFERENCE_INFO");

    EXPECT(handle == (cusolverDnHandle_t)(uintptr_t)HANDLE);
    EXPECT(params == (cusolverDnParams_t)(uintptr_t)(HANDLE + 1));
    EXPECT(type == CUDA_R_64F && compute == CUDA_R_64F);
    EXPECT(m == n && is_random(a, m, n, lda));
    EXPECT(holds(pivots, (size_t)n * sizeof(*pivots)));
    EXPECT(there_bytes == ROOM_THERE && holds(there, there_bytes));
    EXPECT(here_bytes == ROOM_HERE && holds(info, sizeof(*info)));
    memset(here, 0, here_bytes);
    *info = singular != NULL ? atoi(singular) : 0;
    factorizations++;
    now += (2.0 / 3.0 * (double)n + 1.5) * (double)(n * n) / rate;
    return CUSOLVER_STATUS_SUCCESS;
}
