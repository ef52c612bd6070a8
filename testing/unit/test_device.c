/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/device.h"

#include <math.h>
#include "testing/unit/capture.h"
#include "testing/unit/fake_backend.h"
#include "testing/unit/unit.h"

static hyb_device_t *device;
static hyb_queue_t *queue;
static hyb_event_t *event;
static hyb_buffer_t *buffer;
static double x[64];

static hyb_device_t *opened(const hyb_backend_t *backend, int index)
{
    hyb_device_t *result = NULL;

    assert_ok(hyb_device_open((hyb_device_choice_t){backend, index}, NULL, 0,
                              &result));
    return result;
}

static void open_all(const hyb_backend_t *backend)
{
    fake_reset();
    device = opened(backend, 1);
    assert_ok(hyb_queue_create(device, HYB_QUEUE_NORMAL, &queue));
    assert_ok(hyb_event_create(device, &event));
    assert_ok(hyb_buffer_create(device, sizeof(x), &buffer));
    assert_ok(hyb_event_record(queue, event));
    fake.calls = 0;
}

static int set_up(void **state)
{
    (void)state;
    open_all(&fake_backend);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hyb_buffer_destroy(buffer);
    hyb_event_destroy(event);
    hyb_queue_destroy(queue);
    hyb_device_close(device);
    return 0;
}

/* ---- calls, each in its simplest form ----------------------------------- */

static const xh_view_t host = {x, 4, 4, 4};

static hyb_block_t square(int64_t offset)
{
    return hyb_block(buffer, offset, 4, 4);
}

static xh_status_t ask_description(void)
{
    hyb_device_info_t info;

    return hyb_device_describe(device, &info);
}

static xh_status_t ask_sensors(void)
{
    hyb_device_sensors_t sensors;

    return hyb_device_sensors(device, &sensors);
}

static xh_status_t take_memory(void)
{
    hyb_buffer_t *other = NULL;
    xh_status_t status = hyb_buffer_create(device, 64, &other);

    hyb_buffer_destroy(other);
    return status;
}

static xh_status_t take_pinned(void)
{
    double *memory = NULL;
    xh_status_t status = hyb_pinned_alloc(device, 64, &memory);

    hyb_pinned_free(device, memory, 64);
    return status;
}

static xh_status_t pin(void)
{
    return hyb_device_pin(device, x, sizeof(x));
}

static xh_status_t make_queue(void)
{
    hyb_queue_t *other = NULL;
    xh_status_t status = hyb_queue_create(device, HYB_QUEUE_HIGH, &other);

    hyb_queue_destroy(other);
    return status;
}

static xh_status_t make_event(void)
{
    hyb_event_t *other = NULL;
    xh_status_t status = hyb_event_create(device, &other);

    hyb_event_destroy(other);
    return status;
}

static xh_status_t record(void)
{
    return hyb_event_record(queue, event);
}

static xh_status_t wait_in_queue(void)
{
    return hyb_queue_wait(queue, event);
}

static xh_status_t wait_here(void)
{
    bool done;

    return hyb_event_wait(event, 0, &done);
}

static xh_status_t ask_elapsed(void)
{
    double seconds;

    return hyb_event_elapsed(event, event, &seconds);
}

static xh_status_t copy_in(void)
{
    return hyb_queue_copy_in(queue, host, square(0));
}

static xh_status_t copy_out(void)
{
    return hyb_queue_copy_out(queue, square(0), host);
}

static xh_status_t multiply(void)
{
    return hyb_queue_gemm(queue, &(hyb_gemm_t){.alpha = 1,
                                               .a = square(0),
                                               .b = square(16),
                                               .c = square(32)});
}

static xh_status_t swap_rows(void)
{
    return hyb_queue_swap_rows(queue,
                               &(hyb_row_swap_t){.columns = square(0),
                                                 .u = square(16),
                                                 .source = {buffer, 32, 4}});
}

static xh_status_t solve(void)
{
    return hyb_queue_trsm(queue, square(0), square(16));
}

static xh_status_t multiply_vector(void)
{
    return hyb_queue_gemv(queue, square(0), hyb_block(buffer, 16, 4, 1),
                          hyb_block(buffer, 20, 4, 1));
}

static xh_status_t generate(void)
{
    return hyb_queue_generate(
        queue,
        &(hyb_generate_t){
            100, 4, {0, 4, 0, 1}, {0, 4, 0, 1}, hyb_block(buffer, 0, 4, 4)});
}

static xh_status_t copy_nothing(void)
{
    const xh_view_t nothing = {NULL, 0, 3, 1};

    return hyb_queue_copy_in(queue, nothing, hyb_block(NULL, 0, 0, 3));
}

