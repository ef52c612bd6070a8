/* SPDX-License-Identifier: BSD-3-Clause */
#include <cublas_v2.h>
#include <stdint.h>
#include <stdlib.h>
#include "testing/cuda_model/model.h"

enum { WORKSPACE_ALIGNMENT = 256, AT_ONCE = 4 };

struct cublasContext {
    int device;
    cudaStream_t stream;
    void *workspace; /* the user's; NULL: its own */
    size_t bytes;    /* of workspace */
    struct cublasContext *next;
};

static struct cublasContext *handles;

/* ---- handles ------------------------------------------------------------- */

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS         ? "none"
           : status == CUBLAS_STATUS_ALLOC_FAILED  ? "memory is exhausted"
           : status == CUBLAS_STATUS_INVALID_VALUE ? "a value is out of range"
                                                   : "the device fails";
}

/* Give the lock back; a call of CUDA inside came to error. */
static cublasStatus_t leave(cudaError_t error)
{
    model_leave(cudaSuccess);
    if (error == cudaErrorMemoryAllocation)
        return CUBLAS_STATUS_ALLOC_FAILED;
    if (error == cudaErrorInvalidValue)
        return CUBLAS_STATUS_INVALID_VALUE;
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t cublasCreate(cublasHandle_t *handle_p)
{
    int device = model_current();
    cudaError_t error;

    model_enter();
    error = model_admit(device, MODEL_HANDLE);
    if (error == cudaSuccess) {
        struct cublasContext *handle = calloc(1, sizeof(*handle));

        if (handle == NULL)
            model_die("no memory for a handle");
        handle->device = device;
        handle->next = handles;
        handles = handle;
        model.counts.handles++;
        *handle_p = handle;
    }
    return leave(error);
}

/* It waits for the device. */
cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    struct cublasContext **link = &handles;
    cudaError_t error;

    model_enter();
    error = model_check(handle->device);
    if (error == cudaSuccess)
        error = model_await_idle(handle->device, __func__);
    model.counts.handles--;
    while (*link != handle)
        link = &(*link)->next;
    *link = handle->next;
    free(handle);
    return leave(error);
}

/* The handle's own workspace is back after that. */
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    cudaError_t error;

    model_enter();
    error = model_check(handle->device);
    if (error == cudaSuccess && model_stream_device(stream) != handle->device)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        handle->stream = stream;
        handle->workspace = NULL;
    }
    return leave(error);
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace,
                                  size_t bytes)
{
    cudaError_t error;

    model_enter();
    error = model_check(handle->device);
    if (error == cudaSuccess &&
        ((uintptr_t)workspace % WORKSPACE_ALIGNMENT != 0 ||
         model_device_of(workspace, bytes) != handle->device))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        handle->workspace = workspace;
        handle->bytes = bytes;
    }
    return leave(error);
}

/* ---- algebra --------------------------------------------------------- */

typedef struct {
    const double *data;
    int64_t rows, cols, ld; /* as it is stored */
    bool transposed;
} operand_t;

typedef struct { /* gemv is a product whose B and C have one column */
    model_op_t op;
    operand_t a, b, c; /* of trsm: L1, none, U */
    int64_t k;
    double alpha, beta;
    void *workspace;
    size_t workspace_bytes;
} product_t;

static operand_t operand(const double *data, cublasOperation_t operation,
                         int64_t rows, int64_t cols, int64_t ld)
{
    bool transposed = operation != CUBLAS_OP_N;

    return transposed ? (operand_t){data, cols, rows, ld, true}
                      : (operand_t){data, rows, cols, ld, false};
}

static bool is_proper(const operand_t *o)
{
    return o->rows >= 0 && o->cols >= 0 && o->ld >= 1 && o->ld >= o->rows;
}

/* Point o to what the device has there; false if it is not all device's. */
static bool find(operand_t *o, int device)
{
    size_t elements;

    if (o->rows == 0 || o->cols == 0)
        return true;
    elements = (size_t)((o->cols - 1) * o->ld + o->rows);
    if (model_device_of(o->data, elements * sizeof(double)) != device)
        return false;
    o->data = model_content(o->data);
    return true;
}

static bool find_all(product_t *p, int device)
{
    bool found;

    model_enter();
    found = find(&p->a, device) && find(&p->b, device) && find(&p->c, device) &&
            (p->workspace == NULL ||
             model_device_of(p->workspace, p->workspace_bytes) == device);
    model_leave(cudaSuccess);
    return found;
}

static double element(const operand_t *o, int64_t i, int64_t j)
{
    return o->transposed ? o->data[j + i * o->ld] : o->data[i + j * o->ld];
}

static double *column(const operand_t *c, int64_t j)
{
    return (double *)c->data + j * c->ld;
}

/* C := beta C; what is there is not read if beta is 0. */
static void scale(const product_t *p)
{
    int64_t i, j;

    for (j = 0; j < p->c.cols; j++)
        for (i = 0; i < p->c.rows; i++)
            column(&p->c, j)[i] =
                p->beta == 0.0 ? 0.0 : p->beta * column(&p->c, j)[i];
}

