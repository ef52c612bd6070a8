/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "hybrid/device/emu/emu.h"

struct hyb_emu_queue {
    hyb_emu_device_t *device;
    pthread_t thread;
    pthread_cond_t wake; /* there is a command, or a reason to stop */
    hyb_emu_command_t *first, **end;
    double time;  /* when its last command ended */
    bool running; /* its thread runs a command */
    bool ended;   /* no command will follow */
    hyb_emu_queue_t *next;
};

static void wake_all(hyb_emu_device_t *device)
{
    hyb_emu_queue_t *queue;

    for (queue = device->queues; queue != NULL; queue = queue->next)
        pthread_cond_broadcast(&queue->wake);
    pthread_cond_broadcast(&device->changed);
}

void hyb_emu_fail(hyb_emu_device_t *device)
{
    device->failed = true;
    wake_all(device);
}

static bool is_busy(const hyb_emu_device_t *device)
{
    int r, busy = 0;

    for (r = 0; r < HYB_EMU_RESOURCES; r++)
        busy += device->resources[r].busy;
    return busy > 0;
}

xh_status_t hyb_emu_failure(hyb_emu_device_t *device)
{
    while (is_busy(device))
        pthread_cond_wait(&device->changed, &device->lock);
    return XH_ERR_DEVICE;
}

/* ---- running one command; the device is locked -------------------------- */

static double later(double a, double b)
{
    return a > b ? a : b;
}

static hyb_emu_resource_t resource_of(hyb_emu_op_t op)
{
    if (op == HYB_EMU_COPY_IN)
        return HYB_EMU_LINK_IN;
    return op == HYB_EMU_COPY_OUT ? HYB_EMU_LINK_OUT : HYB_EMU_ENGINE;
}

static void sleep_until(hyb_emu_queue_t *queue, double time)
{
    hyb_emu_device_t *device = queue->device;
    double seconds = time - device->host->now();
    const struct timespec deadline = hyb_emu_deadline(seconds);
    int late = seconds <= 0;

    while (!device->abandoned && !device->failed && late == 0)
        late = pthread_cond_timedwait(&queue->wake, &device->lock, &deadline);
}

/*
 * Run command with resource r reserved; returns when it ends, end at the
 * earliest.
 */
static double compute_alone(hyb_emu_device_t *device, hyb_emu_resource_t r,
                            const hyb_emu_command_t *command, double end)
{
    xh_status_t status;

    device->resources[r].busy = true;
    pthread_mutex_unlock(&device->lock);
    status = hyb_emu_work(device->host, command);
    pthread_mutex_lock(&device->lock);
    device->resources[r].busy = false;
    if (status != XH_OK) {
        hyb_emu_say(
            device, XH_LOG_ERROR, "%s: %s", hyb_emu_op_name(command->op),
            status == XH_ERR_MEMORY ? "the host has no memory for it"
                                    : "a row number is not in its block");
        hyb_emu_fail(device);
    }
    pthread_cond_broadcast(&device->changed);
    return later(end, device->host->now());
}

static bool is_over(const hyb_emu_device_t *device)
{
    return device->failed || device->abandoned;
}

static void work(hyb_emu_queue_t *queue, const hyb_emu_command_t *command)
{
    hyb_emu_device_t *device = queue->device;
    hyb_emu_resource_t r = resource_of(command->op);
    double end;

    while (device->resources[r].busy)
        pthread_cond_wait(&device->changed, &device->lock);
    if (is_over(device))
        return;
    end = later(later(queue->time, command->queued_at),
                device->resources[r].free_at);
    if (device->rate[r] > 0)
        end += command->amount / device->rate[r];
    if (!device->dry)
        end = compute_alone(device, r, command, end);
    queue->time = device->resources[r].free_at = end;
    sleep_until(queue, end);
}

/* On an idle queue a mark passes when it is queued. */
static void pass(hyb_emu_queue_t *queue, const hyb_emu_command_t *command)
{
    command->mark->passed = true;
    command->mark->time = queue->time = later(queue->time, command->queued_at);
    pthread_cond_broadcast(&queue->device->changed);
}

static void wait_for(hyb_emu_queue_t *queue, const hyb_emu_mark_t *mark)
{
    while (mark != NULL && !mark->passed)
        pthread_cond_wait(&queue->device->changed, &queue->device->lock);
    if (mark != NULL)
        queue->time = later(queue->time, mark->time);
}

static void stall(hyb_emu_queue_t *queue)
{
    while (!queue->device->closing && !queue->device->failed)
        pthread_cond_wait(&queue->wake, &queue->device->lock);
    hyb_emu_fail(queue->device);
}

static void run_fault(hyb_emu_queue_t *queue, const hyb_emu_command_t *command)
{
    if (command->fault == HYB_EMU_STALL)
        stall(queue);
    else if (command->fault == HYB_EMU_FAIL)
        hyb_emu_fail(queue->device);
}

/* On a failed device only marks pass, so that those who wait wake up. */
static void run(hyb_emu_queue_t *queue, const hyb_emu_command_t *command)
{
    const hyb_emu_device_t *device = queue->device;

    if (!is_over(device))
        run_fault(queue, command);
    if (command->op == HYB_EMU_EVENT_RECORD)
        pass(queue, command);
    else if (command->op == HYB_EMU_QUEUE_WAIT)
        wait_for(queue, command->mark);
    else if (!is_over(device))
        work(queue, command);
}

/* ---- the queue ---------------------------------------------------------- */

