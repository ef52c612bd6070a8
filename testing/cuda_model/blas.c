/* SPDX-License-Identifier: BSD-3-Clause */
#include <cublas_v2.h>
#include "testing/cuda_model/model.h"

/*
 * cuBLAS, and rocBLAS as hybrid/device/hip/ uses it. The functions of rocBLAS
 * are cuBLAS's by other names (cuda_model.mk), with handles that know it: they
 * have workspaces of their own, and take and return other numbers.
 */
enum {
    WORKSPACE_ALIGNMENT = 256,
    WORKSPACE_NEEDED = 32 << 20, /* bytes, for full speed */
    EMULATED_DOUBLES = 8         /* of cublasMath_t, since CUDA 13 */
};

enum { /* rocBLAS's */
       OUT_OF_MEMORY = 5,
       FAILED = 6,
       NONE = 111, /* transposed: 1 more */
       LOWER = 122,
       UNIT = 132,
       LEFT = 141
};

struct cublasContext {
    int device; /* -1: it was destroyed */
    bool is_rocblas;
    cudaStream_t stream;
    void *workspace; /* the user's: products of several threads need it */
    size_t workspace_bytes;
    cublasMath_t math;
};

static cublasStatus_t status_of(cublasHandle_t handle, cudaError_t error)
{
    const bool lacks = error == cudaErrorMemoryAllocation;

    if (handle->is_rocblas)
        return (cublasStatus_t)(lacks ? OUT_OF_MEMORY : FAILED);
    return lacks ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_EXECUTION_FAILED;
}

#define BLAS_TRY(call)                                                         \
    do {                                                                       \
        cudaError_t error_ = (call);                                           \
        if (error_ != cudaSuccess)                                             \
            return status_of(handle, error_);                                  \
    } while (0)

const char *cublasGetStatusString(cublasStatus_t status)
{
    (void)status;
    return "the device fails";
}

/* ---- double precision ---------------------------------------------------- */

/* What the environment said when this library was loaded, which counts whatever
 * a handle is told. */
static bool site_emulates;

__attribute__((constructor)) static void load(void)
{
    const char *value = getenv("CUBLAS_EMULATE_DOUBLE_PRECISION");

    site_emulates = value != NULL && strcmp(value, "0") != 0;
}

static bool math_is(const char *kind)
{
    const char *value = getenv("CUDA_MODEL_MATH");

    return value != NULL && strcmp(value, kind) == 0;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    if (mode != CUBLAS_DEFAULT_MATH &&
        ((int)mode != EMULATED_DOUBLES || math_is("native")))
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->math = math_is("emulated") ? (cublasMath_t)EMULATED_DOUBLES : mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode_p)
{
    *mode_p = handle->math;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- handles ------------------------------------------------------------- */

#define CREATE(name, rocblas)                                                  \
    cublasStatus_t name(cublasHandle_t *handle_p)                              \
    {                                                                          \
        cublasHandle_t handle;                                                 \
        LOCK();                                                                \
                                                                               \
        handle = model_object(sizeof(*handle));                                \
        handle->device = model_current;                                        \
        handle->is_rocblas = rocblas;                                          \
        BLAS_TRY(model_admit("handle"));                                       \
        model.counts.handles++;                                                \
        *handle_p = handle;                                                    \
        return CUBLAS_STATUS_SUCCESS;                                          \
    }

CREATE(cublasCreate, false)
CREATE(rocblas_create_handle, true)

/* Waits for the device. */
cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    LOCK();

    BLAS_TRY(model_finish(handle->device, NULL, __func__));
    handle->device = -1;
    model.counts.handles--;
    return CUBLAS_STATUS_SUCCESS;
}

/* The handle's own workspace is back after that. */
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    LOCK();

    BLAS_TRY(model_check(handle->device));
    BLAS_TRY(model_check(stream->device));
    handle->stream = stream;
    handle->workspace_bytes = 0;
    return CUBLAS_STATUS_SUCCESS;
}