/* width columns of C from j on += alpha op(A) op(B), a column of A at a time */
static void add_columns(const product_t *p, int64_t j, int64_t width)
{
    int64_t i, l, w;

    for (l = 0; l < p->k; l++) {
        for (w = 0; w < width; w++) {
            double x = p->alpha * element(&p->b, l, j + w);
            double *c = column(&p->c, j + w);

            if (p->a.transposed)
                for (i = 0; i < p->c.rows; i++)
                    c[i] += p->a.data[l + i * p->a.ld] * x;
            else
                for (i = 0; i < p->c.rows; i++)
                    c[i] += p->a.data[i + l * p->a.ld] * x;
        }
    }
}

static void multiply(const product_t *p)
{
    int64_t j;

    scale(p);
    for (j = 0; j < p->c.cols && p->alpha != 0.0; j += AT_ONCE)
        add_columns(p, j, p->c.cols - j < AT_ONCE ? p->c.cols - j : AT_ONCE);
}

/* C := A^-1 C; A is unit lower triangular, the rest of it is not read. */
static void solve(const product_t *p)
{
    int64_t i, j, l;

    for (j = 0; j < p->c.cols; j++)
        for (i = 0; i < p->c.rows; i++)
            for (l = 0; l < i; l++)
                column(&p->c, j)[i] -=
                    element(&p->a, i, l) * column(&p->c, j)[l];
}

static cudaError_t run(int device, void *argument)
{
    product_t *p = argument;

    if (!find_all(p, device))
        return cudaErrorIllegalAddress;
    if (p->op == MODEL_TRSM)
        solve(p);
    else
        multiply(p);
    return cudaSuccess;
}

/* Queue p with the handle's workspace. */
static cublasStatus_t queue(cublasHandle_t handle, const product_t *p)
{
    product_t *argument = malloc(sizeof(*argument));
    cudaError_t error;

    if (argument == NULL)
        model_die("no memory for a product");
    *argument = *p;
    model_enter();
    argument->workspace = handle->workspace;
    argument->workspace_bytes = handle->bytes;
    error = model_check(handle->device);
    if (error == cudaSuccess &&
        (!is_proper(&p->a) || !is_proper(&p->b) || !is_proper(&p->c)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = model_queue(
            handle->stream,
            &(model_work_t){.op = p->op, .run = run, .argument = argument});
    else
        free(argument);
    return leave(error);
}

/* alpha and beta are the host's, read before this returns. */
cublasStatus_t cublasDgemm_64(cublasHandle_t handle, cublasOperation_t op_a,
                              cublasOperation_t op_b, int64_t m, int64_t n,
                              int64_t k, const double *alpha, const double *a,
                              int64_t lda, const double *b, int64_t ldb,
                              const double *beta, double *c, int64_t ldc)
{
    return queue(handle, &(product_t){.op = MODEL_GEMM,
                                      .a = operand(a, op_a, m, k, lda),
                                      .b = operand(b, op_b, k, n, ldb),
                                      .c = operand(c, CUBLAS_OP_N, m, n, ldc),
                                      .k = k,
                                      .alpha = *alpha,
                                      .beta = *beta});
}

cublasStatus_t cublasDgemv_64(cublasHandle_t handle, cublasOperation_t op_a,
                              int64_t m, int64_t n, const double *alpha,
                              const double *a, int64_t lda, const double *x,
                              int64_t incx, const double *beta, double *y,
                              int64_t incy)
{
    if (op_a != CUBLAS_OP_N || incx != 1 || incy != 1)
        model_die("there is no such gemv here");
    return queue(handle, &(product_t){.op = MODEL_GEMV,
                                      .a = operand(a, CUBLAS_OP_N, m, n, lda),
                                      .b = operand(x, CUBLAS_OP_N, n, 1, n),
                                      .c = operand(y, CUBLAS_OP_N, m, 1, m),
                                      .k = n,
                                      .alpha = *alpha,
                                      .beta = *beta});
}

cublasStatus_t cublasDtrsm_64(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t fill, cublasOperation_t op_a,
                              cublasDiagType_t diagonal, int64_t m, int64_t n,
                              const double *alpha, const double *a, int64_t lda,
                              double *b, int64_t ldb)
{
    if (side != CUBLAS_SIDE_LEFT || fill != CUBLAS_FILL_MODE_LOWER ||
        op_a != CUBLAS_OP_N || diagonal != CUBLAS_DIAG_UNIT || *alpha != 1.0)
        model_die("there is no such trsm here");
    return queue(handle, &(product_t){.op = MODEL_TRSM,
                                      .a = operand(a, CUBLAS_OP_N, m, m, lda),
                                      .b = {.ld = 1},
                                      .c = operand(b, CUBLAS_OP_N, m, n, ldb)});
}
