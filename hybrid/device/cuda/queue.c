/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "hybrid/device/cuda/cuda.h"

#define FIRST_NAP 5e-6 /* seconds between two looks at work */
#define LONGEST_NAP 100e-6

struct hyb_cuda_queue {
    cudaStream_t stream;
    cublasHandle_t blas;
    void *workspace; /* device memory that blas may use */
    hyb_cuda_queue_t *next;
};

static void nap(double seconds) /* less than one */
{
    const struct timespec t = {0, (long)(1e9 * seconds)};

    nanosleep(&t, NULL);
}

/* ---- one queue ---------------------------------------------------------- */

static xh_status_t open_blas(hyb_cuda_device_t *device, hyb_cuda_queue_t *queue)
{
    XH_TRY(hyb_cuda_blas_status(device, "cublasCreate",
                                device->blas->create(&queue->blas)));
    XH_TRY(hyb_cuda_blas_status(
        device, "cublasSetStream",
        device->blas->set_stream(queue->blas, queue->stream)));
    /* setting a stream resets the workspace to cuBLAS's own */
    return hyb_cuda_blas_status(device, "cublasSetWorkspace",
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

xh_status_t hyb_cuda_queue_create(void *state, hyb_priority_t priority,
                                  void **queue_p)
{
    hyb_cuda_device_t *device = state;
    hyb_cuda_queue_t *queue = calloc(1, sizeof(*queue));
    xh_status_t status;

    if (queue == NULL)
        return XH_ERR_MEMORY;
    status = build(device, priority, queue);
    if (status != XH_OK) {
        if (status == XH_ERR_MEMORY)
            hyb_cuda_host->log(XH_LOG_INFO, "cuda", device->index,
                               "no memory for a queue, which takes %zu bytes",
                               device->workspace);
        dismantle(device, queue);
        free(queue);
        return status;
    }
    pthread_mutex_lock(&device->lock);
    queue->next = device->queues;
    device->queues = queue;
    pthread_mutex_unlock(&device->lock);
    *queue_p = queue;
    return XH_OK;
}

void hyb_cuda_queue_destroy(void *state, void *queue)
{
    hyb_cuda_device_t *device = state;
    hyb_cuda_queue_t *ended = queue, **link = &device->queues;

    if (hyb_cuda_enter(device) == XH_OK)
        hyb_cuda_status(device, "the last work of a queue",
                        cudaStreamSynchronize(ended->stream));
    pthread_mutex_lock(&device->lock);
    while (*link != ended)
        link = &(*link)->next;
    *link = ended->next;
    pthread_mutex_unlock(&device->lock);
    if (hyb_cuda_enter(device) == XH_OK)
        dismantle(device, ended);
    free(ended);
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
    const hyb_cuda_queue_t *queue;

    if (atomic_load(&device->given_up))
        return;
    pthread_mutex_lock(&device->lock);
    if (device->queues != NULL)
        cudaSetDevice(device->index);
    for (queue = device->queues; queue != NULL; queue = queue->next)
        while (has_work(device, queue))
            nap(LONGEST_NAP);
    pthread_mutex_unlock(&device->lock);
    cudaGetLastError(); /* the device has failed already */
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

/* Wall-clock seconds; a test may stop the program's clock. */
static double wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CUDA has no wait with a limit: poll, with naps that grow. */
xh_status_t hyb_cuda_event_wait(void *state, void *event, double seconds,
                                bool *done_p)
{
    hyb_cuda_device_t *device = state;
    double end = wall() + seconds, pause = FIRST_NAP, left = seconds;
    bool done = false;

    XH_TRY(look(device, event, &done));
    while (!done && left > 0) {
        if (atomic_load(&device->given_up))
            return XH_ERR_DEVICE;
        nap(fmin(pause, left));
        pause = fmin(2 * pause, LONGEST_NAP);
        left = end - wall();
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

/* ---- work --------------------------------------------------------------- */

/* Where a block is; NULL if it has no buffer, for want of elements. */
static double *address(hyb_block_t b)
{
    double *memory = b.buffer != NULL ? b.buffer->memory : NULL;

    return memory != NULL ? memory + b.offset : NULL;
}

static xh_view_t view_of(hyb_block_t b)
{
    return (xh_view_t){address(b), b.rows, b.cols, b.ld};
}

static xh_status_t copy(hyb_cuda_device_t *device,
                        const hyb_cuda_queue_t *queue, xh_view_t from,
                        xh_view_t to, enum cudaMemcpyKind kind)
{
    size_t column = (size_t)from.rows * sizeof(double);
    size_t columns = (size_t)from.cols;
    bool whole = columns == 1 || (from.ld == from.rows && to.ld == to.rows);

    return hyb_cuda_status(
        device, "queueing a copy",
        whole ? cudaMemcpyAsync(to.data, from.data, columns * column, kind,
                                queue->stream)
              : cudaMemcpy2DAsync(to.data, (size_t)to.ld * sizeof(double),
                                  from.data, (size_t)from.ld * sizeof(double),
                                  column, columns, kind, queue->stream));
}

static cublasOperation_t operation(xh_trans_t trans)
{
    return trans == XH_TRANS ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* Where an operand is: cuBLAS wants a valid address of each. */
static const double *operand(hyb_block_t b, hyb_block_t otherwise)
{
    return b.rows > 0 && b.cols > 0 ? address(b) : address(otherwise);
}

xh_status_t hyb_cuda_queue_work(void *state, void *queue, const hyb_task_t *t)
{
    static const double one = 1.0, minus_one = -1.0;
    const hyb_cuda_blas_t *blas = ((hyb_cuda_device_t *)state)->blas;
    const hyb_cuda_queue_t *q = queue;
    const hyb_gemm_t *p = &t->gemm;
    const hyb_block_t l1 = t->trsm.l1, u = t->trsm.u, a = t->gemv.a;

    switch (t->op) {
    case HYB_OP_GEMM:
        return hyb_cuda_blas_status(
            state, "cublasDgemm",
            blas->dgemm(q->blas, operation(p->trans_a), operation(p->trans_b),
                        p->c.rows, p->c.cols,
                        p->trans_a == XH_TRANS ? p->a.rows : p->a.cols,
                        &p->alpha, operand(p->a, p->c), p->a.ld,
                        operand(p->b, p->c), p->b.ld, &p->beta, address(p->c),
                        p->c.ld));
    case HYB_OP_TRSM:
        return hyb_cuda_blas_status(
            state, "cublasDtrsm",
            blas->dtrsm(q->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER,
                        CUBLAS_OP_N, CUBLAS_DIAG_UNIT, u.rows, u.cols, &one,
                        address(l1), l1.ld, address(u), u.ld));
    case HYB_OP_GEMV:
        return hyb_cuda_blas_status(state, "cublasDgemv",
                                    blas->dgemv(q->blas, CUBLAS_OP_N, a.rows,
                                                a.cols, &minus_one, address(a),
                                                a.ld, address(t->gemv.x), 1,
                                                &one, address(t->gemv.y), 1));
    case HYB_OP_COPY:
        return copy(state, q, view_of(t->copy.from), view_of(t->copy.to),
                    cudaMemcpyDeviceToDevice);
    case HYB_OP_COPY_IN:
        return copy(state, q, t->link.host, view_of(t->link.block),
                    cudaMemcpyHostToDevice);
    default:
        return copy(state, q, view_of(t->link.block), t->link.host,
                    cudaMemcpyDeviceToHost);
    }
}
