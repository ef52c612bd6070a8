/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "testing/cuda_model/model.h"

typedef struct {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, width, height; /* bytes, and columns */
    bool in;                                    /* to the device */
    bool pinned;
} copy_t;

static size_t extent(const copy_t *c, size_t pitch)
{
    return (c->height - 1) * pitch + c->width;
}

static const char *on_host(const copy_t *c)
{
    return c->in ? c->from : c->to;
}

static size_t host_extent(const copy_t *c)
{
    return extent(c, c->in ? c->from_pitch : c->to_pitch);
}

static int device_of(const copy_t *c)
{
    return c->in ? model_device_of(c->to, extent(c, c->to_pitch))
                 : model_device_of(c->from, extent(c, c->from_pitch));
}

/* Is all memory still what it was when the copy was queued? */
static bool finds_all(const copy_t *c, int device)
{
    return device_of(c) == device &&
           (!c->pinned ||
            model_pinned(on_host(c), host_extent(c), device) == MODEL_PINNED);
}

static cudaError_t run(int device, void *argument)
{
    copy_t *c = argument;
    char *to = c->to;
    const char *from = c->from;
    bool found;
    size_t i;

    model_enter();
    found = finds_all(c, device);
    if (found && c->in)
        to = model_content(c->to);
    else if (found)
        from = model_content(c->from);
    model_leave(cudaSuccess);
    if (!found)
        return cudaErrorIllegalAddress;
    for (i = 0; i < c->height; i++)
        memcpy(to + i * c->to_pitch, from + i * c->from_pitch, c->width);
    return cudaSuccess;
}

static cudaError_t check(copy_t *c, int device)
{
    model_pinned_t pinned;

    if (c->height > 1 &&
        (c->to_pitch < c->width || c->from_pitch < c->width ||
         c->to_pitch > MODEL_MOST_PITCH || c->from_pitch > MODEL_MOST_PITCH))
        return cudaErrorInvalidPitchValue;
    if (device_of(c) != device || model_device_of(on_host(c), 1) != MODEL_HOST)
        return cudaErrorInvalidValue;
    pinned = model_pinned(on_host(c), host_extent(c), device);
    c->pinned = pinned == MODEL_PINNED;
    return pinned == MODEL_PARTLY ? cudaErrorInvalidValue : cudaSuccess;
}

/* Host memory that is not pinned goes by way of the driver's: that waits. */
static cudaError_t queue(const copy_t *c, cudaStream_t stream)
{
    int device = model_stream_device(stream);
    copy_t *argument = malloc(sizeof(*argument));
    model_mark_t *mark = model_mark_create();
    cudaError_t error;

    if (argument == NULL)
        model_die("no memory for a copy");
    *argument = *c;
    mark->references++;
    error = model_queue(
        stream, &(model_work_t){.op = c->in ? MODEL_COPY_IN : MODEL_COPY_OUT,
                                .run = run,
                                .argument = argument,
                                .mark = mark});
    if (error == cudaSuccess && !c->pinned) {
        model.counts.unpinned_copies++;
        error = model_await(device, mark);
    }
    model_mark_release(mark);
    return error;
}

static cudaError_t copy(copy_t *c, enum cudaMemcpyKind kind,
                        cudaStream_t stream)
{
    int device = model_stream_device(stream);
    cudaError_t error = model_check(device);

    c->in = kind == cudaMemcpyHostToDevice;
    if (error != cudaSuccess)
        return error;
    if (!c->in && kind != cudaMemcpyDeviceToHost)
        return cudaErrorInvalidMemcpyDirection;
    if (c->width == 0 || c->height == 0)
        return cudaSuccess;
    error = check(c, device);
    return error == cudaSuccess ? queue(c, stream) : error;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    copy_t c = {.to = to, .from = from, .width = bytes, .height = 1};

    model_enter();
    return model_leave(copy(&c, kind, stream));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    copy_t c = {to, from, to_pitch, from_pitch, width, height, false, false};

    model_enter();
    return model_leave(copy(&c, kind, stream));
}
