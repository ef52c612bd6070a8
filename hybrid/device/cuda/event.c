/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "hybrid/device/cuda/cuda.h"

#define FIRST_NAP 5e-6 /* seconds between two looks at an event */
#define LONGEST_NAP 100e-6

typedef struct {
    cudaEvent_t event;
    atomic_bool recorded;
} event_t;

/* ---- creating and destroying
 * --------------------------------------------------- */

xh_status_t hyb_cuda_event_create(void *state, void **event_p)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);
    event_t *event;

    if (status != XH_OK)
        return status;
    event = calloc(1, sizeof(*event));
    if (event == NULL)
        return XH_ERR_MEMORY;
    status = hyb_cuda_status(
        device, "creating an event",
        cudaEventCreateWithFlags(&event->event, cudaEventBlockingSync));
    if (status == XH_OK)
        *event_p = event;
    else
        free(event);
    return status;
}

void hyb_cuda_event_destroy(void *state, void *event)
{
    hyb_cuda_device_t *device = state;

    if (hyb_cuda_enter(device) == XH_OK)
        hyb_cuda_status(device, "destroying an event",
                        cudaEventDestroy(((event_t *)event)->event));
    free(event);
}

/* ---- recording and waiting ---------------------------------------------- */

xh_status_t hyb_cuda_event_record(void *state, void *queue, void *event)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);
    event_t *recorded = event;

    if (status == XH_OK)
        status = hyb_cuda_status(
            device, "recording an event",
            cudaEventRecord(recorded->event,
                            ((hyb_cuda_queue_t *)queue)->stream));
    if (status == XH_OK)
        atomic_store(&recorded->recorded, true);
    return status;
}

xh_status_t hyb_cuda_queue_wait(void *state, void *queue, void *event)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);

    if (status == XH_OK)
        status = hyb_cuda_status(
            device, "making a queue wait",
            cudaStreamWaitEvent(((hyb_cuda_queue_t *)queue)->stream,
                                ((event_t *)event)->event, 0));
    return status;
}

static xh_status_t look(hyb_cuda_device_t *device, const event_t *event,
                        bool *done_p)
{
    cudaError_t error = cudaEventQuery(event->event);
    bool done = error != cudaErrorNotReady;
    xh_status_t status = XH_OK;

    if (done)
        status = hyb_cuda_status(device, "work before an event", error);
    else
        cudaGetLastError();
    if (status == XH_OK)
        *done_p = done;
    return status;
}

/* Wall-clock seconds; a test may stop the program's clock. */
static double wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void hyb_cuda_nap(double seconds)
{
    const struct timespec t = {0, (long)(1e9 * seconds)};

    nanosleep(&t, NULL);
}

/* CUDA has no wait with a limit: poll, with naps that grow. */
static xh_status_t look_for(hyb_cuda_device_t *device, const event_t *event,
                            double seconds, bool *done_p)
{
    double end = wall() + seconds;
    double pause = FIRST_NAP;
    double left = seconds;
    bool done = false;
    xh_status_t status = look(device, event, &done);

    while (status == XH_OK && !done && left > 0) {
        if (atomic_load(&device->given_up))
            return XH_ERR_DEVICE;
        hyb_cuda_nap(fmin(pause, left));
        pause = fmin(2 * pause, LONGEST_NAP);
        left = end - wall();
        status = look(device, event, &done);
    }
    if (status == XH_OK)
        *done_p = done;
    return status;
}

static xh_status_t wait_for_ever(hyb_cuda_device_t *device,
                                 const event_t *event, bool *done_p)
{
    xh_status_t status = hyb_cuda_status(device, "work before an event",
                                         cudaEventSynchronize(event->event));

    if (status == XH_OK)
        *done_p = true;
    return status;
}

xh_status_t hyb_cuda_event_wait(void *state, void *event, double seconds,
                                bool *done_p)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);

    if (status != XH_OK)
        return status;
    return isinf(seconds) ? wait_for_ever(device, event, done_p)
                          : look_for(device, event, seconds, done_p);
}

/* ---- time --------------------------------------------------------------- */

/* Milliseconds between two events; cudaErrorNotReady if one has not passed. */
static cudaError_t between(const event_t *begin, const event_t *end,
                           float *milliseconds_p)
{
    if (!atomic_load(&begin->recorded) || !atomic_load(&end->recorded))
        return cudaErrorNotReady;
    return cudaEventElapsedTime(milliseconds_p, begin->event, end->event);
}

xh_status_t hyb_cuda_event_elapsed(void *state, void *begin, void *end,
                                   double *seconds_p)
{
    hyb_cuda_device_t *device = state;
    xh_status_t status = hyb_cuda_enter(device);
    float milliseconds = 0;
    cudaError_t error;

    if (status != XH_OK)
        return status;
    error = between(begin, end, &milliseconds);
    if (error == cudaErrorNotReady) {
        cudaGetLastError();
        hyb_cuda_say(device, XH_LOG_ERROR,
                     "the time between events that have not passed");
        return XH_ERR_ARG;
    }
    status = hyb_cuda_status(device, "timing events", error);
    if (status == XH_OK)
        *seconds_p = 1e-3 * (double)milliseconds;
    return status;
}
