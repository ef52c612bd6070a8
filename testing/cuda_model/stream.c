/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include "testing/cuda_model/model.h"

struct CUstream_st {
    int device;
    int priority;
    bool closing;   /* its thread frees it, once nothing is left to do */
    bool abandoned; /* nothing runs any more */
    int queued;     /* pieces of work that have not ended */
    model_work_t *first, *last;
    struct CUstream_st *next;
};

static struct CUstream_st *streams;

/* ---- marks --------------------------------------------------------------- */

model_mark_t *model_mark_create(void)
{
    model_mark_t *mark = calloc(1, sizeof(*mark));

    if (mark == NULL)
        model_die("no memory for a mark");
    mark->references = 1;
    return mark;
}

void model_mark_release(model_mark_t *mark)
{
    if (mark != NULL && --mark->references == 0)
        free(mark);
}

/* ---- the thread of a stream ---------------------------------------------- */

static model_device_t *device_of(const struct CUstream_st *stream)
{
    return &model.device[stream->device];
}

static bool goes_on(const struct CUstream_st *stream)
{
    const model_device_t *d = device_of(stream);

    return !stream->abandoned && !d->breaking && d->broken == cudaSuccess;
}

static void wait_for_change(void)
{
    pthread_cond_wait(&model.changed, &model.lock);
}

/* Nothing touches memory any more once it is told. */
static void break_device(model_device_t *d, cudaError_t error)
{
    d->breaking = true;
    while (d->running > 0)
        wait_for_change();
    if (d->broken == cudaSuccess)
        d->broken = error;
    d->breaking = false;
}

static cudaError_t run(model_device_t *d, int device, const model_work_t *work)
{
    cudaError_t error;

    if (work->fault == MODEL_FAIL)
        return cudaErrorLaunchFailure;
    if (work->run == NULL)
        return cudaSuccess;
    d->running++;
    pthread_mutex_unlock(&model.lock);
    error = work->run(device, work->argument);
    pthread_mutex_lock(&model.lock);
    d->running--;
    return error;
}

static void stall(const struct CUstream_st *stream)
{
    device_of(stream)->stalled++;
    pthread_cond_broadcast(&model.changed);
    while (goes_on(stream))
        wait_for_change();
    device_of(stream)->stalled--;
}

static void perform(const struct CUstream_st *stream, const model_work_t *work)
{
    cudaError_t error;

    while (work->until != NULL && !work->until->passed && goes_on(stream))
        wait_for_change();
    if (work->fault == MODEL_STALL)
        stall(stream);
    if (!goes_on(stream))
        return;
    error = run(device_of(stream), stream->device, work);
    if (error != cudaSuccess)
        break_device(device_of(stream), error);
    if (goes_on(stream) && work->mark != NULL) {
        work->mark->passed = true;
        work->mark->time = model_now();
    }
}

static void discard(model_work_t *work)
{
    model_mark_release(work->until);
    model_mark_release(work->mark);
    free(work->argument);
    free(work);
}

static void forget(struct CUstream_st *stream)
{
    struct CUstream_st **link = &streams;

    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    free(stream);
}

static void *serve(void *argument)
{
    struct CUstream_st *stream = argument;
    model_work_t *work;

    pthread_mutex_lock(&model.lock);
    while (stream->first != NULL || !stream->closing) {
        work = stream->first;
        if (work == NULL) {
            wait_for_change();
            continue;
        }
        perform(stream, work);
        stream->first = work->next;
        stream->queued--;
        discard(work);
        pthread_cond_broadcast(&model.changed);
    }
    forget(stream);
    pthread_mutex_unlock(&model.lock);
    return NULL;
}

void model_streams_begin(void)
{
    struct CUstream_st *stream;

    for (stream = streams; stream != NULL; stream = stream->next)
        stream->abandoned = stream->closing = true;
    pthread_cond_broadcast(&model.changed);
}

/* ---- coming and going ---------------------------------------------------- */

