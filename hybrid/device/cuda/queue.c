/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include "hybrid/device/cuda/cuda.h"

#define LOOK 100e-6 /* seconds between two looks at a queue */

/*
 * A destroyed queue is kept for reuse: destroying a cuBLAS handle waits for the
 * whole device.
 */

/* ---- one queue ---------------------------------------------------------- */

static xh_status_t open_blas(hyb_cuda_device_t *device, hyb_cuda_queue_t *queue)
{
    xh_status_t status = hyb_cuda_blas_status(
        device, "cublasCreate", device->blas->create(&queue->blas));

    if (status == XH_OK)
        status = hyb_cuda_blas_status(
            device, "cublasSetStream",
            device->blas->set_stream(queue->blas, queue->stream));
    /* setting a stream resets the workspace to cuBLAS's own */
    if (status == XH_OK)
        status = hyb_cuda_blas_status(
            device, "cublasSetWorkspace",
            device->blas->set_workspace(queue->blas, queue->workspace,
                                        device->workspace));
    return status;
}

static xh_status_t build(hyb_cuda_device_t *device, hyb_cuda_queue_t *queue)
{
    int lowest = 0, highest = 0;
    xh_status_t status =
        hyb_cuda_status(device, "asking for the priorities of streams",
                        cudaDeviceGetStreamPriorityRange(&lowest, &highest));

    if (status == XH_OK)
        status = hyb_cuda_status(
            device, "creating a stream",
            cudaStreamCreateWithPriority(
                &queue->stream, cudaStreamNonBlocking,
                queue->priority == HYB_QUEUE_HIGH ? highest : lowest));
    if (status == XH_OK)
        status =
            hyb_cuda_status(device, "allocating a workspace",
                            cudaMalloc(&queue->workspace, device->workspace));
    if (status == XH_OK)
        status = open_blas(device, queue);
    return status;
}

/* Undo as much as build has done. */
static void dismantle(hyb_cuda_device_t *device, hyb_cuda_queue_t *queue)
{
    if (queue->blas != NULL)
        hyb_cuda_blas_status(device, "cublasDestroy",
                             device->blas->destroy(queue->blas));
    if (queue->workspace != NULL)
        hyb_cuda_status(device, "freeing a workspace",
                        cudaFree(queue->workspace));
    if (queue->stream != NULL)
        hyb_cuda_status(device, "destroying a stream",
                        cudaStreamDestroy(queue->stream));
}

/* ---- the device's queues ------------------------------------------------ */

/* A destroyed queue that is idle; NULL if there is none. */
static hyb_cuda_queue_t *take_kept(hyb_cuda_device_t *device,
                                   hyb_priority_t priority)
{
    hyb_cuda_queue_t *queue;

    pthread_mutex_lock(&device->lock);
    queue = device->queues;
    while (queue != NULL && (queue->taken || queue->priority != priority ||
                             cudaStreamQuery(queue->stream) != cudaSuccess))
        queue = queue->next;
    if (queue != NULL)
        queue->taken = true;
    pthread_mutex_unlock(&device->lock);
    cudaGetLastError(); /* cudaErrorNotReady is no error */
    return queue;
}

static xh_status_t add(hyb_cuda_device_t *device, hyb_priority_t priority,
                       void **queue_p)
{
    hyb_cuda_queue_t *queue = calloc(1, sizeof(*queue));
    xh_status_t status;

    if (queue == NULL)
        return XH_ERR_MEMORY;
    queue->priority = priority;
    status = build(device, queue);
    if (status != XH_OK) {
        dismantle(device, queue);
        free(queue);
        return status;
    }
    queue->taken = true;
    pthread_mutex_lock(&device->lock);
    queue->next = device->queues;
    device->queues = queue;
    pthread_mutex_unlock(&device->lock);
    *queue_p = queue;
    return XH_OK;
}

xh_status_t hyb_cuda_queue_create(void *state, hyb_priority_t priority,
                                  void **queue_p)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);
    hyb_cuda_queue_t *kept;

    if (status != XH_OK)
        return status;
    kept = take_kept(device, priority);
    if (kept != NULL) {
        *queue_p = kept;
        return XH_OK;
    }
    status = add(device, priority, queue_p);
    if (status == XH_ERR_MEMORY)
        hyb_cuda_say(device, XH_LOG_INFO,
                     "no memory for a queue, which takes %zu bytes",
                     device->workspace);
    return status;
}

void hyb_cuda_queue_destroy(void *state, void *queue)
{
    hyb_cuda_device_t *device = state;

    pthread_mutex_lock(&device->lock);
    ((hyb_cuda_queue_t *)queue)->taken = false;
    pthread_mutex_unlock(&device->lock);
}

static bool has_work(const hyb_cuda_device_t *device,
                     const hyb_cuda_queue_t *queue)
{
    return !atomic_load(&device->given_up) &&
           cudaStreamQuery(queue->stream) == cudaErrorNotReady;
}

/* Polls, because nothing can interrupt cudaStreamSynchronize. */
void hyb_cuda_queues_settle(hyb_cuda_device_t *device)
{
    hyb_cuda_queue_t *queue = device->queues;

    if (queue == NULL || atomic_load(&device->given_up))
        return;
    cudaSetDevice(device->index);
    for (; queue != NULL; queue = queue->next)
        while (has_work(device, queue))
            hyb_cuda_nap(LOOK);
    cudaGetLastError(); /* the device has failed already */
}

void hyb_cuda_queues_close(hyb_cuda_device_t *device, bool abandon)
{
    hyb_cuda_queue_t *queue;

    for (queue = device->queues; queue != NULL && !abandon; queue = queue->next)
        hyb_cuda_status(device, "the last work of a queue",
                        cudaStreamSynchronize(queue->stream));
    while ((queue = device->queues) != NULL) {
        device->queues = queue->next;
        if (!abandon)
            dismantle(device, queue);
        free(queue);
    }
}
