/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "hybrid/device/emu/emu.h"

typedef struct { /* a point in a queue at which an event was recorded */
    int references;
    bool passed;
    double time; /* when it passed, once passed */
} mark_t;

/* Each recording makes a new mark; threads that wait for an earlier mark still
 * do. */
typedef struct {
    mark_t *mark; /* last recorded; NULL before the first */
} event_t;

typedef struct hyb_emu_command {
    int call;
    mark_t *mark; /* for event_record and queue_wait */
    hyb_task_t task;
    hyb_emu_fault_t fault;
    double queued_at;
    struct hyb_emu_command *next;
} command_t;

/* ---- running one command; the device is locked -------------------------- */

static hyb_emu_resource_t resource_of(const hyb_emu_queue_t *queue,
                                      const hyb_task_t *task)
{
    if (task->op == HYB_OP_COPY_IN)
        return HYB_EMU_LINK_IN;
    if (task->op == HYB_OP_COPY_OUT)
        return HYB_EMU_LINK_OUT;
    if (hyb_emu_is_from_peer(task))
        return HYB_EMU_PEER;
    return queue->priority == HYB_QUEUE_HIGH ? HYB_EMU_HIGH : HYB_EMU_ENGINE;
}

/* Seconds that `task` takes on resource r. */
static double seconds_of(const hyb_emu_device_t *device, hyb_emu_resource_t r,
                         const hyb_task_t *task)
{
    double rate = device->rate[r];

    return rate > 0 ? hyb_emu_amount(task) / rate : 0;
}

/* The time on the monotonic clock `seconds` from now, at most 30 years. */
static struct timespec deadline_in(double seconds)
{
    return xh_clock_timespec(xh_clock_wall() + fmin(fmax(seconds, 0), 1e9));
}

static void sleep_until(hyb_emu_queue_t *queue, double time)
{
    hyb_emu_device_t *device = queue->device;
    double seconds = time - hyb_emu_host->now();
    const struct timespec deadline = deadline_in(seconds);
    int late = seconds <= 0;

    while (!device->failed && late == 0)
        late = pthread_cond_timedwait(&queue->wake, &device->lock, &deadline);
}

/* Run `command` while resource r is reserved. */
static void compute_alone(hyb_emu_device_t *device, hyb_emu_resource_t r,
                          const command_t *command)
{
    xh_status_t status;

    device->resources[r].busy = true;
    pthread_mutex_unlock(&device->lock);
    status = hyb_emu_work(&command->task, command->fault == HYB_EMU_FLIP);
    pthread_mutex_lock(&device->lock);
    device->resources[r].busy = false;
    if (status != XH_OK) {
        hyb_emu_host->log(XH_LOG_ERROR, "emu", device->index, "%s: %s",
                          hyb_op_name(command->task.op),
                          status == XH_ERR_MEMORY
                              ? "the host has no memory for it"
                              : "a row number is not in its block");
        hyb_emu_declare_failed(device);
    }
    pthread_cond_broadcast(&device->changed);
}

/* Delay the normal lane's command by the overlap with the high lane's. */
static void interrupt(hyb_emu_device_t *device)
{
    const hyb_emu_span_t high = device->resources[HYB_EMU_HIGH].span;
    hyb_emu_span_t *normal = &device->resources[HYB_EMU_ENGINE].span;

    if (high.begin < normal->end && high.end > normal->begin)
        normal->end += high.end - fmax(high.begin, normal->begin);
}

/* Begin `command` on resource r, which is free. */
static void begin(const hyb_emu_queue_t *queue, hyb_emu_resource_t r,
                  const command_t *command)
{
    hyb_emu_span_t *span = &queue->device->resources[r].span;

    span->begin = fmax(fmax(queue->time, command->queued_at), span->end);
    span->end = span->begin + seconds_of(queue->device, r, &command->task);
    if (r == HYB_EMU_ENGINE || r == HYB_EMU_HIGH)
        interrupt(queue->device);
}

/* Serve a command. While its thread sleeps, other commands may delay its end.
 */
