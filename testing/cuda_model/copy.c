/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "testing/cuda_model/model.h"

typedef struct { /* one of a copy's two sides */
    char *data;
    size_t pitch; /* bytes */
    bool on_host;
    bool pinned; /* if it is on the host */
} side_t;

typedef struct {
    side_t to, from;
    size_t width, height; /* bytes, and columns */
    model_op_t op;
} copy_t;

static size_t extent(const copy_t *c, const side_t *side)
{
    return (c->height - 1) * side->pitch + c->width;
}

/* Is all of a side's memory of the kind that it was when it was queued? */
static bool find(const copy_t *c, side_t *side, int device)
{
    size_t bytes = extent(c, side);

    if (side->on_host)
        return !side->pinned ||
               model_pinned(side->data, bytes, device) == MODEL_PINNED;
    if (model_device_of(side->data, bytes) != device)
        return false;
    side->data = model_content(side->data);
    return true;
}

static cudaError_t run(int device, void *argument)
{
    copy_t *c = argument;
    bool found;
    size_t i;

    model_enter();
    found = find(c, &c->to, device) && find(c, &c->from, device);
    model_leave(cudaSuccess);
    if (!found)
        return cudaErrorIllegalAddress;
    for (i = 0; i < c->height; i++)
        memcpy(c->to.data + i * c->to.pitch, c->from.data + i * c->from.pitch,
               c->width);
    return cudaSuccess;
}

static cudaError_t check_side(const copy_t *c, side_t *side, int device)
{
    size_t bytes = extent(c, side);
    model_pinned_t pinned;

    if (c->height > 1 &&
        (side->pitch < c->width || side->pitch > MODEL_MOST_PITCH))
        return cudaErrorInvalidPitchValue;
    if (!side->on_host)
        return model_device_of(side->data, bytes) == device
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    if (model_device_of(side->data, 1) != MODEL_HOST)
        return cudaErrorInvalidValue;
    pinned = model_pinned(side->data, bytes, device);
    side->pinned = pinned == MODEL_PINNED;
    return pinned == MODEL_PARTLY ? cudaErrorInvalidValue : cudaSuccess;
}

static bool is_unpinned(const side_t *side)
{
    return side->on_host && !side->pinned;
}

/* A copy of host memory that is not pinned goes by way of the driver's: that
 * waits. */
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
    error = model_queue(stream, &(model_work_t){.op = c->op,
                                                .run = run,
                                                .argument = argument,
                                                .mark = mark});
    if (error == cudaSuccess &&
        (is_unpinned(&c->to) || is_unpinned(&c->from))) {
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

    if (error != cudaSuccess)
        return error;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToHost &&
        kind != cudaMemcpyDeviceToDevice)
        return cudaErrorInvalidMemcpyDirection;
    c->from.on_host = kind == cudaMemcpyHostToDevice;
    c->to.on_host = kind == cudaMemcpyDeviceToHost;
    c->op = c->from.on_host ? MODEL_COPY_IN
            : c->to.on_host ? MODEL_COPY_OUT
                            : MODEL_COPY;
    if (c->width == 0 || c->height == 0)
        return cudaSuccess;
    error = check_side(c, &c->to, device);
    if (error == cudaSuccess)
        error = check_side(c, &c->from, device);
    return error == cudaSuccess ? queue(c, stream) : error;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    copy_t c = {.to = {.data = to, .pitch = to_pitch},
                .from = {.data = (char *)from, .pitch = from_pitch},
                .width = width,
                .height = height};

    model_enter();
    return model_leave(copy(&c, kind, stream));
}