static xh_status_t (*const calls[])(void) = {
    ask_description, ask_sensors,     take_memory, take_pinned, make_queue,
    make_event,      record,          wait_here,   ask_elapsed, wait_in_queue,
    copy_in,         copy_out,        pin,         multiply,    swap_rows,
    solve,           multiply_vector, generate,
};

/* By hyb_op_t. */
static xh_status_t (*const ops[HYB_OPS])(void) = {
    copy_in, copy_out, multiply, swap_rows, solve, multiply_vector, generate,
};

enum { CALLS = COUNT_OF(calls) };

/* ---- failing ------------------------------------------------------------ */

TEST(a_failure_in_any_call_fails_the_device)
{
    for (int i = 0; i < CALLS; i++) {
        set_up(state);
        assert_ok(calls[i]());
        assert_false(hyb_device_failed(device));
        fake.answer = XH_ERR_DEVICE;
        assert_int_equal(calls[i](), XH_ERR_DEVICE);
        assert_true(hyb_device_failed(device));
        tear_down(state);
    }
}

#define TEST_SET_UP(name) TEST_WITH(name, set_up, tear_down)

TEST_SET_UP(a_failed_device_refuses_all_calls)
{
    capture_begin();
    hyb_device_fail(device, "it stalled");
    capture_end(NULL);
    for (int i = 0; i < CALLS; i++)
        assert_int_equal(calls[i](), XH_ERR_DEVICE);
    assert_int_equal(copy_nothing(), XH_ERR_DEVICE);
    assert_int_equal(fake.calls, 0);
}

TEST_SET_UP(other_errors_do_not_fail_the_device)
{
    fake.answer = XH_ERR_MEMORY;
    for (int i = 0; i < CALLS; i++)
        if (calls[i] != take_pinned) /* it does without */
            assert_int_equal(calls[i](), XH_ERR_MEMORY);
    assert_false(hyb_device_failed(device));
    fake.answer = XH_OK;
    for (int i = 0; i < CALLS; i++)
        assert_ok(calls[i]());
}

TEST_SET_UP(giving_up_a_device_is_said_once)
{
    const char *text;
    int lines;

    capture_begin();
    hyb_device_fail(device, "it stalled");
    hyb_device_fail(device, "it stalled again");
    text = capture_end(&lines);
    assert_int_equal(lines, 1);
    assert_non_null(strstr(text, "fake device 1"));
    assert_non_null(strstr(text, "it stalled\n"));
}

TEST_SET_UP(outputs_are_untouched_on_failure)
{
    hyb_buffer_t *memory = buffer;
    double *pinned = x;
    hyb_queue_t *other = queue;
    hyb_device_info_t info = {.name = "mine"};

    fake.answer = XH_ERR_MEMORY;
    assert_int_equal(hyb_buffer_create(device, 8, &memory), XH_ERR_MEMORY);
    assert_int_equal(hyb_queue_create(device, HYB_QUEUE_HIGH, &other),
                     XH_ERR_MEMORY);
    assert_int_equal(hyb_device_describe(device, &info), XH_ERR_MEMORY);
    assert_ptr_equal(memory, buffer);
    assert_ptr_equal(other, queue);
    assert_string_equal(info.name, "mine");
    fake.answer = XH_ERR_DEVICE;
    assert_int_equal(hyb_pinned_alloc(device, 8, &pinned), XH_ERR_DEVICE);
    assert_ptr_equal(pinned, x);
}

TEST_SET_UP(memory_that_cannot_be_pinned_serves)
{
    double *memory = NULL;

    fake.answer = XH_ERR_MEMORY;
    assert_ok(hyb_pinned_alloc(device, 64, &memory));
    memory[0] = memory[7] = 1;
    assert_false(hyb_device_failed(device));
    hyb_pinned_free(device, memory, 64);
}

/* ---- giving back -------------------------------------------------------- */

TEST_SET_UP(a_healthy_device_gets_everything_back)
{
    hyb_buffer_t *memory;
    double *pinned;
    hyb_device_t *other;

    other = opened(&fake_backend, 0);
    assert_ok(hyb_buffer_create(other, 64, &memory));
    assert_ok(hyb_pinned_alloc(other, 64, &pinned));
    pinned[0] = 1;
    hyb_buffer_destroy(memory);
    hyb_pinned_free(other, pinned, 64);
    assert_int_equal(fake.given_back, 2);
    hyb_device_close(other);
    assert_int_equal(fake.closed, 1);
}

