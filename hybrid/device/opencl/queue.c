/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "hybrid/device/opencl/opencl.h"

#define FIRST_NAP 5e-6 /* seconds between polls */
#define LONGEST_NAP 100e-6

typedef struct {
    cl_event marker; /* last recorded; NULL before the first */
} event_t;

/* ---- queues ------------------------------------------------------------- */

static cl_command_queue open_commands(const hyb_opencl_device_t *device,
                                      hyb_priority_t priority, cl_int *error_p)
{
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PRIORITY_KHR,
        priority == HYB_QUEUE_HIGH ? CL_QUEUE_PRIORITY_HIGH_KHR
                                   : CL_QUEUE_PRIORITY_LOW_KHR,
        0};

    return device->has_priorities
               ? hyb_cl.CreateCommandQueueWithProperties(
                     device->context, device->id, properties, error_p)
               : hyb_cl.CreateCommandQueue(device->context, device->id,
                                           CL_QUEUE_PROFILING_ENABLE, error_p);
}

/* The memory for one operand's strips; the last strip may exceed the operand.
 */
static const size_t strips_bytes =
    (size_t)(HYB_OPENCL_SIDE + HYB_OPENCL_WIDEST) * HYB_OPENCL_DEPTH *
    sizeof(double);

static xh_status_t build(hyb_opencl_queue_t *queue, hyb_priority_t priority)
{
    hyb_opencl_device_t *device = queue->device;
    cl_int error;

    queue->commands = open_commands(device, priority, &error);
    XH_TRY(hyb_opencl_status(device, "making a queue", error));
    XH_TRY(hyb_opencl_allocate(device, strips_bytes, &queue->strips_a));
    XH_TRY(hyb_opencl_allocate(device, strips_bytes, &queue->strips_b));
    return hyb_opencl_allocate(device, HYB_OPENCL_INVERSES_BYTES,
                               &queue->inverses);
}

void hyb_opencl_release_kernels(int count, cl_kernel *kernels)
{
    for (int k = 0; k < count; k++) {
        if (kernels[k] != NULL)
            hyb_cl.ReleaseKernel(kernels[k]);
        kernels[k] = NULL;
    }
}

/* Undo what build() has done, even if it failed midway. */
static void dismantle(hyb_opencl_queue_t *queue)
{
    hyb_opencl_device_t *device = queue->device;

    hyb_opencl_release_kernels(HYB_OPENCL_OTHERS, queue->kernels);
    for (int i = 0; i < HYB_OPENCL_PRODUCTS; i++)
        hyb_opencl_release_kernels(HYB_OPENCL_OF_PRODUCT,
                                   queue->products[i].kernels);
    hyb_opencl_free(device, queue->strips_a, strips_bytes);
    hyb_opencl_free(device, queue->strips_b, strips_bytes);
    for (int i = 0; i < 2; i++)
        hyb_opencl_free(device, queue->proposals[i], queue->proposals_bytes);
    hyb_opencl_free(device, queue->inverses, HYB_OPENCL_INVERSES_BYTES);
    if (queue->commands != NULL)
        hyb_cl.ReleaseCommandQueue(queue->commands);
    free(queue);
}

xh_status_t hyb_opencl_queue_create(void *state, hyb_priority_t priority,
                                    void **queue_p)
{
    hyb_opencl_device_t *device = state;
    hyb_opencl_queue_t *queue = calloc(1, sizeof(*queue));
    xh_status_t status;

    if (queue == NULL)
        return XH_ERR_MEMORY;
    queue->device = device;
    status = build(queue, priority);
    if (status != XH_OK) {
        dismantle(queue);
        return status;
    }
    pthread_mutex_lock(&device->lock);
    queue->next = device->queues;
    device->queues = queue;
    pthread_mutex_unlock(&device->lock);
    *queue_p = queue;
    return XH_OK;
}

void hyb_opencl_queue_destroy(void *state, void *queue)
{
    hyb_opencl_device_t *device = state;
    hyb_opencl_queue_t *ended = queue, **link = &device->queues;

    if (!atomic_load(&device->failed) && !atomic_load(&device->given_up))
        hyb_opencl_status(device, "the last work of a queue",
                          hyb_cl.Finish(ended->commands));
    pthread_mutex_lock(&device->lock);
    while (*link != ended)
        link = &(*link)->next;
    *link = ended->next;
    pthread_mutex_unlock(&device->lock);
    dismantle(ended);
}

/* ---- work that never ended ----------------------------------------------- */

typedef struct unfinished {
    cl_event marker;
    struct unfinished *next;
} unfinished_t;

static unfinished_t *unfinished;
static pthread_mutex_t unfinished_lock = PTHREAD_MUTEX_INITIALIZER;

/* If a driver is still working when the program ends, exit handlers would
 * destroy what it uses; so skip them. */
