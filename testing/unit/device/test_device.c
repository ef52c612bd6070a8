/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/device.h"

#include <math.h>
#include "testing/unit/base/capture.h"
#include "testing/unit/device/device_calls.h"
#include "testing/unit/device/fake_backend.h"
#include "testing/unit/unit.h"

/* A device opened on fake_backend or a copy of it, with nothing counted. */
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
    device_calls_open(backend, 1);
    fake.calls = 0;
}

UNIT_STEP(set_up)
{
    open_all(&fake_backend);
}

UNIT_STEP(tear_down)
{
    device_calls_close();
}

/* ---- failing ------------------------------------------------------------ */

TEST(a_failure_in_any_call_fails_the_device)
{
    for (device_call_t i = 0; i < CALLS; i++) {
        set_up(state);
        assert_ok(device_call(i));
        assert_false(hyb_device_failed(on.device));
        fake.answer = XH_ERR_DEVICE;
        assert_int_equal(device_call(i), XH_ERR_DEVICE);
        assert_true(hyb_device_failed(on.device));
        tear_down(state);
    }
}

#define TEST_SET_UP(name) TEST_WITH(name, set_up, tear_down)

TEST_SET_UP(a_failed_device_refuses_all_calls)
{
    unheard(hyb_device_fail(on.device, "it stalled"));
    for (device_call_t i = 0; i < CALLS; i++)
        assert_int_equal(device_call(i), XH_ERR_DEVICE);
    assert_int_equal(hyb_queue_copy_in(on.queue, (xh_view_t){NULL, 0, 3, 1},
                                       hyb_device_view(NULL, 0, 0, 3)),
                     XH_ERR_DEVICE);
    assert_int_equal(fake.calls, 0);
}

TEST_SET_UP(other_errors_do_not_fail_the_device)
{
    fake.answer = XH_ERR_MEMORY;
    for (device_call_t i = 0; i < CALLS; i++)
        if (i != CALL_PINNED) /* it does without */
            assert_int_equal(device_call(i), XH_ERR_MEMORY);
    assert_false(hyb_device_failed(on.device));
    fake.answer = XH_OK;
    for (device_call_t i = 0; i < CALLS; i++)
        assert_ok(device_call(i));
}

TEST_SET_UP(giving_up_a_device_is_said_once)
{
    const char *text;
    int lines;

    capture_begin();
    hyb_device_fail(on.device, "it stalled");
    hyb_device_fail(on.device, "it stalled again");
    text = capture_end(&lines);
    assert_int_equal(lines, 1);
    assert_in(text, "fake device 1");
    assert_in(text, "it stalled\n");
}

TEST_SET_UP(outputs_are_untouched_on_failure)
{
    hyb_buffer_t *memory = on.buffer;
    double *pinned = on.host;
    hyb_queue_t *other = on.queue;
    hyb_device_info_t info = {.name = "mine"};

    assert_said(hyb_buffer_create(on.device, 0, &memory), XH_ERR_ARG,
                "0 bytes");
    assert_int_equal(fake.calls, 0);
    fake.answer = XH_ERR_MEMORY;
    assert_int_equal(hyb_buffer_create(on.device, 8, &memory), XH_ERR_MEMORY);
    assert_int_equal(hyb_queue_create(on.device, HYB_QUEUE_HIGH, &other),
                     XH_ERR_MEMORY);
    assert_int_equal(hyb_device_describe(on.device, &info), XH_ERR_MEMORY);
    assert_ptr_equal(memory, on.buffer);
    assert_ptr_equal(other, on.queue);
    assert_string_equal(info.name, "mine");
    fake.answer = XH_ERR_DEVICE;
    assert_int_equal(hyb_pinned_alloc(on.device, 8, &pinned), XH_ERR_DEVICE);
    assert_ptr_equal(pinned, on.host);
}

TEST_SET_UP(memory_that_cannot_be_pinned_serves)
{
    double *memory = NULL;

    fake.answer = XH_ERR_MEMORY;
    assert_ok(hyb_pinned_alloc(on.device, 64, &memory));
    memory[0] = memory[7] = 1;
    assert_false(hyb_device_failed(on.device));
    hyb_pinned_free(on.device, memory, 64);
}

/* ---- giving back -------------------------------------------------------- */

TEST_SET_UP(a_device_gets_all_back_but_what_it_may_touch_as_it_failed)
{
    hyb_buffer_t *memory;
    double *pinned;
    hyb_queue_t *its_queue;

    for (int failed = 0; failed < 2; failed++) {
        hyb_device_t *other = opened(&fake_backend, 0);

        fake_reset();
        assert_ok(hyb_buffer_create(other, 64, &memory));
        assert_ok(hyb_pinned_alloc(other, 64, &pinned));
        assert_ok(hyb_queue_create(other, HYB_QUEUE_NORMAL, &its_queue));
        pinned[0] = 1;
        if (failed)
            unheard(hyb_device_fail(other, "it stalled"));
        hyb_buffer_destroy(memory);
        hyb_pinned_free(other, pinned, 64);
        assert_int_equal(fake.given_back, failed ? 0 : 2);
        if (failed)
            pinned[0] = 1; /* still there */
        hyb_queue_destroy(its_queue);
        assert_int_equal(fake.ended, 1);
        hyb_device_close(other); /* and the buffer: nobody waits for it */
        assert_int_equal(fake.given_back, failed ? 1 : 2);
        assert_int_equal(fake.closed, 1);
    }
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
            assert_int_equal(hyb_device_has(on.device, (hyb_op_t)op),
                             op != lost);
            assert_int_equal(
                strstr(heard(assert_int_equal(
                           device_call(CALL_COPY_IN + (unsigned)op),
                           op != lost ? XH_OK : XH_ERR_ARG)),
                       " devices have no ") != NULL,
                op == lost);
        }
        assert_false(hyb_device_failed(on.device));
    }
}
