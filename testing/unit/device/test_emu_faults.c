/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include <time.h>
#include "testing/unit/device/device_calls.h"
#include "testing/unit/device/emu_fixture.h"

UNIT_STEP(close_device)
{
    device_calls_close();
}

static void open_device(const char *setting)
{
    assert_ok(xh_settings_assign("emu_memory=1"));
    assert_ok(xh_settings_assign(setting));
    device_calls_open(device_cases_backend("emu"), 0);
}

/* Open the device with a fault in the nth call from now on; some were made. */
static void open_with(const char *kind, device_call_t call, int nth)
{
    static const int before[CALLS] = {[CALL_ALLOC] = 1,
                                      [CALL_QUEUE_CREATE] = 1,
                                      [CALL_EVENT_CREATE] = 1,
                                      [CALL_EVENT_RECORD] = 1};
    char setting[64];

    snprintf(setting, sizeof(setting), "emu_fault=%s@%s:%d", kind,
             device_call_name(call), before[call] + nth);
    open_device(setting);
}

/* The status of a call, without what it says. */
static xh_status_t quietly(device_call_t call)
{
    xh_status_t status;

    unheard(status = device_call(call));
    return status;
}

static xh_status_t finish(void)
{
    return device_cases_finish(on.device, on.queue);
}

/* ---- fail --------------------------------------------------------------- */

#define TEST_SET_UP(name) TEST_WITH(name, emu_default_settings, close_device)

TEST_SET_UP(a_call_fails_when_asked_to)
{
    for (device_call_t i = CALLS_AT_ONCE; i < CALLS_QUEUED; i++) {
        open_with("fail", i, 2);
        assert_ok(device_call(i));
        assert_false(hyb_device_failed(on.device));
        assert_int_equal(quietly(i), XH_ERR_DEVICE);
        assert_true(hyb_device_failed(on.device));
        assert_int_equal(device_call(CALL_COPY_IN), XH_ERR_DEVICE);
        close_device(state);
    }
}

TEST_SET_UP(queued_work_fails_behind_an_event)
{
    for (device_call_t i = CALLS_QUEUED; i < CALLS; i++) {
        open_with("fail", i, 2);
        assert_ok(device_call(i));
        assert_ok(quietly(i));
        assert_int_equal(finish(), XH_ERR_DEVICE);
        assert_true(hyb_device_failed(on.device));
        close_device(state);
    }
}

/* ---- oom ---------------------------------------------------------------- */

static void check_oom(device_call_t call)
{
    open_with("oom", call, 2);
    assert_ok(device_call(call));
    assert_int_equal(quietly(call), XH_ERR_MEMORY);
    assert_false(hyb_device_failed(on.device));
    assert_ok(device_call(call));
    assert_ok(finish());
    close_device(NULL);
}

TEST_SET_UP(a_lack_of_memory_does_nothing_else)
{
    for (device_call_t i = CALLS_AT_ONCE; i < CALLS_QUEUED; i++)
        check_oom(i);
    for (device_call_t i = CALLS_WORK; i < CALLS; i++)
        check_oom(i);
}

/* ---- stall -------------------------------------------------------------- */

static void give_up(void)
{
    unheard(hyb_device_fail(on.device, "of no use"));
}

static void check_stall(device_call_t call)
{
    hyb_event_t *event;
    bool done = true;

    open_with("stall", call, 1);
    event = device_cases_event(on.device);
    assert_ok(quietly(call));
    assert_ok(device_call(CALL_COPY_IN));
    assert_ok(hyb_event_record(on.queue, event));
    assert_ok(hyb_event_wait(event, 0, &done));
    assert_false(done);
    done = true;
    assert_ok(hyb_event_wait(event, 0.005, &done));
    assert_false(done);
    hyb_event_destroy(event);
    give_up();
    close_device(NULL);
}

TEST_SET_UP(a_stall_lasts_until_the_device_is_given_up)
{
    for (device_call_t i = CALLS_QUEUED; i < CALLS; i++)
        check_stall(i);
}