TEST_SET_UP(memory_that_a_failed_device_may_touch_is_kept)
{
    hyb_buffer_t *memory;
    double *pinned;
    hyb_queue_t *its_queue;
    hyb_device_t *other;

    other = opened(&fake_backend, 0);
    assert_ok(hyb_buffer_create(other, 64, &memory));
    assert_ok(hyb_pinned_alloc(other, 64, &pinned));
    assert_ok(hyb_queue_create(other, HYB_QUEUE_NORMAL, &its_queue));
    capture_begin();
    hyb_device_fail(other, "it stalled");
    capture_end(NULL);
    hyb_buffer_destroy(memory);
    hyb_pinned_free(other, pinned, 64);
    assert_int_equal(fake.given_back, 0);
    pinned[0] = 1; /* still there */
    hyb_queue_destroy(its_queue);
    assert_int_equal(fake.ended, 1);
    hyb_device_close(other);
    assert_int_equal(fake.given_back, 1); /* the buffer: nobody waits for it */
    assert_int_equal(fake.closed, 1);
}

TEST_SET_UP(nothing_is_given_back_quietly)
{
    hyb_device_close(NULL);
    hyb_queue_destroy(NULL);
    hyb_event_destroy(NULL);
    hyb_buffer_destroy(NULL);
    hyb_pinned_free(device, NULL, 8);
    assert_int_equal(fake.calls, 0);
}

/* ---- arguments ---------------------------------------------------------- */

TEST_SET_UP(waiting_a_negative_time_is_refused)
{
    bool done;

    capture_begin();
    assert_int_equal(hyb_event_wait(event, -1, &done), XH_ERR_ARG);
    assert_int_equal(hyb_event_wait(event, NAN, &done), XH_ERR_ARG);
    assert_int_equal(hyb_buffer_create(device, 0, &(hyb_buffer_t *){NULL}),
                     XH_ERR_ARG);
    capture_end(NULL);
    assert_int_equal(fake.calls, 0);
}

TEST_SET_UP(a_device_that_is_not_there_does_not_open)
{
    hyb_device_t *other = device;
    const char *text;

    fake.devices = 0;
    fake.reason = "the driver is missing";
    capture_begin();
    assert_int_equal(hyb_device_open((hyb_device_choice_t){&fake_backend, 0},
                                     NULL, 0, &other),
                     XH_ERR_DEVICE);
    text = capture_end(NULL);
    assert_non_null(strstr(text, "the driver is missing"));
    assert_ptr_equal(other, device);
}

TEST_SET_UP(queues_and_events_of_two_devices_do_not_mix)
{
    hyb_device_t *other;
    hyb_event_t *foreign;
    double seconds;

    other = opened(&fake_backend, 0);
    assert_ok(hyb_event_create(other, &foreign));
    fake.calls = 0;
    capture_begin();
    assert_int_equal(hyb_event_record(queue, foreign), XH_ERR_ARG);
    assert_int_equal(hyb_queue_wait(queue, foreign), XH_ERR_ARG);
    assert_int_equal(hyb_event_elapsed(event, foreign, &seconds), XH_ERR_ARG);
    capture_end(NULL);
    assert_int_equal(fake.calls, 0);
    hyb_event_destroy(foreign);
    hyb_device_close(other);
}

/* ---- what backends may lack --------------------------------------------- */

TEST_SET_UP(missing_functions_have_a_meaning)
{
    hyb_backend_t poor = fake_backend;
    hyb_device_sensors_t sensors;
    hyb_device_t *other;
    double *pinned;

    poor.sensors = NULL;
    poor.pin = NULL;
    poor.unpin = NULL;
    other = opened(&poor, 0);
    assert_ok(hyb_device_sensors(other, &sensors));
    assert_true(isnan(sensors.power) && isnan(sensors.clock) &&
                isnan(sensors.temperature));
    assert_ok(hyb_pinned_alloc(other, 64, &pinned));
    hyb_pinned_free(other, pinned, 64);
    hyb_device_close(other);
}

/* Each of them, and no other. */
TEST_SET_UP(work_that_a_backend_lacks_is_refused)
{
    static hyb_backend_t poor;

    for (int lost = HYB_OP_GEMM; lost < HYB_OPS; lost++) {
        poor = fake_backend;
        poor.ops &= ~(1u << lost);
        tear_down(state);
        open_all(&poor);
        for (int op = 0; op < HYB_OPS; op++) {
            assert_int_equal(hyb_device_has(device, (hyb_op_t)op), op != lost);
            capture_begin();
            assert_int_equal(ops[op](), op != lost ? XH_OK : XH_ERR_ARG);
            assert_int_equal(strstr(capture_end(NULL), " devices have no ") !=
                                 NULL,
                             op == lost);
        }
        assert_false(hyb_device_failed(device));
    }
}

TEST_SET_UP(a_device_describes_itself)
{
    hyb_device_info_t info;

    assert_ok(hyb_device_describe(device, &info));
    assert_string_equal(info.name, "fake 1");
    assert_int_equal(info.index, 1);
    assert_int_equal(info.memory_free, sizeof(x));
}

TEST_MAIN()
