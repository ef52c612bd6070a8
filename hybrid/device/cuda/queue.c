/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "hybrid/device/cuda/cuda.h"

#define FIRST_NAP 5e-6 /* seconds between polls */
#define LONGEST_NAP 100e-6

/* ---- handles of cuBLAS -------------------------------------------------- */

/* A value of cublasMath_t; headers before CUDA 13 lack it. */
enum { EMULATED_DOUBLES_MATH = 8 };

/* The installed library may ignore a mode, so set the mode and read it back. */
static xh_status_t set_arithmetic(hyb_cuda_device_t *device,
                                  cublasHandle_t handle)
{
    const bool emulates = hyb_cuda_emulates_doubles();
    const cublasMath_t wanted =
        emulates ? (cublasMath_t)EMULATED_DOUBLES_MATH : CUBLAS_DEFAULT_MATH;
    cublasMath_t mode = CUBLAS_PEDANTIC_MATH;

    if (device->blas->set_math(handle, wanted) == CUBLAS_STATUS_SUCCESS &&
        device->blas->math(handle, &mode) == CUBLAS_STATUS_SUCCESS &&
        mode == wanted)
        return XH_OK;
    hyb_cuda_host->log(
        XH_LOG_ERROR, HYB_CUDA_NAME, device->index,
        emulates ? "this " HYB_CUDA_BLAS " cannot emulate double precision,"
                   " which fp64=emulated asks for"
                 : "this " HYB_CUDA_BLAS " does not compute in double "
                   "precision, which fp64=native asks for");
    return XH_ERR_INPUT;
}

xh_status_t hyb_cuda_handle_create(hyb_cuda_device_t *device,
                                   cublasHandle_t *handle_p)
{
    cublasHandle_t handle;
    xh_status_t status;

    XH_TRY(hyb_cuda_blas_status(device, HYB_CUDA_BLAS "Create",
                                device->blas->create(&handle)));
    status = set_arithmetic(device, handle);
    if (status == XH_OK)
        *handle_p = handle;
    else
        device->blas->destroy(handle);
    return status;
}

/* ---- one queue ---------------------------------------------------------- */

static xh_status_t open_blas(hyb_cuda_device_t *device, hyb_cuda_queue_t *queue)
{
    xh_status_t status = hyb_cuda_handle_create(device, &queue->blas);

    if (status != XH_OK)
        return status == XH_ERR_MEMORY ? status : XH_ERR_DEVICE;
    XH_TRY(hyb_cuda_blas_status(
        device, HYB_CUDA_BLAS "SetStream",
        device->blas->set_stream(queue->blas, queue->stream)));
    /* Setting a stream resets the workspace to cuBLAS's own. */
    return hyb_cuda_blas_status(device, HYB_CUDA_BLAS "SetWorkspace",
                                device->blas->set_workspace(queue->blas,
                                                            queue->workspace,
                                                            device->workspace));
}

static xh_status_t build(hyb_cuda_device_t *device, hyb_priority_t priority,
                         hyb_cuda_queue_t *queue)
{
    int lowest = 0, highest = 0;

    XH_TRY(
        hyb_cuda_status(device, "asking for the priorities of streams",
                        cudaDeviceGetStreamPriorityRange(&lowest, &highest)));
    XH_TRY(hyb_cuda_status(device, "creating a stream",
                           cudaStreamCreateWithPriority(
                               &queue->stream, cudaStreamNonBlocking,
                               priority == HYB_QUEUE_HIGH ? highest : lowest)));
    XH_TRY(hyb_cuda_status(device, "allocating a workspace",
                           cudaMalloc(&queue->workspace, device->workspace)));
    return open_blas(device, queue);
}

/* Undo what build() has done, even if it failed midway. */
static void dismantle(hyb_cuda_device_t *device, hyb_cuda_queue_t *queue)
{
    if (queue->blas != NULL)
        hyb_cuda_blas_status(device, HYB_CUDA_BLAS "Destroy",
                             device->blas->destroy(queue->blas));
    hyb_cuda_proposals_free(queue);
    if (queue->workspace != NULL)
        hyb_cuda_status(device, "freeing a workspace",
                        cudaFree(queue->workspace));
    if (queue->stream != NULL)
        hyb_cuda_status(device, "destroying a stream",
                        cudaStreamDestroy(queue->stream));
}

