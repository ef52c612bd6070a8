/* SPDX-License-Identifier: BSD-3-Clause */
#include <time.h>
#include "testing/cuda_model/model.h"

enum { HIGHEST = -5 /* priority of streams; the lowest is 0 */ };

struct CUstream_st {
    int device, priority;
    bool destroyed;
    bool stalls; /* what was queued does not end */
    struct CUstream_st *next;
};

struct CUevent_st {
    int device;
    bool destroyed, recorded;
    bool stalls; /* it was last recorded behind work that does not end */
    double time; /* seconds, when it passed */
};

static struct CUstream_st *streams;

/* ---- work, which runs as it is queued ------------------------------------ */

static double now(void) /* seconds */
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Count a call of op; an error of the work itself shows in the next call. */
static cudaError_t admit(cudaStream_t stream, model_op_t op)
{
    model_fault_t fault;

    MODEL_TRY(model_check(model_stream_device(stream)));
    fault = model_fault(stream->device, op);
    MODEL_TRY(model_refusal(fault));
    stream->stalls = stream->stalls || fault == MODEL_STALL;
    if (fault == MODEL_FAIL && !stream->stalls)
        model.device[stream->device].broken = cudaErrorLaunchFailure;
    return cudaSuccess;
}

cudaError_t model_queue(cudaStream_t stream, model_op_t op, bool *runs_p)
{
    MODEL_TRY(admit(stream, op));
    *runs_p =
        !stream->stalls && model.device[stream->device].broken == cudaSuccess;
    return cudaSuccess;
}

cudaError_t model_finish_stream(cudaStream_t stream, const char *name)
{
    const model_device_t *d = &model.device[stream->device];

    if (stream->stalls && d->broken == cudaSuccess)
        model_die("%s waits for device %d, which never ends", name,
                  stream->device);
    return d->broken;
}

cudaError_t model_finish_device(int device, const char *name)
{
    for (cudaStream_t s = streams; s != NULL; s = s->next)
        if (s->device == device && !s->destroyed)
            MODEL_TRY(model_finish_stream(s, name));
    return model.device[device].broken;
}

/* ---- streams ------------------------------------------------------------- */

void model_streams_begin(void)
{
    for (cudaStream_t s = streams; s != NULL; s = s->next)
        s->destroyed = true;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *lowest_p, int *highest_p)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    *lowest_p = 0;
    *highest_p = HIGHEST;
    return cudaSuccess;
}

/* A priority out of range would be moved into it; the model refuses it. */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream_p, unsigned flags,
                                         int priority)
{
    cudaStream_t stream;
    MODEL_CALL();

    MODEL_TRY(model_admit(model_current, MODEL_STREAM));
    if (flags != cudaStreamNonBlocking || priority > 0 || priority < HIGHEST)
        return cudaErrorInvalidValue;
    stream = model_object(sizeof(*stream));
    *stream = (struct CUstream_st){
        .device = model_current, .priority = priority, .next = streams};
    streams = stream;
    model.counts.streams++;
    model.counts.urgent_streams += priority == HIGHEST;
    *stream_p = stream;
    return cudaSuccess;
}

int model_stream_device(cudaStream_t stream)
{
    return stream->destroyed ? -1 : stream->device;
}

/* It waits for nothing, and work that is queued goes on; here, none may be. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_stream_device(stream)));
    if (stream->stalls)
        model_die("a stream with work is destroyed");
    stream->destroyed = true;
    model.counts.streams--;
    model.counts.urgent_streams -= stream->priority == HIGHEST;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_stream_device(stream)));
    return model_finish_stream(stream, __func__);
}

/* ---- events -------------------------------------------------------------- */

static cudaError_t check(const struct CUevent_st *event)
{
    return model_check(event->destroyed ? -1 : event->device);
}

/* Whoever waits for one is to sleep, and time passes between two. */
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event_p, unsigned flags)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_current));
    if (flags != cudaEventBlockingSync)
        return cudaErrorInvalidValue;
    *event_p = model_object(sizeof(**event_p));
    (*event_p)->device = model_current;
    model.counts.events++;
    return cudaSuccess;
}

/* It waits for nothing. */
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    MODEL_CALL();

    MODEL_TRY(check(event));
    event->destroyed = true;
    model.counts.events--;
    return cudaSuccess;
}

/* Events are recorded in streams of their own device. */
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    MODEL_CALL();

    MODEL_TRY(check(event));
    MODEL_TRY(admit(stream, MODEL_RECORD));
    event->recorded = true;
    event->stalls = stream->stalls;
    event->time = now();
    return cudaSuccess;
}

/* The stream waits for what was recorded before this call. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags)
{
    MODEL_CALL();

    if (flags != 0 || event->destroyed)
        return cudaErrorInvalidValue;
    MODEL_TRY(admit(stream, MODEL_WAIT));
    stream->stalls = stream->stalls || event->stalls;
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    MODEL_CALL();

    MODEL_TRY(check(event));
    return event->stalls ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds_p, cudaEvent_t begin,
                                 cudaEvent_t end)
{
    MODEL_CALL();

    MODEL_TRY(check(begin));
    MODEL_TRY(check(end));
    if (!begin->recorded || !end->recorded)
        return cudaErrorInvalidResourceHandle;
    if (begin->stalls || end->stalls)
        return cudaErrorNotReady;
    *milliseconds_p = (float)(1e3 * (end->time - begin->time));
    return cudaSuccess;
}
