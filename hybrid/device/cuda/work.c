/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cuda/cuda.h"

/* Where a block is; NULL if it has no buffer, for want of elements. */
static double *address(hyb_block_t b)
{
    const hyb_cuda_buffer_t *buffer =
        b.buffer != NULL ? b.buffer->memory : NULL;

    return buffer != NULL ? buffer->data + b.offset : NULL;
}

/* ---- copies ------------------------------------------------------------- */

static xh_view_t view_of(hyb_block_t b)
{
    return (xh_view_t){address(b), b.rows, b.cols, b.ld};
}

static size_t pitch(xh_view_t v)
{
    return (size_t)v.ld * sizeof(double);
}

static xh_status_t copy(hyb_cuda_device_t *device, hyb_cuda_queue_t *queue,
                        xh_view_t from, xh_view_t to, enum cudaMemcpyKind kind)
{
    size_t column = (size_t)from.rows * sizeof(double);
    size_t columns = (size_t)from.cols;
    bool whole = columns == 1 || (from.ld == from.rows && to.ld == to.rows);
    xh_status_t status = hyb_cuda_enter(device);
    cudaError_t error;

    if (status != XH_OK)
        return status;
    error = whole
                ? cudaMemcpyAsync(to.data, from.data, columns * column, kind,
                                  queue->stream)
                : cudaMemcpy2DAsync(to.data, pitch(to), from.data, pitch(from),
                                    column, columns, kind, queue->stream);
    return hyb_cuda_status(device, "queueing a copy", error);
}

xh_status_t hyb_cuda_copy_in(void *state, void *queue, xh_view_t from_host,
                             hyb_block_t to)
{
    return copy(state, queue, from_host, view_of(to), cudaMemcpyHostToDevice);
}

xh_status_t hyb_cuda_copy_out(void *state, void *queue, hyb_block_t from,
                              xh_view_t to_host)
{
    return copy(state, queue, view_of(from), to_host, cudaMemcpyDeviceToHost);
}

xh_status_t hyb_cuda_copy(void *state, void *queue, hyb_block_t from,
                          hyb_block_t to)
{
    return copy(state, queue, view_of(from), view_of(to),
                cudaMemcpyDeviceToDevice);
}

/* ---- algebra ------------------------------------------------------------ */

static cublasOperation_t operation(xh_trans_t trans)
{
    return trans == XH_TRANS ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* The same for operands: cuBLAS wants a valid address of each. */
static const double *operand(hyb_block_t b, hyb_block_t otherwise)
{
    return b.rows > 0 && b.cols > 0 ? address(b) : address(otherwise);
}

xh_status_t hyb_cuda_gemm(void *state, void *queue, const hyb_gemm_t *product)
{
    hyb_cuda_device_t *device = state;
    const hyb_gemm_t *p = product;
    int64_t k = p->trans_a == XH_TRANS ? p->a.rows : p->a.cols;
    xh_status_t status = hyb_cuda_enter(device);

    if (status != XH_OK)
        return status;
    return hyb_cuda_blas_status(
        device, "cublasDgemm",
        device->blas->dgemm(((hyb_cuda_queue_t *)queue)->blas,
                            operation(p->trans_a), operation(p->trans_b),
                            p->c.rows, p->c.cols, k, &p->alpha,
                            operand(p->a, p->c), p->a.ld, operand(p->b, p->c),
                            p->b.ld, &p->beta, address(p->c), p->c.ld));
}

xh_status_t hyb_cuda_trsm(void *state, void *queue, hyb_block_t l1,
                          hyb_block_t u)
{
    static const double one = 1.0;
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);

    if (status != XH_OK)
        return status;
    return hyb_cuda_blas_status(
        device, "cublasDtrsm",
        device->blas->dtrsm(((hyb_cuda_queue_t *)queue)->blas, CUBLAS_SIDE_LEFT,
                            CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                            CUBLAS_DIAG_UNIT, u.rows, u.cols, &one, address(l1),
                            l1.ld, address(u), u.ld));
}

xh_status_t hyb_cuda_gemv(void *state, void *queue, hyb_block_t a,
                          hyb_block_t x, hyb_block_t y)
{
    static const double one = 1.0, minus_one = -1.0;
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);

    if (status != XH_OK)
        return status;
    return hyb_cuda_blas_status(
        device, "cublasDgemv",
        device->blas->dgemv(((hyb_cuda_queue_t *)queue)->blas, CUBLAS_OP_N,
                            a.rows, a.cols, &minus_one, address(a), a.ld,
                            address(x), 1, &one, address(y), 1));
}
