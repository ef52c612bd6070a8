/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <time.h>
#include "testing/cuda_model/model.h"

struct CUevent_st {
    int device;
    unsigned flags;
    model_mark_t *mark; /* where it was last recorded; NULL: nowhere */
    struct CUevent_st *next;
};

static struct CUevent_st *events;

double model_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event_p, unsigned flags)
{
    int device = model_current();
    cudaError_t error;

    model_enter();
    error = model_admit(device, MODEL_EVENT);
    if (error == cudaSuccess) {
        struct CUevent_st *event = calloc(1, sizeof(*event));

        if (event == NULL)
            model_die("no memory for an event");
        event->device = device;
        event->flags = flags;
        event->next = events;
        events = event;
        model.counts.events++;
        *event_p = event;
    }
    return model_leave(error);
}

static cudaError_t forget(const struct CUevent_st *event)
{
    struct CUevent_st **link = &events;

    while (*link != NULL && *link != event)
        link = &(*link)->next;
    if (*link == NULL)
        return cudaErrorInvalidResourceHandle;
    *link = event->next;
    return cudaSuccess;
}

/* It waits for nothing. */
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t error;

    model_enter();
    error = model_check(event->device);
    if (error == cudaSuccess)
        error = forget(event);
    if (error == cudaSuccess) {
        model_mark_release(event->mark);
        free(event);
        model.counts.events--;
    }
    return model_leave(error);
}

/* Events are recorded in streams of their own device. */
static cudaError_t record(cudaEvent_t event, cudaStream_t stream)
{
    model_mark_t *mark = model_mark_create();
    cudaError_t error = model_check(event->device);

    if (error == cudaSuccess && model_stream_device(stream) != event->device)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess) {
        mark->references++;
        error = model_queue(stream,
                            &(model_work_t){.op = MODEL_RECORD, .mark = mark});
    }
    if (error != cudaSuccess) {
        model_mark_release(mark);
        return error;
    }
    model_mark_release(event->mark);
    event->mark = mark;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    model_enter();
    return model_leave(record(event, stream));
}

/* The stream waits for what was recorded before this call. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags)
{
    cudaError_t error;

    model_enter();
    error = flags != 0 ? cudaErrorInvalidValue
                       : model_check(model_stream_device(stream));
    if (error == cudaSuccess && event->mark != NULL) {
        event->mark->references++;
        error = model_queue(
            stream, &(model_work_t){.op = MODEL_WAIT, .until = event->mark});
    }
    return model_leave(error);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t error;

    model_enter();
    error = model_check(event->device);
    if (error == cudaSuccess && event->mark != NULL && !event->mark->passed)
        error = cudaErrorNotReady;
    return model_leave(error);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error;

    model_enter();
    error = model_check(event->device);
    if (error == cudaSuccess && event->mark != NULL) {
        model_mark_t *mark = event->mark;

        mark->references++;
        error = model_await(event->device, mark);
        model_mark_release(mark);
    }
    return model_leave(error);
}

static cudaError_t elapsed(float *milliseconds_p,
                           const struct CUevent_st *begin,
                           const struct CUevent_st *end)
{
    cudaError_t error = model_check(begin->device);

    if (error != cudaSuccess)
        return error;
    if (begin->mark == NULL || end->mark == NULL ||
        begin->device != end->device ||
        ((begin->flags | end->flags) & cudaEventDisableTiming) != 0)
        return cudaErrorInvalidResourceHandle;
    if (!begin->mark->passed || !end->mark->passed)
        return cudaErrorNotReady;
    *milliseconds_p = (float)(1e3 * (end->mark->time - begin->mark->time));
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds_p, cudaEvent_t begin,
                                 cudaEvent_t end)
{
    model_enter();
    return model_leave(elapsed(milliseconds_p, begin, end));
}