static void leave(int status, void *nothing)
{
    (void)nothing;
    for (const unfinished_t *u = unfinished; u != NULL; u = u->next)
        if (hyb_opencl_state_of(u->marker) > CL_COMPLETE) {
            fflush(NULL);
            _exit(status);
        }
}

/* Remember `marker`, to check it again when the program ends. */
static void keep(cl_event marker)
{
    unfinished_t *kept = calloc(1, sizeof(*kept));

    if (kept == NULL)
        return;
    pthread_mutex_lock(&unfinished_lock);
    if (unfinished == NULL)
        on_exit(leave, NULL);
    *kept = (unfinished_t){marker, unfinished};
    unfinished = kept;
    pthread_mutex_unlock(&unfinished_lock);
}

/* ---- events ------------------------------------------------------------- */

xh_status_t hyb_opencl_event_create(void *state, void **event_p)
{
    event_t *event = calloc(1, sizeof(*event));

    (void)state;
    if (event == NULL)
        return XH_ERR_MEMORY;
    *event_p = event;
    return XH_OK;
}

void hyb_opencl_event_destroy(void *state, void *event)
{
    hyb_opencl_device_t *device = state;
    event_t *ended = event;

    if (ended->marker != NULL && atomic_load(&device->given_up) &&
        hyb_opencl_state_of(ended->marker) > CL_COMPLETE)
        keep(ended->marker);
    else if (ended->marker != NULL)
        hyb_cl.ReleaseEvent(ended->marker);
    free(ended);
}

xh_status_t hyb_opencl_event_record(void *state, void *queue, void *event)
{
    hyb_opencl_device_t *device = state;
    event_t *recorded = event;
    cl_event marker, before;

    XH_TRY(hyb_opencl_status(device, "recording an event",
                             hyb_opencl_mark(queue, &marker)));
    pthread_mutex_lock(&device->lock);
    before = recorded->marker;
    recorded->marker = marker;
    pthread_mutex_unlock(&device->lock);
    if (before != NULL)
        hyb_cl.ReleaseEvent(before);
    return XH_OK;
}

/* The marker of an event; the caller releases it, as another thread may record
 * the event again. */
static cl_event marker_of(hyb_opencl_device_t *device, const event_t *event)
{
    cl_event marker;

    pthread_mutex_lock(&device->lock);
    marker = event->marker;
    hyb_cl.RetainEvent(marker);
    pthread_mutex_unlock(&device->lock);
    return marker;
}

xh_status_t hyb_opencl_queue_wait(void *state, void *queue, void *event)
{
    const hyb_opencl_queue_t *waits = queue;
    cl_event marker = marker_of(state, event);
    cl_int error =
        hyb_cl.EnqueueBarrierWithWaitList(waits->commands, 1, &marker, NULL);

    hyb_cl.ReleaseEvent(marker);
    return hyb_opencl_status(state, "making a queue wait", error);
}

/* OpenCL has no wait with a time limit, so poll, with growing pauses. */
xh_status_t hyb_opencl_event_wait(void *state, void *event, double seconds,
                                  bool *done_p)
{
    hyb_opencl_device_t *device = state;
    double end = xh_clock_wall() + seconds, pause = FIRST_NAP, left = seconds;
    cl_event marker = marker_of(device, event);
    cl_int reached;

    while (hyb_opencl_has_work(device, marker) && left > 0) {
        xh_clock_sleep(fmin(pause, left));
        pause = fmin(2 * pause, LONGEST_NAP);
        left = end - xh_clock_wall();
    }
    reached = hyb_opencl_state_of(marker);
    hyb_cl.ReleaseEvent(marker);
    if (atomic_load(&device->given_up))
        return XH_ERR_DEVICE;
    if (reached < CL_COMPLETE)
        return hyb_opencl_status(device, "work before an event", reached);
    *done_p = reached == CL_COMPLETE;
    return XH_OK;
}

static cl_int time_of(hyb_opencl_device_t *device, const event_t *event,
                      cl_ulong *time_p)
{
    cl_event marker = marker_of(device, event);
    cl_int error = hyb_cl.GetEventProfilingInfo(
        marker, CL_PROFILING_COMMAND_END, sizeof(*time_p), time_p, NULL);

    hyb_cl.ReleaseEvent(marker);
    return error;
}

xh_status_t hyb_opencl_event_elapsed(void *state, void *begin, void *end,
                                     double *seconds_p)
{
    cl_ulong from = 0, to = 0;
    cl_int error = time_of(state, begin, &from);

    if (error == CL_SUCCESS)
        error = time_of(state, end, &to);
    if (error == CL_PROFILING_INFO_NOT_AVAILABLE)
        return XH_ERR_ARG;
    XH_TRY(hyb_opencl_status(state, "timing events", error));
    *seconds_p = 1e-9 * ((double)to - (double)from);
    return XH_OK;
}
