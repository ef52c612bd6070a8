/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/fake_backend.h"

#include <stdio.h>

fake_t fake;

static double memory[64]; /* what alloc gives, always the same */

void fake_reset(void)
{
    fake = (fake_t){.devices = 3, .answer = XH_OK};
}

static xh_status_t answer(void)
{
    fake.calls++;
    return fake.answer;
}

static xh_status_t answer_with(void **handle_p)
{
    *handle_p = memory;
    return answer();
}

static int count(const char **reason_p)
{
    *reason_p = fake.reason;
    return fake.devices;
}

static xh_status_t describe(int index, hyb_device_info_t *info_p)
{
    *info_p = (hyb_device_info_t){.backend = "fake", .index = index};
    snprintf(info_p->name, sizeof(info_p->name), "fake %d", index);
    return XH_OK;
}

static xh_status_t open_device(int index, void **state_p)
{
    (void)index;
    return answer_with(state_p);
}

static void close_device(void *state)
{
    (void)state;
    fake.calls++;
    fake.closed++;
}

static xh_status_t memory_left(void *state, uint64_t *bytes_p)
{
    (void)state;
    *bytes_p = sizeof(memory);
    return answer();
}

static xh_status_t buffer_create(void *state, size_t bytes, void **freedp)
{
    (void)state;
    (void)bytes;
    return answer_with(freedp);
}

static void unpin(void *state, void *freed)
{
    (void)state;
    (void)freed;
    fake.calls++;
    fake.given_back++;
}

static void buffer_destroy(void *state, void *freed, size_t bytes)
{
    (void)bytes;
    unpin(state, freed);
}

static xh_status_t create(void *state, void **handle_p)
{
    (void)state;
    return answer_with(handle_p);
}

static xh_status_t queue_create(void *state, hyb_priority_t priority,
                                void **handle_p)
{
    (void)priority;
    return create(state, handle_p);
}

static void destroy(void *state, void *handle)
{
    (void)state;
    (void)handle;
    fake.calls++;
    fake.ended++;
}

static xh_status_t order(void *state, void *queue, void *event)
{
    (void)state;
    (void)queue;
    (void)event;
    return answer();
}

static xh_status_t event_wait(void *state, void *event, double seconds,
                              bool *done_p)
{
    (void)state;
    (void)event;
    (void)seconds;
    *done_p = true;
    return answer();
}

static xh_status_t event_elapsed(void *state, void *begin, void *end,
                                 double *seconds_p)
{
    (void)state;
    (void)begin;
    (void)end;
    *seconds_p = 1;
    return answer();
}

static xh_status_t work(void *state, void *queue, const hyb_task_t *task)
{
    (void)task;
    return order(state, queue, NULL);
}

static xh_status_t sensors(void *state, hyb_device_sensors_t *sensors_p)
{
    (void)state;
    *sensors_p = (hyb_device_sensors_t){60, 1e9, 300, 9e4};
    return answer();
}

static xh_status_t pin(void *state, void *host, size_t bytes)
{
    (void)state;
    (void)host;
    (void)bytes;
    return answer();
}

const hyb_backend_t fake_backend = {
    .abi = HYB_BACKEND_ABI,
    .name = "fake",
    .ops = (1u << HYB_OPS) - 1,
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .memory_left = memory_left,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .queue_create = queue_create,
    .queue_destroy = destroy,
    .event_create = create,
    .event_destroy = destroy,
    .event_record = order,
    .queue_wait = order,
    .event_wait = event_wait,
    .event_elapsed = event_elapsed,
    .work = work,
    .sensors = sensors,
    .pin = pin,
    .unpin = unpin,
};
