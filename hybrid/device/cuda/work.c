/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include "hybrid/device/cuda/cuda.h"

/* ---- which memory ------------------------------------------------------- */

typedef enum { ON_HOST, ON_DEVICE, ON_ANOTHER } place_t;

static xh_status_t find_out(hyb_cuda_device_t *device, uintptr_t address,
                            place_t *place_p)
{
    struct cudaPointerAttributes kind = {.type = cudaMemoryTypeUnregistered};
    cudaError_t error = cudaPointerGetAttributes(&kind, (void *)address);
    xh_status_t status = XH_OK;

    if (error == cudaErrorInvalidValue) /* no address that CUDA knows */
        cudaGetLastError();
    else
        status = hyb_cuda_status(device, "looking up an address", error);
    if (status != XH_OK)
        return status;
    if (kind.type != cudaMemoryTypeDevice)
        *place_p = ON_HOST;
    else
        *place_p = kind.device == device->index ? ON_DEVICE : ON_ANOTHER;
    return XH_OK;
}

static xh_status_t refuse(const hyb_cuda_device_t *device, const char *name,
                          xh_view_t v, const char *why)
{
    hyb_cuda_say(device, XH_LOG_ERROR,
                 "%s, %" PRId64 " x %" PRId64 ", ld %" PRId64 " at %p, %s",
                 name, v.rows, v.cols, v.ld, (void *)v.data, why);
    return XH_ERR_ARG;
}

/* Unsigned, as a view that is no good may end anywhere. */
static uintptr_t last_of(xh_view_t v)
{
    uintptr_t elements =
        (uintptr_t)v.rows - 1 + ((uintptr_t)v.cols - 1) * (uintptr_t)v.ld;

    return (uintptr_t)v.data + elements * sizeof(double);
}

static xh_status_t check_on_device(hyb_cuda_device_t *device, const char *name,
                                   xh_view_t v)
{
    place_t first = ON_HOST, last = ON_HOST;
    xh_status_t status;

    if (v.rows == 0 || v.cols == 0)
        return XH_OK;
    status = find_out(device, (uintptr_t)v.data, &first);
    if (status == XH_OK)
        status = find_out(device, last_of(v), &last);
    if (status != XH_OK || (first == ON_DEVICE && last == ON_DEVICE))
        return status;
    return refuse(device, name, v, "is not in the device's memory");
}

static xh_status_t check_on_host(hyb_cuda_device_t *device, const char *name,
                                 xh_view_t v)
{
    place_t first = ON_HOST, last = ON_HOST;
    xh_status_t status = find_out(device, (uintptr_t)v.data, &first);

    if (status == XH_OK)
        status = find_out(device, last_of(v), &last);
    if (status != XH_OK || (first == ON_HOST && last == ON_HOST))
        return status;
    return refuse(device, name, v, "is in a device's memory");
}

/* ---- copies ------------------------------------------------------------- */

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
    cudaError_t error =
        whole ? cudaMemcpyAsync(to.data, from.data, columns * column, kind,
                                queue->stream)
              : cudaMemcpy2DAsync(to.data, pitch(to), from.data, pitch(from),
                                  column, columns, kind, queue->stream);

    return hyb_cuda_status(device, "queueing a copy", error);
}

xh_status_t hyb_cuda_copy_in(void *state, void *queue, xh_view_t from_host,
                             xh_view_t to_device)
{
    xh_status_t status = hyb_cuda_enter(state);

    if (status == XH_OK)
        status = check_on_host(state, "a copy's source", from_host);
    if (status == XH_OK)
        status = check_on_device(state, "a copy's destination", to_device);
    if (status == XH_OK)
        status =
            copy(state, queue, from_host, to_device, cudaMemcpyHostToDevice);
    return status;
}

xh_status_t hyb_cuda_copy_out(void *state, void *queue, xh_view_t from_device,
                              xh_view_t to_host)
{
    xh_status_t status = hyb_cuda_enter(state);

    if (status == XH_OK)
        status = check_on_device(state, "a copy's source", from_device);
    if (status == XH_OK)
        status = check_on_host(state, "a copy's destination", to_host);
    if (status == XH_OK)
        status =
            copy(state, queue, from_device, to_host, cudaMemcpyDeviceToHost);
    return status;
}

/* ---- products ----------------------------------------------------------- */

static cublasOperation_t operation(xh_trans_t trans)
{
    return trans == XH_TRANS ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* v's data, or of a matrix of no elements some address that is valid. */
static const double *data_of(xh_view_t v, xh_view_t otherwise)
{
    return v.rows > 0 && v.cols > 0 ? v.data : otherwise.data;
}

static xh_status_t multiply(hyb_cuda_device_t *device, hyb_cuda_queue_t *queue,
                            const xh_gemm_t *p)
{
    int64_t k = p->trans_a == XH_TRANS ? p->a.rows : p->a.cols;

    return hyb_cuda_blas_status(
        device, "cublasDgemm",
        device->blas->dgemm(
            queue->blas, operation(p->trans_a), operation(p->trans_b),
            p->c.rows, p->c.cols, k, &p->alpha, data_of(p->a, p->c), p->a.ld,
            data_of(p->b, p->c), p->b.ld, &p->beta, p->c.data, p->c.ld));
}

xh_status_t hyb_cuda_gemm(void *state, void *queue, const xh_gemm_t *product)
{
    xh_status_t status = hyb_cuda_enter(state);

    if (status == XH_OK)
        status = check_on_device(state, "A of a product", product->a);
    if (status == XH_OK)
        status = check_on_device(state, "B of a product", product->b);
    if (status == XH_OK)
        status = check_on_device(state, "C of a product", product->c);
    return status == XH_OK ? multiply(state, queue, product) : status;
}
