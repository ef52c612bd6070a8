/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/device/fake_backend.h"

#include <stdio.h>

#define UNUSED __attribute__((unused))

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

static xh_status_t open_device(UNUSED int index, void **state_p)
{
    return answer_with(state_p);
}

static void close_device(UNUSED void *state)
{
    fake.calls++;
    fake.closed++;
}

static xh_status_t memory_left(UNUSED void *state, uint64_t *bytes_p)
{
    *bytes_p = sizeof(memory);
    return answer();
}

static xh_status_t buffer_create(UNUSED void *state, UNUSED size_t bytes,
                                 void **freedp)
{
    return answer_with(freedp);
}

static void unpin(UNUSED void *state, UNUSED void *freed)
{
    fake.calls++;
    fake.given_back++;
}

static void buffer_destroy(void *state, void *freed, UNUSED size_t bytes)
{
    unpin(state, freed);
}

static xh_status_t create(UNUSED void *state, void **handle_p)
{
    return answer_with(handle_p);
}

static xh_status_t queue_create(void *state, UNUSED hyb_priority_t priority,
                                void **handle_p)
{
    return create(state, handle_p);
}

static void destroy(UNUSED void *state, UNUSED void *handle)
{
    fake.calls++;
    fake.ended++;
}

static xh_status_t order(UNUSED void *state, UNUSED void *queue,
                         UNUSED void *event)
{
    return answer();
}

static xh_status_t event_wait(UNUSED void *state, UNUSED void *event,
                              UNUSED double seconds, bool *done_p)
{
    *done_p = true;
    return answer();
}

static xh_status_t event_elapsed(UNUSED void *state, UNUSED void *begin,
                                 UNUSED void *end, double *seconds_p)
{
    *seconds_p = 1;
    return answer();
}

static xh_status_t work(void *state, void *queue, UNUSED const hyb_task_t *task)
{
    return order(state, queue, NULL);
}

static xh_status_t sensors(UNUSED void *state, hyb_device_sensors_t *sensors_p)
{
    *sensors_p = (hyb_device_sensors_t){60, 1e9, 300, 9e4};
    return answer();
}

static xh_status_t pin(UNUSED void *state, UNUSED void *host,
                       UNUSED size_t bytes)
{
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