static cudaError_t create(int device, int priority, cudaStream_t *stream_p)
{
    struct CUstream_st *stream = calloc(1, sizeof(*stream));
    pthread_t thread;

    if (stream == NULL)
        return cudaErrorMemoryAllocation;
    stream->device = device;
    stream->priority = priority;
    if (pthread_create(&thread, NULL, serve, stream) != 0) {
        free(stream);
        return cudaErrorMemoryAllocation;
    }
    pthread_detach(thread);
    stream->next = streams;
    streams = stream;
    model.counts.streams++;
    model.counts.urgent_streams += priority == MODEL_HIGHEST;
    *stream_p = stream;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *lowest_p, int *highest_p)
{
    cudaError_t error;

    model_enter();
    error = model_check(model_current());
    if (error == cudaSuccess) {
        *lowest_p = 0;
        *highest_p = MODEL_HIGHEST;
    }
    return model_leave(error);
}

/* A priority out of range would be moved into it; the model refuses it. */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream_p, unsigned flags,
                                         int priority)
{
    int device = model_current();
    cudaError_t error;

    model_enter();
    error = model_check(device);
    if (error == cudaSuccess &&
        ((flags & ~1U) != 0 || priority > 0 || priority < MODEL_HIGHEST))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = model_refusal(model_fault(device, MODEL_STREAM));
    if (error == cudaSuccess)
        error = create(device, priority, stream_p);
    return model_leave(error);
}

static bool is_stream(cudaStream_t stream)
{
    const struct CUstream_st *s = streams;

    while (s != NULL && s != stream)
        s = s->next;
    return s != NULL && !s->closing;
}

int model_stream_device(cudaStream_t stream)
{
    return is_stream(stream) ? stream->device : -1;
}

/* It waits for nothing; work that is queued goes on. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error;

    model_enter();
    error = model_check(model_stream_device(stream));
    if (error == cudaSuccess) {
        stream->closing = true;
        model.counts.streams--;
        model.counts.urgent_streams -= stream->priority == MODEL_HIGHEST;
        pthread_cond_broadcast(&model.changed);
    }
    return model_leave(error);
}

/* ---- work ---------------------------------------------------------------- */

static cudaError_t add(cudaStream_t stream, model_work_t *work)
{
    cudaError_t error = model_check(model_stream_device(stream));

    if (error == cudaSuccess) {
        work->fault = model_fault(stream->device, work->op);
        error = model_refusal(work->fault);
    }
    if (error != cudaSuccess)
        return error;
    if (stream->first == NULL)
        stream->first = work;
    else
        stream->last->next = work;
    stream->last = work;
    stream->queued++;
    pthread_cond_broadcast(&model.changed);
    return cudaSuccess;
}

cudaError_t model_queue(cudaStream_t stream, const model_work_t *work)
{
    model_work_t *copy = malloc(sizeof(*copy));
    cudaError_t error;

    if (copy == NULL)
        model_die("no memory for work");
    *copy = *work;
    copy->next = NULL;
    error = add(stream, copy);
    if (error != cudaSuccess)
        discard(copy);
    return error;
}

/* ---- waiting ------------------------------------------------------------- */

cudaError_t model_await(int device, const model_mark_t *mark)
{
    const model_device_t *d = &model.device[device];

    while (!mark->passed && d->broken == cudaSuccess)
        wait_for_change();
    return d->broken;
}

static bool is_busy(int device)
{
    const struct CUstream_st *s = streams;

    while (s != NULL && (s->device != device || s->queued == 0 || s->abandoned))
        s = s->next;
    return s != NULL;
}

/* Wait for device, which has work left; name is who waits. */
static void wait_for(int device, const char *name)
{
    if (model.device[device].stalled > 0)
        model_die("%s waits for device %d, which never ends", name, device);
    wait_for_change();
}

cudaError_t model_await_idle(int device, const char *name)
{
    const model_device_t *d = &model.device[device];

    while (is_busy(device) && d->broken == cudaSuccess)
        wait_for(device, name);
    return d->broken;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error;

    model_enter();
    error = model_check(model_stream_device(stream));
    while (error == cudaSuccess && stream->queued > 0) {
        wait_for(stream->device, __func__);
        error = model.device[stream->device].broken;
    }
    return model_leave(error);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error;

    model_enter();
    error = model_check(model_stream_device(stream));
    if (error == cudaSuccess && stream->queued > 0)
        error = cudaErrorNotReady;
    return model_leave(error);
}