/* ---- the device's queues ------------------------------------------------ */

xh_status_t hyb_cuda_queue_create(void *state, hyb_priority_t priority,
                                  void **queue_p)
{
    hyb_cuda_device_t *device = state;
    hyb_cuda_queue_t *queue = calloc(1, sizeof(*queue));
    xh_status_t status;

    if (queue == NULL)
        return XH_ERR_MEMORY;
    queue->device = device;
    status = build(device, priority, queue);
    if (status != XH_OK) {
        if (status == XH_ERR_MEMORY)
            hyb_cuda_host->log(XH_LOG_INFO, HYB_CUDA_NAME, device->index,
                               "no memory for a queue, which takes %zu bytes",
                               device->workspace);
        dismantle(device, queue);
        free(queue);
        return status;
    }
    *queue_p = queue;
    return XH_OK;
}

void hyb_cuda_queue_destroy(void *state, void *queue)
{
    hyb_cuda_device_t *device = state;
    hyb_cuda_queue_t *ended = queue;

    if (hyb_cuda_enter(device) == XH_OK)
        hyb_cuda_status(device, "the last work of a queue",
                        cudaStreamSynchronize(ended->stream));
    if (hyb_cuda_enter(device) == XH_OK)
        dismantle(device, ended);
    free(ended);
}

/* ---- events ------------------------------------------------------------- */

xh_status_t hyb_cuda_event_create(void *state, void **event_p)
{
    cudaEvent_t event;

    XH_TRY(hyb_cuda_status(
        state, "creating an event",
        cudaEventCreateWithFlags(&event, cudaEventBlockingSync)));
    *event_p = event;
    return XH_OK;
}

void hyb_cuda_event_destroy(void *state, void *event)
{
    if (hyb_cuda_enter(state) == XH_OK)
        hyb_cuda_status(state, "destroying an event", cudaEventDestroy(event));
}

xh_status_t hyb_cuda_event_record(void *state, void *queue, void *event)
{
    return hyb_cuda_status(
        state, "recording an event",
        cudaEventRecord(event, ((hyb_cuda_queue_t *)queue)->stream));
}

xh_status_t hyb_cuda_queue_wait(void *state, void *queue, void *event)
{
    return hyb_cuda_status(
        state, "making a queue wait",
        cudaStreamWaitEvent(((hyb_cuda_queue_t *)queue)->stream, event, 0));
}

static xh_status_t look(hyb_cuda_device_t *device, cudaEvent_t event,
                        bool *done_p)
{
    cudaError_t error = cudaEventQuery(event);
    bool done = error != cudaErrorNotReady;

    if (done)
        XH_TRY(hyb_cuda_status(device, "work before an event", error));
    else
        cudaGetLastError();
    *done_p = done;
    return XH_OK;
}

/* CUDA has no wait with a time limit, so poll, with growing pauses. */
xh_status_t hyb_cuda_event_wait(void *state, void *event, double seconds,
                                bool *done_p)
{
    hyb_cuda_device_t *device = state;
    double end = xh_clock_wall() + seconds, pause = FIRST_NAP, left = seconds;
    bool done = false;

    XH_TRY(look(device, event, &done));
    while (!done && left > 0) {
        if (atomic_load(&device->failed))
            return XH_ERR_DEVICE;
        xh_clock_sleep(fmin(pause, left));
        pause = fmin(2 * pause, LONGEST_NAP);
        left = end - xh_clock_wall();
        XH_TRY(look(device, event, &done));
    }
    *done_p = done;
    return XH_OK;
}

xh_status_t hyb_cuda_event_elapsed(void *state, void *begin, void *end,
                                   double *seconds_p)
{
    float milliseconds = 0;
    cudaError_t error = cudaEventElapsedTime(&milliseconds, begin, end);

    if (error == cudaErrorNotReady) {
        cudaGetLastError();
        return XH_ERR_ARG;
    }
    XH_TRY(hyb_cuda_status(state, "timing events", error));
    *seconds_p = 1e-3 * (double)milliseconds;
    return XH_OK;
}
