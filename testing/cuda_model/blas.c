/* SPDX-License-Identifier: BSD-3-Clause */
#include <cublas_v2.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "testing/cuda_model/model.h"

enum {
    WORKSPACE_ALIGNMENT = 256,
    WORKSPACE_NEEDED = 32 << 20, /* bytes, for full speed */
    EMULATED_DOUBLES = 8,        /* of cublasMath_t, since CUDA 13 */
    EMULATED_BITS = 50           /* of a mantissa */
};

struct cublasContext {
    int device;
    int beginning; /* since which one it is there */
    cudaStream_t stream;
    char *workspace; /* the user's: products of several threads need it */
    size_t workspace_bytes;
    bool has_own_workspace; /* for itself, as in rocBLAS */
    cublasMath_t math;
    struct cublasContext *next;
};

static struct cublasContext *handles;

/* ---- arithmetic ---------------------------------------------------------- */

/* What the environment said when this library was loaded, which counts whatever
 * a handle is told. */
static bool site_emulates;

__attribute__((constructor)) static void load(void)
{
    const char *value = getenv("CUBLAS_EMULATE_DOUBLE_PRECISION");

    site_emulates = value != NULL && strcmp(value, "0") != 0;
}

static bool model_math_is(const char *kind)
{
    const char *value = getenv("CUDA_MODEL_MATH");

    return value != NULL && strcmp(value, kind) == 0;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    MODEL_CALL();

    if (mode != CUBLAS_DEFAULT_MATH &&
        ((int)mode != EMULATED_DOUBLES || model_math_is("native")))
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->math =
        model_math_is("emulated") ? (cublasMath_t)EMULATED_DOUBLES : mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode_p)
{
    MODEL_CALL();

    *mode_p = handle->math;
    return CUBLAS_STATUS_SUCCESS;
}

static bool emulates(const struct cublasContext *handle)
{
    return site_emulates || (int)handle->math == EMULATED_DOUBLES;
}

/* x, as a product in emulated arithmetic takes it. */
static double seen(double x, bool emulated)
{
    int exponent;

    if (!emulated || !isfinite(x))
        return x;
    x = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(x, EMULATED_BITS)), exponent - EMULATED_BITS);
}

/* ---- handles ------------------------------------------------------------- */

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_INVALID_VALUE ? "a value is out of range"
                                                 : "the device fails";
}

static cublasStatus_t status_of(cudaError_t error)
{
    return error == cudaSuccess                 ? CUBLAS_STATUS_SUCCESS
           : error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
           : error == cudaErrorInvalidValue     ? CUBLAS_STATUS_INVALID_VALUE
                                            : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t cublasCreate(cublasHandle_t *handle_p)
{
    cudaError_t error;
    MODEL_CALL();

    error = model_admit(model_current, MODEL_HANDLE);
    if (error == cudaSuccess) {
        *handle_p = model_object(sizeof(**handle_p));
        (*handle_p)->device = model_current;
        (*handle_p)->beginning = model.beginnings;
        (*handle_p)->next = handles;
        handles = *handle_p;
        model.counts.handles++;
    }
    return status_of(error);
}

void model_own_workspace(cublasHandle_t handle)
{
    handle->has_own_workspace = true;
}

/* It waits for the device. */
cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    cudaError_t error;
    MODEL_CALL();

    error = model_check(handle->device);
    if (error == cudaSuccess)
        error = model_finish_device(handle->device, __func__);
    handle->device = -1;
    model.counts.handles--;
    return status_of(error);
}

/* The handle's own workspace is back after that. */
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    cudaError_t error;
    MODEL_CALL();

    error = model_check(handle->device);
    if (error == cudaSuccess && model_stream_device(stream) != handle->device)
        error = cudaErrorInvalidValue;
    handle->stream = stream;
    handle->workspace = NULL;
    return status_of(error);
}

/* Products of two streams overwrite each other's workspace. */
static bool is_shared(const char *workspace, size_t bytes)
{
    for (const struct cublasContext *h = handles; h != NULL; h = h->next)
        if (h->beginning == model.beginnings && h->device >= 0 &&
            h->workspace != NULL &&
            workspace < h->workspace + h->workspace_bytes &&
            h->workspace < workspace + bytes)
            return true;
    return false;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace,
                                  size_t bytes)
{
    cudaError_t error;
    MODEL_CALL();

    error = model_check(handle->device);
    if (error == cudaSuccess &&
        ((uintptr_t)workspace % WORKSPACE_ALIGNMENT != 0 ||
         model_place(workspace, bytes) != handle->device ||
         is_shared(workspace, bytes)))
        error = cudaErrorInvalidValue;
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    return status_of(error);
}

/* ---- algebra ------------------------------------------------------------- */

typedef struct {
    double *data;
    int64_t rows, cols;   /* of op(X) */
    int64_t down, across; /* elements from one row and column to the next */
    int64_t stored_rows, ld;
} operand_t;

typedef struct { /* gemv is a product whose B and C have one column */
    operand_t a, b, c;
    int64_t k;
    double alpha, beta;
    bool emulated;
} product_t;

