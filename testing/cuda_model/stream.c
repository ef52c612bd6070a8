/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "testing/cuda_model/model.h"

enum { HIGHEST = -5 /* priority of streams; the lowest is 0 */ };

typedef struct { /* behind the first so many pieces of work of a stream */
    cudaStream_t stream; /* NULL: at once */
    long number;
} point_t;

typedef struct work {
    model_fault_t fault;
    point_t until;     /* what is waited for first */
    cudaEvent_t event; /* recorded by it, or NULL */
    model_run_t *run;  /* NULL: nothing */
    struct work *next;
    _Alignas(max_align_t) char argument[];
} work_t;

struct CUstream_st {
    int device, priority;
    bool destroyed;
    long queued, done; /* pieces of work, so far */
    work_t *first, *last;
    struct CUstream_st *next;
};

struct CUevent_st {
    int device;
    bool destroyed;
    point_t at;  /* where it was last recorded */
    double time; /* seconds, once that has passed */
};

static struct CUstream_st *streams;

/* ---- running what is queued ---------------------------------------------- */

static double now(void) /* seconds */
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool has_passed(point_t p)
{
    return p.stream == NULL || p.stream->done >= p.number;
}

static cudaError_t perform(cudaStream_t stream, const work_t *work)
{
    cudaEvent_t event = work->event;

    if (work->fault == MODEL_FAIL)
        return cudaErrorLaunchFailure;
    if (event != NULL && event->at.stream == stream &&
        event->at.number == stream->done + 1)
        event->time = now();
    return work->run != NULL ? work->run(stream->device, work->argument)
                             : cudaSuccess;
}

/* Run the next piece of work, or one that it waits for; false: it stalls. */
static bool advance(cudaStream_t stream)
{
    work_t *work = stream->first;
    cudaError_t error;

    if (work->fault == MODEL_STALL)
        return false;
    if (!has_passed(work->until))
        return advance(work->until.stream);
    error = perform(stream, work);
    if (error != cudaSuccess)
        model.device[stream->device].broken = error;
    stream->first = work->next;
    stream->done++;
    free(work);
    return true;
}

/* Has it passed? If not one more piece of work runs. */
static cudaError_t ask(point_t p, int device)
{
    if (has_passed(p))
        return cudaSuccess;
    advance(p.stream);
    return model.device[device].broken != cudaSuccess
               ? model.device[device].broken
               : cudaErrorNotReady;
}

cudaError_t model_finish_stream(cudaStream_t stream, const char *name)
{
    const model_device_t *d = &model.device[stream->device];

    while (stream->first != NULL && d->broken == cudaSuccess)
        if (!advance(stream))
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
    if (stream->first != NULL)
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

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    MODEL_CALL();

    MODEL_TRY(model_check(model_stream_device(stream)));
    return ask((point_t){stream, stream->queued}, stream->device);
}

/* ---- work ---------------------------------------------------------------- */

static cudaError_t add(cudaStream_t stream, model_op_t op, size_t bytes,
                       work_t **work_p)
{
    model_fault_t fault;
    work_t *work;

    MODEL_TRY(model_check(model_stream_device(stream)));
    fault = model_fault(stream->device, op);
    MODEL_TRY(model_refusal(fault));
    work = calloc(1, sizeof(*work) + bytes);
    if (work == NULL)
        model_die("no memory for work");
    work->fault = fault;
    if (stream->first == NULL)
        stream->first = work;
    else
        stream->last->next = work;
    stream->last = work;
    stream->queued++;
    *work_p = work;
    return cudaSuccess;
}

cudaError_t model_queue(cudaStream_t stream, model_op_t op, model_run_t *run,
                        const void *argument, size_t bytes)
{
    work_t *work;

    MODEL_TRY(add(stream, op, bytes, &work));
    work->run = run;
    memcpy(work->argument, argument, bytes);
    return cudaSuccess;
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
    work_t *work;
    MODEL_CALL();

    MODEL_TRY(check(event));
    MODEL_TRY(add(stream, MODEL_RECORD, 0, &work));
    work->event = event;
    event->at = (point_t){stream, stream->queued};
    return cudaSuccess;
}

/* The stream waits for what was recorded before this call. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags)
{
    work_t *work;
    MODEL_CALL();

    if (flags != 0 || event->destroyed)
        return cudaErrorInvalidValue;
    MODEL_TRY(add(stream, MODEL_WAIT, 0, &work));
    work->until = event->at;
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    MODEL_CALL();

    MODEL_TRY(check(event));
    return ask(event->at, event->device);
}

cudaError_t cudaEventElapsedTime(float *milliseconds_p, cudaEvent_t begin,
                                 cudaEvent_t end)
{
    MODEL_CALL();

    MODEL_TRY(check(begin));
    MODEL_TRY(check(end));
    if (begin->at.stream == NULL || end->at.stream == NULL)
        return cudaErrorInvalidResourceHandle;
    if (!has_passed(begin->at) || !has_passed(end->at))
        return cudaErrorNotReady;
    *milliseconds_p = (float)(1e3 * (end->time - begin->time));
    return cudaSuccess;
}
