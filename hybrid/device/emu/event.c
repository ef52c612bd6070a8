/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include "hybrid/device/emu/emu.h"

/* Each recording makes a new mark; those who wait for the last one still do. */
typedef struct {
    hyb_emu_mark_t *mark; /* as last recorded; NULL before */
} event_t;

void hyb_emu_mark_release(hyb_emu_mark_t *mark)
{
    if (mark != NULL && --mark->references == 0)
        free(mark);
}

xh_status_t hyb_emu_event_create(void *state, void **event_p)
{
    hyb_emu_device_t *device = state;
    event_t *event = calloc(1, sizeof(*event));
    hyb_emu_fault_t fault;
    xh_status_t status;

    if (event == NULL)
        return XH_ERR_MEMORY;
    pthread_mutex_lock(&device->lock);
    status = hyb_emu_admit(device, HYB_EMU_EVENT_CREATE, &fault);
    pthread_mutex_unlock(&device->lock);
    if (status == XH_OK)
        *event_p = event;
    else
        free(event);
    return status;
}

void hyb_emu_event_destroy(void *state, void *event)
{
    hyb_emu_device_t *device = state;

    pthread_mutex_lock(&device->lock);
    hyb_emu_mark_release(((event_t *)event)->mark);
    pthread_mutex_unlock(&device->lock);
    free(event);
}

xh_status_t hyb_emu_event_record(void *state, void *queue, void *event)
{
    hyb_emu_device_t *device = state;
    event_t *recorded = event;
    hyb_emu_mark_t *mark = calloc(1, sizeof(*mark));
    xh_status_t status;

    if (mark == NULL)
        return XH_ERR_MEMORY;
    mark->references = 1;
    pthread_mutex_lock(&device->lock);
    status = hyb_emu_queue_add(
        queue, &(hyb_emu_command_t){.op = HYB_EMU_EVENT_RECORD, .mark = mark});
    hyb_emu_mark_release(status == XH_OK ? recorded->mark : mark);
    if (status == XH_OK)
        recorded->mark = mark;
    pthread_mutex_unlock(&device->lock);
    return status;
}

xh_status_t hyb_emu_queue_wait(void *state, void *queue, void *event)
{
    hyb_emu_device_t *device = state;
    xh_status_t status;

    pthread_mutex_lock(&device->lock);
    status = hyb_emu_queue_add(
        queue, &(hyb_emu_command_t){.op = HYB_EMU_QUEUE_WAIT,
                                    .mark = ((event_t *)event)->mark});
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* False if seconds pass first. */
static bool wait_for(hyb_emu_device_t *device, const hyb_emu_mark_t *mark,
                     double seconds)
{
    const struct timespec deadline = hyb_emu_deadline(seconds);
    int late = seconds == 0;

    while (!mark->passed && !device->failed && late == 0)
        late =
            pthread_cond_timedwait(&device->changed, &device->lock, &deadline);
    return mark->passed;
}

xh_status_t hyb_emu_event_wait(void *state, void *event, double seconds,
                               bool *done_p)
{
    hyb_emu_device_t *device = state;
    hyb_emu_mark_t *mark;
    xh_status_t status;
    bool done;

    pthread_mutex_lock(&device->lock);
    mark = ((event_t *)event)->mark;
    if (mark != NULL)
        mark->references++;
    done = mark == NULL || wait_for(device, mark, seconds);
    status = device->failed ? hyb_emu_failure(device) : XH_OK;
    hyb_emu_mark_release(mark);
    pthread_mutex_unlock(&device->lock);
    if (status == XH_OK)
        *done_p = done;
    return status;
}

static bool has_passed(const event_t *event)
{
    return event->mark != NULL && event->mark->passed;
}

xh_status_t hyb_emu_event_elapsed(void *state, void *begin, void *end,
                                  double *seconds_p)
{
    hyb_emu_device_t *device = state;
    const event_t *from = begin, *to = end;
    xh_status_t status = XH_OK;

    pthread_mutex_lock(&device->lock);
    if (device->failed)
        status = hyb_emu_failure(device);
    else if (!has_passed(from) || !has_passed(to))
        status = XH_ERR_ARG;
    else
        *seconds_p = to->mark->time - from->mark->time;
    pthread_mutex_unlock(&device->lock);
    if (status == XH_ERR_ARG)
        hyb_emu_say(device, XH_LOG_ERROR,
                    "the time between events that have not passed");
    return status;
}