static void work(hyb_emu_queue_t *queue, const command_t *command)
{
    hyb_emu_device_t *device = queue->device;
    hyb_emu_resource_t r = resource_of(queue, &command->task);
    double *end = &device->resources[r].span.end;
    long turn = device->resources[r].came++;

    while (device->resources[r].served < turn && !device->failed)
        pthread_cond_wait(&device->changed, &device->lock);
    if (device->failed)
        return;
    begin(queue, r, command);
    if (!device->dry) {
        compute_alone(device, r, command);
        *end = fmax(*end, hyb_emu_host->now());
    } else {
        hyb_emu_dry_run(&command->task);
    }
    do {
        queue->time = *end;
        sleep_until(queue, queue->time);
    } while (queue->time < *end && !device->failed);
    device->resources[r].served++;
    pthread_cond_broadcast(&device->changed);
}

/* Let a mark pass; on an idle queue, as soon as it is queued. */
static void pass(hyb_emu_queue_t *queue, const command_t *command)
{
    command->mark->passed = true;
    command->mark->time = queue->time = fmax(queue->time, command->queued_at);
    pthread_cond_broadcast(&queue->device->changed);
}

/* Run a command. On a failed device only marks pass, so that waiting threads
 * wake up. */
static void run(hyb_emu_queue_t *queue, const command_t *command)
{
    hyb_emu_device_t *device = queue->device;
    const mark_t *mark = command->mark;

    while (command->fault == HYB_EMU_STALL && !device->failed)
        pthread_cond_wait(&queue->wake, &device->lock);
    if (command->fault == HYB_EMU_FAIL)
        hyb_emu_declare_failed(device);
    if (command->call == HYB_EMU_EVENT_RECORD) {
        pass(queue, command);
    } else if (command->call == HYB_EMU_QUEUE_WAIT) {
        while (!mark->passed)
            pthread_cond_wait(&device->changed, &device->lock);
        queue->time = fmax(queue->time, mark->time);
    } else if (!device->failed) {
        work(queue, command);
    }
}

/* ---- the queue ----------------------------------------------------------- */

static void release_mark(mark_t *mark)
{
    if (mark != NULL && --mark->references == 0)
        free(mark);
}

/* Wait for the next command; NULL after the last one. */
static command_t *take(hyb_emu_queue_t *queue)
{
    command_t *command;

    queue->running = false;
    while (queue->first == NULL && !queue->ended)
        pthread_cond_wait(&queue->wake, &queue->device->lock);
    command = queue->first;
    if (command == NULL)
        return NULL;
    queue->running = true;
    queue->first = command->next;
    if (queue->first == NULL)
        queue->end = &queue->first;
    return command;
}

static void *serve(void *argument)
{
    hyb_emu_queue_t *queue = argument;
    command_t *command;

    pthread_mutex_lock(&queue->device->lock);
    while ((command = take(queue)) != NULL) {
        run(queue, command);
        release_mark(command->mark);
        free(command);
    }
    pthread_mutex_unlock(&queue->device->lock);
    return NULL;
}

/* Queue a copy of `command`, which takes a reference of its mark, while holding
 * the device's lock. */
static xh_status_t add(hyb_emu_queue_t *queue, const command_t *command)
{
    hyb_emu_device_t *device = queue->device;
    command_t *copy = malloc(sizeof(*copy));
    xh_status_t status;

    if (copy == NULL)
        return XH_ERR_MEMORY;
    *copy = *command;
    status = hyb_emu_inject_fault(device, copy->call, &copy->fault);
    if (status != XH_OK) {
        free(copy);
        return status;
    }
    if (copy->mark != NULL)
        copy->mark->references++;
    copy->queued_at = hyb_emu_host->now();
    *queue->end = copy;
    queue->end = &copy->next;
    if (!queue->running)
        pthread_cond_signal(&queue->wake);
    return XH_OK;
}

xh_status_t hyb_emu_queue_work(void *state, void *queue, const hyb_task_t *task)
{
    hyb_emu_device_t *device = state;
    xh_status_t status;

    pthread_mutex_lock(&device->lock);
    status = add(queue, &(command_t){.call = task->op, .task = *task});
    pthread_mutex_unlock(&device->lock);
    return status;
}

