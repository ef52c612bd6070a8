/* SPDX-License-Identifier: BSD-3-Clause */
#include <cublas_v2.h>
#include "testing/cuda_model/model.h"

/*
 * rocBLAS, as hybrid/device/hip/ uses it: the model of cuBLAS by other names
 * and numbers. A handle has a workspace of its own.
 */
enum { NONE = 111, TRANSPOSE = 112, LOWER = 122, UNIT = 132, LEFT = 141 };

static cublasOperation_t operation(int op)
{
    if (op != NONE && op != TRANSPOSE)
        model_die("%d is no operation of rocBLAS", op);
    return op == NONE ? CUBLAS_OP_N : CUBLAS_OP_T;
}

static int status_of(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS         ? 0
           : status == CUBLAS_STATUS_ALLOC_FAILED  ? 5
           : status == CUBLAS_STATUS_INVALID_VALUE ? 11
                                                   : 6;
}

const char *rocblas_status_to_string(int status)
{
    return cublasGetStatusString(status == 11 ? CUBLAS_STATUS_INVALID_VALUE
                                              : CUBLAS_STATUS_EXECUTION_FAILED);
}

int rocblas_create_handle(cublasHandle_t *handle_p)
{
    const int status = status_of(cublasCreate(handle_p));

    if (status == 0)
        model_own_workspace(*handle_p);
    return status;
}

int rocblas_destroy_handle(cublasHandle_t handle)
{
    return status_of(cublasDestroy(handle));
}

int rocblas_set_stream(cublasHandle_t handle, cudaStream_t stream)
{
    return status_of(cublasSetStream(handle, stream));
}

int rocblas_dgemm_64(cublasHandle_t handle, int op_a, int op_b, int64_t m,
                     int64_t n, int64_t k, const double *alpha, const double *a,
                     int64_t lda, const double *b, int64_t ldb,
                     const double *beta, double *c, int64_t ldc)
{
    return status_of(cublasDgemm_64(handle, operation(op_a), operation(op_b), m,
                                    n, k, alpha, a, lda, b, ldb, beta, c, ldc));
}

int rocblas_dtrsm_64(cublasHandle_t handle, int side, int fill, int op_a,
                     int diagonal, int64_t m, int64_t n, const double *alpha,
                     const double *a, int64_t lda, double *b, int64_t ldb)
{
    if (side != LEFT || fill != LOWER || diagonal != UNIT)
        model_die("there is no such trsm here");
    return status_of(cublasDtrsm_64(
        handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, operation(op_a),
        CUBLAS_DIAG_UNIT, m, n, alpha, a, lda, b, ldb));
}

int rocblas_dgemv_64(cublasHandle_t handle, int op_a, int64_t m, int64_t n,
                     const double *alpha, const double *a, int64_t lda,
                     const double *x, int64_t incx, const double *beta,
                     double *y, int64_t incy)
{
    return status_of(cublasDgemv_64(handle, operation(op_a), m, n, alpha, a,
                                    lda, x, incx, beta, y, incy));
}
