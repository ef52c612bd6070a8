/* SPDX-License-Identifier: BSD-3-Clause */
#include <time.h>
#include "testing/cuda_model/model.h"

enum { HIGHEST = -5 /* priority of streams; the lowest is 0 */ };

struct CUevent_st {
    int device; /* -1: it was destroyed */
    bool recorded;
    bool stalls; /* it was last recorded behind work that does not end */
    struct timespec time;
};

/* ---- streams ------------------------------------------------------------- */

CALL(cudaDeviceGetStreamPriorityRange, (int *lowest_p, int *highest_p),
     model_check(model_current), *lowest_p = 0, *highest_p = HIGHEST)

/* CUDA would move a priority into its range; the model refuses it. */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream_p, unsigned flags,
                                         int priority)
{
    cudaStream_t stream;
    LOCK();

    TRY(model_admit("stream"));
    if (flags != cudaStreamNonBlocking || priority > 0 || priority < HIGHEST)
        return cudaErrorInvalidValue;
    stream = model_object(sizeof(*stream));
    *stream = (struct CUstream_st){
        .device = model_current, .priority = priority, .next = model.streams};
    model.streams = stream;
    model.counts.streams++;
    model.counts.urgent_streams += priority == HIGHEST;
    *stream_p = stream;
    return cudaSuccess;
}

/* CUDA waits for nothing, and queued work goes on; here there may be none. */
CALL(cudaStreamDestroy, (cudaStream_t stream),
     model_finish(stream->device, stream, __func__), stream->device = -1,
     model.counts.streams--,
     model.counts.urgent_streams -= stream->priority == HIGHEST)

CALL(cudaStreamSynchronize, (cudaStream_t stream),
     model_finish(stream->device, stream, __func__), (void)0)

/* ---- events -------------------------------------------------------------- */

/* A thread that waits for one is to sleep, and time passes between two. */
CALL(cudaEventCreateWithFlags, (cudaEvent_t * event_p, unsigned flags),
     flags == cudaEventBlockingSync ? model_check(model_current)
                                    : cudaErrorInvalidValue,
     *event_p = model_object(sizeof(**event_p)),
     (*event_p)->device = model_current, model.counts.events++)

/* Waits for nothing. */
CALL(cudaEventDestroy, (cudaEvent_t event), model_check(event->device),
     event->device = -1, model.counts.events--)

/* Events are recorded in streams of their own device. */
CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream),
     model_check(event->device), TRY(model_queue(stream, "record"));
     event->recorded = true, event->stalls = stream->stalls,
     clock_gettime(CLOCK_MONOTONIC, &event->time))

/* The stream waits for what was recorded before this call. */
CALL(cudaStreamWaitEvent,
     (cudaStream_t stream, cudaEvent_t event, unsigned flags),
     flags == 0 && event->device >= 0 ? model_queue(stream, "wait")
                                      : cudaErrorInvalidValue,
     stream->stalls = stream->stalls || event->stalls)

CALL(cudaEventQuery, (cudaEvent_t event), model_check(event->device),
     TRY(event->stalls ? cudaErrorNotReady : cudaSuccess))

cudaError_t cudaEventElapsedTime(float *milliseconds_p, cudaEvent_t begin,
                                 cudaEvent_t end)
{
    LOCK();

    TRY(model_check(begin->device));
    TRY(model_check(end->device));
    if (!begin->recorded || !end->recorded)
        return cudaErrorInvalidResourceHandle;
    if (begin->stalls || end->stalls)
        return cudaErrorNotReady;
    *milliseconds_p =
        (float)(1e3 * (double)(end->time.tv_sec - begin->time.tv_sec) +
                1e-6 * (double)(end->time.tv_nsec - begin->time.tv_nsec));
    return cudaSuccess;
}