/* The next command, or NULL after the last one. */
static hyb_emu_command_t *take(hyb_emu_queue_t *queue)
{
    hyb_emu_command_t *command;

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
    hyb_emu_command_t *command;

    pthread_mutex_lock(&queue->device->lock);
    while ((command = take(queue)) != NULL) {
        run(queue, command);
        hyb_emu_mark_release(command->mark);
        free(command);
    }
    pthread_mutex_unlock(&queue->device->lock);
    return NULL;
}

xh_status_t hyb_emu_queue_add(hyb_emu_queue_t *queue,
                              const hyb_emu_command_t *command)
{
    hyb_emu_device_t *device = queue->device;
    hyb_emu_command_t *copy = malloc(sizeof(*copy));
    xh_status_t status;

    if (copy == NULL)
        return XH_ERR_MEMORY;
    *copy = *command;
    status = hyb_emu_admit(device, copy->op, &copy->fault);
    if (status != XH_OK) {
        free(copy);
        return status;
    }
    if (copy->mark != NULL)
        copy->mark->references++;
    copy->queued_at = device->host->now();
    copy->next = NULL;
    *queue->end = copy;
    queue->end = &copy->next;
    if (!queue->running)
        pthread_cond_signal(&queue->wake);
    return XH_OK;
}

/* Let threads run on the device's cpus only. */
static int confine(pthread_attr_t *attributes, const hyb_emu_device_t *device)
{
    int most = 0;
    cpu_set_t *set;
    int i, error;

    for (i = 0; i < device->cpu_count; i++)
        most = device->cpus[i] > most ? device->cpus[i] : most;
    set = CPU_ALLOC((size_t)most + 1);
    if (set == NULL)
        return ENOMEM;
    CPU_ZERO_S(CPU_ALLOC_SIZE((size_t)most + 1), set);
    for (i = 0; i < device->cpu_count; i++)
        CPU_SET_S((size_t)device->cpus[i], CPU_ALLOC_SIZE((size_t)most + 1),
                  set);
    error = pthread_attr_setaffinity_np(attributes,
                                        CPU_ALLOC_SIZE((size_t)most + 1), set);
    CPU_FREE(set);
    return error;
}

static xh_status_t start(hyb_emu_queue_t *queue)
{
    const hyb_emu_device_t *device = queue->device;
    pthread_attr_t attributes;
    int error;

    pthread_attr_init(&attributes);
    error = device->cpu_count > 0 ? confine(&attributes, device) : 0;
    if (error == 0)
        error = pthread_create(&queue->thread, &attributes, serve, queue);
    pthread_attr_destroy(&attributes);
    if (error == 0)
        return XH_OK;
    hyb_emu_say(device, XH_LOG_ERROR, "no thread for a queue: %s",
                strerror(error));
    return error == EINVAL ? XH_ERR_DEVICE : XH_ERR_MEMORY;
}

/* With the device locked. */
static xh_status_t open_queue(hyb_emu_device_t *device, hyb_emu_queue_t *queue)
{
    hyb_emu_fault_t fault;
    xh_status_t status = hyb_emu_admit(device, HYB_EMU_QUEUE_CREATE, &fault);

    if (status != XH_OK)
        return status;
    queue->device = device;
    queue->end = &queue->first;
    hyb_emu_condition_init(&queue->wake);
    status = start(queue);
    if (status == XH_OK) {
        queue->next = device->queues;
        device->queues = queue;
    } else {
        pthread_cond_destroy(&queue->wake);
    }
    return status;
}

xh_status_t hyb_emu_queue_create(void *state, hyb_priority_t priority,
                                 void **queue_p)
{
    hyb_emu_device_t *device = state;
    hyb_emu_queue_t *queue = calloc(1, sizeof(*queue));
    xh_status_t status;

    (void)priority;
    if (queue == NULL)
        return XH_ERR_MEMORY;
    pthread_mutex_lock(&device->lock);
    status = open_queue(device, queue);
    pthread_mutex_unlock(&device->lock);
    if (status == XH_OK)
        *queue_p = queue;
    else
        free(queue);
    return status;
}

static void release(hyb_emu_queue_t *queue)
{
    pthread_cond_destroy(&queue->wake);
    free(queue);
}

static void unlink_queue(hyb_emu_queue_t *queue)
{
    hyb_emu_queue_t **link = &queue->device->queues;

    while (*link != queue)
        link = &(*link)->next;
    *link = queue->next;
}

/* Closing the device frees a queue that still has work. */
void hyb_emu_queue_destroy(void *state, void *queue)
{
    hyb_emu_device_t *device = state;
    hyb_emu_queue_t *ended = queue;
    bool idle;

    pthread_mutex_lock(&device->lock);
    idle = ended->first == NULL && !ended->running;
    ended->ended = true;
    pthread_cond_broadcast(&ended->wake);
    if (idle)
        unlink_queue(ended);
    pthread_mutex_unlock(&device->lock);
    if (idle) {
        pthread_join(ended->thread, NULL);
        release(ended);
    }
}

void hyb_emu_queues_close(hyb_emu_device_t *device, bool abandon)
{
    hyb_emu_queue_t *queue;

    pthread_mutex_lock(&device->lock);
    device->closing = true;
    device->abandoned = abandon;
    for (queue = device->queues; queue != NULL; queue = queue->next)
        queue->ended = true;
    wake_all(device);
    pthread_mutex_unlock(&device->lock);
    for (queue = device->queues; queue != NULL; queue = queue->next)
        pthread_join(queue->thread, NULL);
    while (device->queues != NULL) {
        queue = device->queues;
        device->queues = queue->next;
        release(queue);
    }
}
