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

static xh_status_t open_device(int index, const int *cpus, int cpu_count,
                               void **state_p)
{
    (void)index;
    (void)cpus;
    (void)cpu_count;
    return answer_with(state_p);
}

static void close_device(void *state, bool abandon)
{
    (void)state;
    fake.calls++;
    fake.closed++;
    fake.abandoned = abandon;
}

static xh_status_t memory_left(void *state, uint64_t *bytes_p)
{
    (void)state;
    *bytes_p = sizeof(memory);
    return answer();
}

static xh_status_t buffer_create(void *state, size_t bytes, void **memory_p)
{
    (void)state;
    (void)bytes;
    return answer_with(memory_p);
}

static void give_back(void *state, void *piece)
{
    (void)state;
    (void)piece;
    fake.calls++;
    fake.given_back++;
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

static xh_status_t copy_in(void *state, void *queue, xh_view_t from_host,
                           hyb_block_t to)
{
    (void)state;
    (void)queue;
    (void)from_host;
    (void)to;
    return answer();
}

static xh_status_t copy_out(void *state, void *queue, hyb_block_t from,
                            xh_view_t to_host)
{
    return copy_in(state, queue, to_host, from);
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

/* ---- work that a backend may lack --------------------------------------- */

static xh_status_t gemm(void *state, void *queue, const hyb_gemm_t *product)
{
    (void)product;
    return order(state, queue, NULL);
}

static xh_status_t copy(void *state, void *queue, hyb_block_t from,
                        hyb_block_t to)
{
    (void)from;
    (void)to;
    return order(state, queue, NULL);
}

static xh_status_t swap_rows(void *state, void *queue,
                             const hyb_row_swap_t *swap)
{
    (void)swap;
    return order(state, queue, NULL);
}

static xh_status_t move_rows(void *state, void *queue, hyb_block_t from,
                             hyb_list_t rows, hyb_block_t to)
{
    (void)from;
    (void)rows;
    (void)to;
    return order(state, queue, NULL);
}

static xh_status_t gemv(void *state, void *queue, hyb_block_t a, hyb_block_t x,
                        hyb_block_t y)
{
    (void)a;
    (void)x;
    (void)y;
    return order(state, queue, NULL);
}

static xh_status_t generate(void *state, void *queue,
                            const hyb_generate_t *part)
{
    (void)part;
    return order(state, queue, NULL);
}

const hyb_backend_t fake_backend = {
    .abi = HYB_BACKEND_ABI,
    .name = "fake",
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .memory_left = memory_left,
    .buffer_create = buffer_create,
    .buffer_destroy = give_back,
    .queue_create = queue_create,
    .queue_destroy = destroy,
    .event_create = create,
    .event_destroy = destroy,
    .event_record = order,
    .queue_wait = order,
    .event_wait = event_wait,
    .event_elapsed = event_elapsed,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .sensors = sensors,
    .pin = pin,
    .unpin = give_back,
    .gemm = gemm,
    .copy = copy,
    .swap_rows = swap_rows,
    .gather_rows = move_rows,
    .scatter_rows = move_rows,
    .trsm = copy,
    .gemv = gemv,
    .generate = generate,
};