static operand_t operand(const double *data, cublasOperation_t op, int64_t rows,
                         int64_t cols, int64_t ld)
{
    return op == CUBLAS_OP_N
               ? (operand_t){(double *)data, rows, cols, 1, ld, rows, ld}
               : (operand_t){(double *)data, rows, cols, ld, 1, cols, ld};
}

/* Point o to what the device has there; false if it is not all device's. */
static bool find(operand_t *o, int device)
{
    int64_t last =
        (o->rows - 1) * o->down + (o->cols - 1) * o->across; /* element */

    if (o->rows == 0 || o->cols == 0)
        return true;
    if (model_place(o->data, (size_t)(last + 1) * sizeof(double)) != device)
        return false;
    o->data = model_content(o->data);
    return true;
}

/* C := alpha A B + beta C; C is not read if beta is 0. */
static cudaError_t multiply(int device, product_t p)
{
    if (!find(&p.a, device) || !find(&p.b, device) || !find(&p.c, device))
        return cudaErrorIllegalAddress;
    for (int64_t j = 0; j < p.c.cols; j++) {
        double *c = p.c.data + j * p.c.ld;

        for (int64_t i = 0; i < p.c.rows; i++)
            c[i] = p.beta == 0.0 ? 0.0 : p.beta * c[i];
        for (int64_t l = 0; l < p.k; l++) {
            const double *a = p.a.data + l * p.a.across;
            double x = p.alpha * seen(p.b.data[l * p.b.down + j * p.b.across],
                                      p.emulated);

            for (int64_t i = 0; i < p.c.rows; i++)
                c[i] += seen(a[i * p.a.down], p.emulated) * x;
        }
    }
    return cudaSuccess;
}

/* C := A^-1 C; A is unit lower triangular, the rest of it is not read. */
static cudaError_t solve(int device, product_t p)
{
    if (!find(&p.a, device) || !find(&p.c, device))
        return cudaErrorIllegalAddress;
    for (int64_t j = 0; j < p.c.cols; j++) {
        double *c = p.c.data + j * p.c.ld;

        for (int64_t i = 0; i < p.c.rows; i++)
            for (int64_t l = 0; l < i; l++)
                c[i] -= p.a.data[i + l * p.a.ld] * c[l];
    }
    return cudaSuccess;
}

static bool is_proper(const operand_t *o)
{
    return o->rows >= 0 && o->cols >= 0 && o->ld >= 1 &&
           o->ld >= o->stored_rows;
}

static cublasStatus_t queue(cublasHandle_t handle, model_op_t op, product_t p)
{
    cudaError_t error;
    bool runs;
    MODEL_CALL();

    error = model_check(handle->device);
    if (error == cudaSuccess &&
        (!is_proper(&p.a) || !is_proper(&p.b) || !is_proper(&p.c)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !handle->has_own_workspace &&
        (handle->workspace == NULL ||
         handle->workspace_bytes < WORKSPACE_NEEDED))
        error = cudaErrorMemoryAllocation;
    p.emulated = op == MODEL_GEMM && emulates(handle);
    model.counts.emulated_products += p.emulated;
    if (error == cudaSuccess)
        error = model_queue(handle->stream, op, &runs);
    if (error == cudaSuccess && runs)
        model.device[handle->device].broken = op == MODEL_TRSM
                                                  ? solve(handle->device, p)
                                                  : multiply(handle->device, p);
    return status_of(error);
}

/* alpha and beta are the host's, read before this returns. */
cublasStatus_t cublasDgemm_64(cublasHandle_t handle, cublasOperation_t op_a,
                              cublasOperation_t op_b, int64_t m, int64_t n,
                              int64_t k, const double *alpha, const double *a,
                              int64_t lda, const double *b, int64_t ldb,
                              const double *beta, double *c, int64_t ldc)
{
    return queue(handle, MODEL_GEMM,
                 (product_t){operand(a, op_a, m, k, lda),
                             operand(b, op_b, k, n, ldb),
                             operand(c, CUBLAS_OP_N, m, n, ldc), k, *alpha,
                             *beta, false});
}

cublasStatus_t cublasDgemv_64(cublasHandle_t handle, cublasOperation_t op_a,
                              int64_t m, int64_t n, const double *alpha,
                              const double *a, int64_t lda, const double *x,
                              int64_t incx, const double *beta, double *y,
                              int64_t incy)
{
    if (incx != 1 || incy != 1)
        model_die("there is no such gemv here");
    return queue(handle, MODEL_GEMV,
                 (product_t){operand(a, op_a, m, n, lda),
                             operand(x, CUBLAS_OP_N, n, 1, n),
                             operand(y, CUBLAS_OP_N, m, 1, m), n, *alpha, *beta,
                             false});
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
    return queue(handle, MODEL_TRSM,
                 (product_t){.a = operand(a, op_a, m, m, lda),
                             .b = {.ld = 1},
                             .c = operand(b, CUBLAS_OP_N, m, n, ldb)});
}