/* The handle that uses its workspace, which holds it. */
static cublasHandle_t *user_of(cublasHandle_t handle)
{
    return model_operand(handle->device, handle->workspace,
                         (int64_t)handle->workspace_bytes, "a workspace");
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace,
                                  size_t bytes)
{
    LOCK();

    BLAS_TRY(model_check(handle->device));
    if ((uintptr_t)workspace % WORKSPACE_ALIGNMENT != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    *user_of(handle) = handle;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- algebra ------------------------------------------------------------- */

typedef struct { /* op(X) */
    double *data;
    int64_t rows, cols;
    int64_t down, across; /* elements from one row and column to the next */
} operand_t;

static operand_t plain(const double *data, int64_t rows, int64_t cols,
                       int64_t ld)
{
    return (operand_t){(double *)data, rows, cols, 1, ld};
}

static operand_t operand(cublasHandle_t handle, const double *data, int op,
                         int64_t rows, int64_t cols, int64_t ld)
{
    const int none = handle->is_rocblas ? NONE : CUBLAS_OP_N;

    if (op != none && op != none + 1)
        model_die("%d is no operation", op);
    return op == none ? plain(data, rows, cols, ld)
                      : (operand_t){(double *)data, rows, cols, ld, 1};
}

/* C := alpha A B + beta C; C is not read if beta is 0. */
static void multiply(double alpha, operand_t a, operand_t b, double beta,
                     operand_t c)
{
    for (int64_t j = 0; j < c.cols; j++, c.data += c.across) {
        for (int64_t i = 0; i < c.rows; i++)
            c.data[i] = beta == 0.0 ? 0.0 : beta * c.data[i];
        for (int64_t l = 0; l < a.cols; l++) {
            const double *column = a.data + l * a.across;
            const double x = alpha * b.data[l * b.down + j * b.across];

            for (int64_t i = 0; i < c.rows; i++)
                c.data[i] += column[i * a.down] * x;
        }
    }
}

/* C := A^-1 C; A is unit lower triangular, the rest of it is not read. */
static void solve(operand_t a, operand_t c)
{
    for (int64_t j = 0; j < c.cols; j++, c.data += c.across)
        for (int64_t i = 0; i < c.rows; i++)
            for (int64_t l = 0; l < i; l++)
                c.data[i] -= a.data[i + l * a.across] * c.data[l];
}

/* Point x to what the device has there. */
static void find(operand_t *x, int device, const char *name)
{
    const int64_t ld = x->down * x->across;

    if (x->rows < 0 || x->cols < 0 || ld < 1 ||
        ld < (x->down == 1 ? x->rows : x->cols))
        model_die("%s: %lld x %lld elements with ld %lld", name,
                  (long long)x->rows, (long long)x->cols, (long long)ld);
    if (x->rows > 0 && x->cols > 0)
        x->data = model_operand(
            device, x->data,
            8 * ((x->rows - 1) * x->down + (x->cols - 1) * x->across + 1),
            name);
}

/* alpha and beta are read at once. Without b: a solve. */
static cublasStatus_t queue(cublasHandle_t handle, const char *name,
                            const double *alpha, operand_t a, operand_t b,
                            const double *beta, operand_t c)
{
    LOCK();

    BLAS_TRY(model_check(handle->device));
    BLAS_TRY(model_queue(handle->stream, name));
    if (!model_runs(handle->stream))
        return CUBLAS_STATUS_SUCCESS;
    if (!handle->is_rocblas && (handle->workspace_bytes < WORKSPACE_NEEDED ||
                                *user_of(handle) != handle))
        model_die("%s has too small a workspace, or shares one", name);
    find(&a, handle->device, name);
    find(&b, handle->device, name);
    find(&c, handle->device, name);
    if (b.data == NULL)
        solve(a, c);
    else
        multiply(*alpha, a, b, *beta, c);
    model.counts.emulated_products +=
        site_emulates || (int)handle->math == EMULATED_DOUBLES;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDgemm_64(cublasHandle_t handle, cublasOperation_t op_a,
                              cublasOperation_t op_b, int64_t m, int64_t n,
                              int64_t k, const double *alpha, const double *a,
                              int64_t lda, const double *b, int64_t ldb,
                              const double *beta, double *c, int64_t ldc)
{
    return queue(
        handle, "gemm", alpha, operand(handle, a, (int)op_a, m, k, lda),
        operand(handle, b, (int)op_b, k, n, ldb), beta, plain(c, m, n, ldc));
}

cublasStatus_t cublasDgemv_64(cublasHandle_t handle, cublasOperation_t op_a,
                              int64_t m, int64_t n, const double *alpha,
                              const double *a, int64_t lda, const double *x,
                              int64_t incx, const double *beta, double *y,
                              int64_t incy)
{
    if (incx != 1 || incy != 1)
        model_die("there is no such gemv here");
    return queue(handle, "gemv", alpha,
                 operand(handle, a, (int)op_a, m, n, lda),
                 plain(x, n, 1, n + 1), beta, plain(y, m, 1, m + 1));
}

cublasStatus_t cublasDtrsm_64(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t fill, cublasOperation_t op_a,
                              cublasDiagType_t diagonal, int64_t m, int64_t n,
                              const double *alpha, const double *a, int64_t lda,
                              double *b, int64_t ldb)
{
    const operand_t l1 = operand(handle, a, (int)op_a, m, m, lda);
    const bool is_known =
        handle->is_rocblas
            ? (int)side == LEFT && (int)fill == LOWER && (int)diagonal == UNIT
            : side == CUBLAS_SIDE_LEFT && fill == CUBLAS_FILL_MODE_LOWER &&
                  diagonal == CUBLAS_DIAG_UNIT;

    if (!is_known || l1.down != 1 || *alpha != 1.0)
        model_die("there is no such trsm here");
    return queue(handle, "trsm", alpha, l1, plain(NULL, 0, 0, 1), NULL,
                 plain(b, m, n, ldb));
}