xh_status_t hyb_emu_queue_create(void *state, hyb_priority_t priority,
                                 void **queue_p)
{
    hyb_emu_device_t *device = state;
    hyb_emu_queue_t *queue = calloc(1, sizeof(*queue));
    hyb_emu_fault_t fault;
    xh_status_t status;
    int error = 0;

    if (queue == NULL)
        return XH_ERR_MEMORY;
    queue->device = device;
    queue->priority = priority;
    queue->end = &queue->first;
    hyb_emu_condition_init(&queue->wake);
    pthread_mutex_lock(&device->lock);
    status = hyb_emu_inject_fault(device, HYB_EMU_QUEUE_CREATE, &fault);
    if (status == XH_OK)
        error = pthread_create(&queue->thread, NULL, serve, queue);
    if (status == XH_OK && error == 0) {
        queue->next = device->queues;
        *queue_p = device->queues = queue;
    } else {
        pthread_cond_destroy(&queue->wake);
        free(queue);
    }
    pthread_mutex_unlock(&device->lock);
    if (error == 0)
        return status;
    hyb_emu_host->log(XH_LOG_ERROR, "emu", device->index,
                      "no thread for a queue: %s", strerror(error));
    return XH_ERR_MEMORY;
}

void hyb_emu_queue_destroy(void *state, void *queue)
{
    hyb_emu_device_t *device = state;
    hyb_emu_queue_t *ended = queue, **link = &device->queues;

    pthread_mutex_lock(&device->lock);
    ended->ended = true;
    pthread_cond_broadcast(&ended->wake);
    pthread_mutex_unlock(&device->lock);
    pthread_join(ended->thread, NULL);
    pthread_mutex_lock(&device->lock);
    while (*link != ended)
        link = &(*link)->next;
    *link = ended->next;
    pthread_mutex_unlock(&device->lock);
    pthread_cond_destroy(&ended->wake);
    free(ended);
}

/* ---- events -------------------------------------------------------------- */

xh_status_t hyb_emu_event_create(void *state, void **event_p)
{
    hyb_emu_device_t *device = state;
    event_t *event = calloc(1, sizeof(*event));
    hyb_emu_fault_t fault;
    xh_status_t status;

    if (event == NULL)
        return XH_ERR_MEMORY;
    pthread_mutex_lock(&device->lock);
    status = hyb_emu_inject_fault(device, HYB_EMU_EVENT_CREATE, &fault);
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
    release_mark(((event_t *)event)->mark);
    pthread_mutex_unlock(&device->lock);
    free(event);
}

xh_status_t hyb_emu_event_record(void *state, void *queue, void *event)
{
    hyb_emu_device_t *device = state;
    event_t *recorded = event;
    mark_t *mark = calloc(1, sizeof(*mark));
    xh_status_t status;

    if (mark == NULL)
        return XH_ERR_MEMORY;
    mark->references = 1;
    pthread_mutex_lock(&device->lock);
    status =
        add(queue, &(command_t){.call = HYB_EMU_EVENT_RECORD, .mark = mark});
    release_mark(status == XH_OK ? recorded->mark : mark);
    if (status == XH_OK)
        recorded->mark = mark;
    pthread_mutex_unlock(&device->lock);
    return status;
}

xh_status_t hyb_emu_queue_wait(void *state, void *queue, void *event)
{
    hyb_emu_device_t *device = state;
    event_t *awaited = event;
    xh_status_t status;

    pthread_mutex_lock(&device->lock);
    status = add(
        queue, &(command_t){.call = HYB_EMU_QUEUE_WAIT, .mark = awaited->mark});
    pthread_mutex_unlock(&device->lock);
    return status;
}

xh_status_t hyb_emu_event_wait(void *state, void *event, double seconds,
                               bool *done_p)
{
    const struct timespec deadline = deadline_in(seconds);
    hyb_emu_device_t *device = state;
    int late = seconds == 0;
    xh_status_t status = XH_OK;
    mark_t *mark;

    pthread_mutex_lock(&device->lock);
    mark = ((event_t *)event)->mark;
    mark->references++;
    while (!mark->passed && !device->failed && late == 0)
        late =
            pthread_cond_timedwait(&device->changed, &device->lock, &deadline);
    if (device->failed)
        status = hyb_emu_fail(device);
    else
        *done_p = mark->passed;
    release_mark(mark);
    pthread_mutex_unlock(&device->lock);
    return status;
}

xh_status_t hyb_emu_event_elapsed(void *state, void *begin, void *end,
                                  double *seconds_p)
{
    hyb_emu_device_t *device = state;
    xh_status_t status = XH_OK;
    const mark_t *from, *to;

    pthread_mutex_lock(&device->lock);
    from = ((event_t *)begin)->mark;
    to = ((event_t *)end)->mark;
    if (device->failed)
        status = hyb_emu_fail(device);
    else if (!from->passed || !to->passed)
        status = XH_ERR_ARG;
    else
        *seconds_p = to->time - from->time;
    pthread_mutex_unlock(&device->lock);
    return status;
}
