/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/device/device_calls.h"

#include "testing/unit/unit.h"

device_calls_t on;

void device_calls_open(const hyb_backend_t *backend, int index)
{
    assert_ok(hyb_device_open((hyb_device_choice_t){backend, index}, NULL, 0,
                              &on.device));
    assert_ok(hyb_queue_create(on.device, HYB_QUEUE_NORMAL, &on.queue));
    assert_ok(hyb_event_create(on.device, &on.event));
    assert_ok(hyb_event_record(on.queue, on.event));
    assert_ok(
        hyb_buffer_create(on.device, CALLS_ALL * sizeof(double), &on.buffer));
}

void device_calls_close(void)
{
    hyb_event_destroy(on.event);
    hyb_queue_destroy(on.queue); /* whose work ends */
    hyb_buffer_destroy(on.buffer);
    hyb_device_close(on.device);
    on.device = NULL;
    on.queue = NULL;
    on.event = NULL;
    on.buffer = NULL;
}

static xh_view_t host_matrix(void)
{
    return (xh_view_t){on.host, CALLS_ORDER, CALLS_ORDER, CALLS_ORDER};
}

hyb_device_view_t device_calls_square(int which)
{
    return hyb_device_view(on.buffer, which * CALLS_ELEMENTS, CALLS_ORDER,
                           CALLS_ORDER);
}

/* ---- asking, making and ordering ----------------------------------------- */

static xh_status_t describe(void)
{
    hyb_device_info_t info;

    return hyb_device_describe(on.device, &info);
}

static xh_status_t sensors(void)
{
    hyb_device_sensors_t all;

    return hyb_device_sensors(on.device, &all);
}

static xh_status_t pinned(void)
{
    double *memory = NULL;
    xh_status_t status = hyb_pinned_alloc(on.device, 64, &memory);

    hyb_pinned_free(on.device, memory, 64);
    return status;
}

static xh_status_t event_wait(void)
{
    bool done;

    return hyb_event_wait(on.event, 60.0, &done);
}

static xh_status_t event_elapsed(void)
{
    double seconds;

    return hyb_event_elapsed(on.event, on.event, &seconds);
}

static xh_status_t alloc(void)
{
    hyb_buffer_t *buffer = NULL;
    xh_status_t status = hyb_buffer_create(on.device, 8, &buffer);

    hyb_buffer_destroy(buffer);
    return status;
}

static xh_status_t pin(void)
{
    xh_status_t status = hyb_device_pin(on.device, on.host, sizeof(on.host));

    hyb_device_unpin(on.device, on.host);
    return status;
}

static xh_status_t queue_create(void)
{
    hyb_queue_t *queue = NULL;
    xh_status_t status = hyb_queue_create(on.device, HYB_QUEUE_HIGH, &queue);

    hyb_queue_destroy(queue);
    return status;
}

static xh_status_t event_create(void)
{
    hyb_event_t *event = NULL;
    xh_status_t status = hyb_event_create(on.device, &event);

    hyb_event_destroy(event);
    return status;
}

static xh_status_t event_record(void)
{
    return hyb_event_record(on.queue, on.event);
}

static xh_status_t queue_wait(void)
{
    return hyb_queue_wait(on.queue, on.event);
}

/* ---- work ---------------------------------------------------------------- */

static xh_status_t copy_in(void)
{
    return hyb_queue_copy_in(on.queue, host_matrix(), device_calls_square(0));
}

static xh_status_t copy_out(void)
{
    return hyb_queue_copy_out(on.queue, device_calls_square(0), host_matrix());
}

static xh_status_t gemm(void)
{
    const hyb_device_view_t c = device_calls_square(0);

    return hyb_queue_gemm(on.queue,
                          &(hyb_gemm_t){.beta = 2, .a = c, .b = c, .c = c});
}

static hyb_device_view_t all_rows(void)
{
    return hyb_device_view(on.buffer, CALLS_LIST, CALLS_ORDER, 1);
}

static xh_status_t swap_rows(void)
{
    const hyb_row_swap_t swap = {.columns = device_calls_square(0),
                                 .u = device_calls_square(1),
                                 .source = all_rows(),
                                 .from = hyb_device_view(NULL, 0, 0, 1),
                                 .to = hyb_device_view(NULL, 0, 0, 1)};

    return hyb_queue_swap_rows(on.queue, &swap);
}

static xh_status_t copy(void)
{
    return hyb_queue_copy(on.queue, device_calls_square(0),
                          device_calls_square(1));
}

static xh_status_t gather_rows(void)
{
    return hyb_queue_gather_rows(on.queue, device_calls_square(0), all_rows(),
                                 device_calls_square(1));
}

static xh_status_t scatter_rows(void)
{
    return hyb_queue_scatter_rows(on.queue, device_calls_square(1), all_rows(),
                                  device_calls_square(0));
}

static xh_status_t trsm(void)
{
    return hyb_queue_trsm(on.queue, device_calls_square(0),
                          device_calls_square(1));
}

static xh_status_t gemv(void)
{
    return hyb_queue_gemv(
        on.queue, device_calls_square(0),
        hyb_device_view(on.buffer, CALLS_ELEMENTS, CALLS_ORDER, 1),
        hyb_device_view(on.buffer, 2 * CALLS_ELEMENTS, CALLS_ORDER, 1));
}

static xh_status_t generate(void)
{
    const hyb_dealt_t all = {0, CALLS_ORDER, 0, 1};

    return hyb_queue_generate(
        on.queue,
        &(hyb_generate_t){100, CALLS_ORDER, all, all, device_calls_square(1)});
}

static xh_status_t checksum(void)
{
    return hyb_queue_checksum(
        on.queue, device_calls_square(0),
        hyb_device_view(on.buffer, CALLS_ELEMENTS, 2, CALLS_ORDER));
}

static xh_status_t panel_step(void)
{
    const hyb_panel_step_t step = {.panel = device_calls_square(0),
                                   .count = CALLS_ORDER,
                                   .pivots = all_rows()};

    return hyb_queue_panel_step(on.queue, &step);
}

static xh_status_t panel_column(void)
{
    const hyb_device_view_t other = device_calls_square(1);
    const hyb_panel_column_t p = {
        .panel = hyb_device_view_part(device_calls_square(0), 0, 0, 2, 2),
        .end = 2,
        .column = -1,
        .pivot = hyb_device_view(other.buffer, other.offset,
                                 hyb_pivot_elements(2), 1)};

    return hyb_queue_panel_column(on.queue, &p);
}

/* ---- all ----------------------------------------------------------------- */

const char *device_call_name(device_call_t call)
{
    static const char *const names[] = {"alloc",        "pin",
                                        "queue_create", "event_create",
                                        "event_record", "queue_wait"};

    return call < CALLS_WORK ? names[call - CALLS_AT_ONCE]
                             : hyb_op_name((hyb_op_t)(call - CALLS_WORK));
}

xh_status_t device_call(device_call_t call)
{
    static xh_status_t (*const calls[CALLS])(void) = {
        describe,   sensors,     pinned,       event_wait,   event_elapsed,
        alloc,      pin,         queue_create, event_create, event_record,
        queue_wait, copy_in,     copy_out,     gemm,         copy,
        swap_rows,  gather_rows, scatter_rows, trsm,         gemv,
        generate,   checksum,    panel_step,   panel_column};

    return calls[call]();
}