/* A copy takes 10 ms, so the second one waits when the device is given up. */
TEST_SET_UP(a_device_given_up_touches_no_host_memory)
{
    double other[CALLS_ELEMENTS] = {0};
    const xh_view_t in_other = {other, CALLS_ORDER, CALLS_ORDER, CALLS_ORDER};

    assert_ok(xh_settings_assign("emu_link=0.0000128"));
    open_device("emu_fault=");
    assert_ok(device_call(CALL_COPY_IN));
    assert_ok(device_call(CALL_COPY_OUT));
    assert_ok(hyb_queue_copy_out(on.queue, device_calls_square(0), in_other));
    give_up();
    memset(other, 0xff, sizeof(other));
    nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
    assert_int_equal(((unsigned char *)other)[0], 0xff);
    close_device(NULL);
}

/* ---- flip --------------------------------------------------------------- */

/* What the device and the host hold after two calls of op; open_device came
 * before. */
typedef struct {
    double device[CALLS_ALL], host[CALLS_ELEMENTS];
} content_t;

static void run_twice(device_call_t call, content_t *content_p)
{
    static double start[CALLS_ALL];
    const hyb_device_view_t memory =
        hyb_device_view(on.buffer, 0, CALLS_ALL, 1);

    for (int i = 0; i < CALLS_ALL; i++)
        start[i] = i < CALLS_LIST ? 1.0 / (i + 1) : 0.0; /* in lists: row 0 */
    for (int i = 0; i < CALLS_ELEMENTS; i++)
        on.host[i] = i;
    assert_ok(hyb_queue_copy_in(
        on.queue, (xh_view_t){start, CALLS_ALL, 1, CALLS_ALL}, memory));
    assert_ok(device_call(call));
    assert_ok(device_call(call));
    assert_ok(finish());
    memcpy(content_p->host, on.host, sizeof(on.host));
    assert_ok(hyb_queue_copy_out(
        on.queue, memory,
        (xh_view_t){content_p->device, CALLS_ALL, 1, CALLS_ALL}));
    assert_ok(finish());
}

static int differences(const double *x, const double *y, int count)
{
    int found = 0;

    for (int i = 0; i < count; i++)
        found += memcmp(&x[i], &y[i], sizeof(x[i])) != 0;
    return found;
}

/* run_twice copies in once before op's own calls. */
TEST_SET_UP(a_flip_spoils_one_element)
{
    static content_t right, wrong;

    for (device_call_t i = CALLS_WORK; i < CALLS; i++) {
        open_device("emu_fault=");
        run_twice(i, &right);
        close_device(state);
        open_with("flip", i, i == CALLS_WORK ? 3 : 2);
        unheard(run_twice(i, &wrong));
        assert_int_equal(
            differences(right.device, wrong.device, CALLS_ALL) +
                differences(right.host, wrong.host, CALLS_ELEMENTS),
            1);
        close_device(state);
    }
}

/* ---- lists -------------------------------------------------------------- */

TEST_SET_UP(faults_that_make_no_sense_are_refused)
{
    static const char *const faults[] = {
        "fail",          "fail@gemm",     "fail@gemm:0",  "fail@gemm:x",
        "melt@gemm:1",   "fail@knit:1",   "fail@gemm:1,", "1fail@gemm:1",
        "x:fail@gemm:1", "stall@alloc:1", "flip@alloc:1", "oom@queue_wait:1"};
    const hyb_backend_t *backend = device_cases_backend("emu");
    char assignment[64];
    const char *text;

    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        snprintf(assignment, sizeof(assignment), "emu_fault=%s", faults[i]);
        assert_ok(xh_settings_assign(assignment));
        capture_begin();
        assert_int_equal(hyb_device_open((hyb_device_choice_t){backend, 0},
                                         NULL, 0, &on.device),
                         XH_ERR_INPUT);
        text = capture_end(NULL);
        assert_in(text, assignment);
    }
}
