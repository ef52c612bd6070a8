/* SPDX-License-Identifier: BSD-3-Clause */
#include <time.h>
#include "testing/unit/emu_fixture.h"

enum { ORDER = 8, ELEMENTS = ORDER * ORDER };

static hyb_device_t *device;
static hyb_queue_t *queue;
static hyb_block_t in_device;
static double host[ELEMENTS];
static const xh_view_t in_host = {host, ORDER, ORDER, ORDER};

static int close_device(void **state)
{
    (void)state;
    hyb_queue_destroy(queue);
    hyb_device_close(device);
    device = NULL;
    queue = NULL;
    return 0;
}

static void open_device(const char *setting)
{
    device = emu_open(0, "emu_memory=1", setting, NULL);
    queue = device_cases_queue(device);
    in_device = device_cases_matrix(device, ORDER, ORDER);
}

/* ---- operations by the name that a fault gives them --------------------- */

static xh_status_t alloc_and_free(void)
{
    hyb_buffer_t *buffer = NULL;
    xh_status_t status = hyb_buffer_create(device, 8, &buffer);

    hyb_buffer_destroy(buffer);
    return status;
}

static xh_status_t pin_and_unpin(void)
{
    double memory[1];
    xh_status_t status = hyb_device_pin(device, memory, sizeof(memory));

    hyb_device_unpin(device, memory);
    return status;
}

static xh_status_t create_queue(void)
{
    hyb_queue_t *other = NULL;
    xh_status_t status = hyb_queue_create(device, HYB_QUEUE_NORMAL, &other);

    hyb_queue_destroy(other);
    return status;
}

static xh_status_t create_event(void)
{
    hyb_event_t *event = NULL;
    xh_status_t status = hyb_event_create(device, &event);

    hyb_event_destroy(event);
    return status;
}

static xh_status_t record(void)
{
    hyb_event_t *event = device_cases_event(device);
    xh_status_t status = hyb_event_record(queue, event);

    hyb_event_destroy(event);
    return status;
}

static xh_status_t wait_in_queue(void)
{
    hyb_event_t *event = device_cases_event(device);
    xh_status_t status = hyb_queue_wait(queue, event);

    hyb_event_destroy(event);
    return status;
}

static xh_status_t copy_in(void)
{
    return hyb_queue_copy_in(queue, in_host, in_device);
}

static xh_status_t copy_out(void)
{
    return hyb_queue_copy_out(queue, in_device, in_host);
}

static xh_status_t multiply(void)
{
    return hyb_queue_gemm(
        queue, &(hyb_gemm_t){
                   .beta = 2, .a = in_device, .b = in_device, .c = in_device});
}

typedef struct {
    const char *name;
    xh_status_t (*call)(void);
    int before; /* calls of it in open_device */
} op_t;

static const op_t called[] = {
    {"alloc", alloc_and_free, 1},
    {"pin", pin_and_unpin, 0},
    {"queue_create", create_queue, 1},
    {"event_create", create_event, 0},
};

static const op_t queued[] = {
    {"event_record", record, 0}, {"queue_wait", wait_in_queue, 0},
    {"copy_in", copy_in, 0},     {"copy_out", copy_out, 0},
    {"gemm", multiply, 0},
};

static const op_t *const work = &queued[2]; /* those that have a result */

enum { CALLED = 4, QUEUED = 5, WORK = 3 };

/* Open the device with a fault in the nth call of op from now on. */
static void open_with(const char *kind, const op_t *op, int nth)
{
    char setting[64];

    snprintf(setting, sizeof(setting), "emu_fault=%s@%s:%d", kind, op->name,
             op->before + nth);
    open_device(setting);
}

/* The status of a call, without what it says. */
static xh_status_t quietly(xh_status_t (*call)(void))
{
    xh_status_t status;

    capture_begin();
    status = call();
    capture_end(NULL);
    return status;
}

/* ---- fail --------------------------------------------------------------- */

static void a_call_fails_when_asked_to(void **state)
{
    int i;

    for (i = 0; i < CALLED; i++) {
        open_with("fail", &called[i], 2);
        assert_int_equal(called[i].call(), XH_OK);
        assert_false(hyb_device_failed(device));
        assert_int_equal(quietly(called[i].call), XH_ERR_DEVICE);
        assert_true(hyb_device_failed(device));
        assert_int_equal(copy_in(), XH_ERR_DEVICE);
        close_device(state);
    }
}

static xh_status_t finish(void)
{
    return device_cases_finish(device, queue);
}

static void queued_work_fails_behind_an_event(void **state)
{
    int i;

    for (i = 0; i < QUEUED; i++) {
        open_with("fail", &queued[i], 2);
        assert_int_equal(queued[i].call(), XH_OK);
        assert_int_equal(quietly(queued[i].call), XH_OK);
        assert_int_equal(finish(), XH_ERR_DEVICE);
        assert_true(hyb_device_failed(device));
        close_device(state);
    }
}

static void nothing_runs_behind_a_failure(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < ELEMENTS; i++)
        host[i] = i;
    open_with("fail", &work[2], 1);
    assert_int_equal(copy_in(), XH_OK);
    assert_int_equal(finish(), XH_OK);
    memset(host, 0, sizeof(host));
    assert_int_equal(quietly(multiply), XH_OK);
    copy_out();
    assert_int_equal(finish(), XH_ERR_DEVICE);
    close_device(NULL);
    for (i = 0; i < ELEMENTS; i++)
        assert_true(host[i] == 0);
}

static void a_failure_reaches_all_queues(void **state)
{
    hyb_queue_t *other;
    hyb_event_t *event;

    (void)state;
    open_with("fail", &work[2], 1);
    other = device_cases_queue(device);
    event = device_cases_event(device);
    assert_int_equal(quietly(multiply), XH_OK);
    hyb_event_record(queue, event);
    hyb_queue_wait(other, event);
    hyb_event_record(other, event);
    assert_int_equal(device_cases_wait(event), XH_ERR_DEVICE);
    hyb_event_destroy(event);
    hyb_queue_destroy(other);
}

/* ---- oom ---------------------------------------------------------------- */

static void check_oom(const op_t *op)
{
    open_with("oom", op, 2);
    assert_int_equal(op->call(), XH_OK);
    assert_int_equal(quietly(op->call), XH_ERR_MEMORY);
    assert_false(hyb_device_failed(device));
    assert_int_equal(op->call(), XH_OK);
    assert_int_equal(finish(), XH_OK);
    close_device(NULL);
}

static void a_lack_of_memory_does_nothing_else(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < CALLED; i++)
        check_oom(&called[i]);
    for (i = 0; i < WORK; i++)
        check_oom(&work[i]);
}

/* ---- stall -------------------------------------------------------------- */

static void check_stall(const op_t *op, bool give_up)
{
    hyb_event_t *event;
    bool done = true;

    open_with("stall", op, 1);
    event = device_cases_event(device);
    assert_int_equal(quietly(op->call), XH_OK);
    assert_int_equal(copy_in(), XH_OK);
    assert_int_equal(hyb_event_record(queue, event), XH_OK);
    assert_int_equal(hyb_event_wait(event, 0, &done), XH_OK);
    assert_false(done);
    done = true;
    assert_int_equal(hyb_event_wait(event, 0.005, &done), XH_OK);
    assert_false(done);
    hyb_event_destroy(event);
    capture_begin();
    if (give_up)
        hyb_device_fail(device, "it stalled");
    close_device(NULL);
    capture_end(NULL);
}

static void a_stall_lasts_until_the_device_is_closed(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < QUEUED; i++) {
        check_stall(&queued[i], true);
        check_stall(&queued[i], false);
    }
}

static void sleep_for(long milliseconds)
{
    const struct timespec t = {.tv_nsec = 1000000 * milliseconds};

    nanosleep(&t, NULL);
}

/* A copy takes 10 ms, so the second one waits when the device is given up. */
static void a_device_given_up_touches_no_host_memory(void **state)
{
    double other[ELEMENTS] = {0};
    const xh_view_t in_other = {other, ORDER, ORDER, ORDER};

    (void)state;
    assert_int_equal(xh_settings_assign("emu_link=0.0000512"), XH_OK);
    open_device("emu_fault=");
    assert_int_equal(copy_in(), XH_OK);
    assert_int_equal(copy_out(), XH_OK);
    assert_int_equal(hyb_queue_copy_out(queue, in_device, in_other), XH_OK);
    capture_begin();
    hyb_device_fail(device, "of no use");
    capture_end(NULL);
    memset(other, 0xff, sizeof(other));
    sleep_for(40);
    assert_int_equal(((unsigned char *)other)[0], 0xff);
    close_device(NULL);
}

static void a_stalled_queue_leaves_the_others_alone(void **state)
{
    hyb_queue_t *other;

    (void)state;
    open_with("stall", &work[0], 1);
    other = device_cases_queue(device);
    assert_int_equal(quietly(copy_in), XH_OK);
    assert_int_equal(hyb_queue_copy_in(other, in_host, in_device), XH_OK);
    assert_int_equal(device_cases_finish(device, other), XH_OK);
    hyb_queue_destroy(other);
}

static void closing_ends_queues_that_wait_for_a_stalled_one(void **state)
{
    hyb_queue_t *other;
    hyb_event_t *event;

    (void)state;
    open_with("stall", &work[2], 1);
    other = device_cases_queue(device);
    event = device_cases_event(device);
    assert_int_equal(quietly(multiply), XH_OK);
    assert_int_equal(hyb_event_record(queue, event), XH_OK);
    assert_int_equal(hyb_queue_wait(other, event), XH_OK);
    assert_int_equal(hyb_queue_copy_in(other, in_host, in_device), XH_OK);
    hyb_event_destroy(event);
    hyb_queue_destroy(other);
}

/* ---- flip --------------------------------------------------------------- */

/* Elements of the result that are not 2 i after in, times two, and out. */
static int wrong_elements(void)
{
    int i, wrong = 0;

    for (i = 0; i < ELEMENTS; i++)
        host[i] = i;
    assert_int_equal(copy_in(), XH_OK);
    assert_int_equal(multiply(), XH_OK);
    assert_int_equal(copy_out(), XH_OK);
    assert_int_equal(finish(), XH_OK);
    for (i = 0; i < ELEMENTS; i++)
        wrong += !(host[i] == 2 * i);
    return wrong;
}

static void a_flip_spoils_one_element(void **state)
{
    int i, wrong;

    for (i = 0; i < WORK; i++) {
        open_with("flip", &work[i], 2);
        assert_int_equal(wrong_elements(), 0);
        capture_begin();
        wrong = wrong_elements();
        capture_end(NULL);
        assert_int_equal(wrong, 1);
        assert_int_equal(wrong_elements(), 0);
        close_device(state);
    }
}

/* ---- lists -------------------------------------------------------------- */

static void a_list_holds_several_faults(void **state)
{
    (void)state;
    open_device("emu_fault=oom@copy_in:1,oom@gemm:2,oom@copy_in:3");
    assert_int_equal(quietly(copy_in), XH_ERR_MEMORY);
    assert_int_equal(copy_in(), XH_OK);
    assert_int_equal(quietly(copy_in), XH_ERR_MEMORY);
    assert_int_equal(multiply(), XH_OK);
    assert_int_equal(quietly(multiply), XH_ERR_MEMORY);
}

static void a_fault_may_name_its_device(void **state)
{
    hyb_device_t *other;

    (void)state;
    other = emu_open(1, "emu_fault=1:oom@copy_in:1", NULL);
    device = emu_open(0, NULL);
    queue = device_cases_queue(device);
    in_device = device_cases_matrix(device, ORDER, ORDER);
    assert_int_equal(copy_in(), XH_OK);
    assert_int_equal(finish(), XH_OK);
    close_device(NULL);
    device = other;
    queue = device_cases_queue(device);
    in_device = device_cases_matrix(device, ORDER, ORDER);
    assert_int_equal(quietly(copy_in), XH_ERR_MEMORY);
}

static void calls_are_counted_on_each_device(void **state)
{
    int round;

    for (round = 0; round < 2; round++) {
        open_device("emu_fault=oom@copy_in:2");
        assert_int_equal(copy_in(), XH_OK);
        assert_int_equal(quietly(copy_in), XH_ERR_MEMORY);
        close_device(state);
    }
}

static void a_fault_says_which_it_is(void **state)
{
    const char *text;

    (void)state;
    open_device("emu_fault=oom@gemm:2");
    assert_int_equal(multiply(), XH_OK);
    capture_begin();
    multiply();
    text = capture_end(NULL);
    assert_non_null(strstr(text, "emu device 0: fault on demand: oom@gemm:2"));
}

static void faults_that_make_no_sense_are_refused(void **state)
{
    static const char *const faults[] = {
        "fail",
        "fail@gemm",
        "fail@gemm:0",
        "fail@gemm:-1",
        "fail@gemm:x",
        "melt@gemm:1",
        "fail@knit:1",
        "fail@gemm:1,",
        ",fail@gemm:1",
        "1fail@gemm:1",
        "x:fail@gemm:1",
        "fail@gemm:1 ",
        "stall@alloc:1",
        "flip@alloc:1",
        "oom@queue_wait:1",
        "flip@event_record:1",
    };
    const hyb_backend_t *backend;
    char assignment[64];
    const char *text;
    size_t i;

    (void)state;
    assert_int_equal(hyb_backend_load("emu", &backend), XH_OK);
    for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        snprintf(assignment, sizeof(assignment), "emu_fault=%s", faults[i]);
        assert_int_equal(xh_settings_assign(assignment), XH_OK);
        capture_begin();
        assert_int_equal(hyb_device_open((hyb_device_choice_t){backend, 0},
                                         NULL, 0, &device),
                         XH_ERR_INPUT);
        text = capture_end(NULL);
        assert_non_null(strstr(text, assignment));
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(a_call_fails_when_asked_to,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(queued_work_fails_behind_an_event,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(nothing_runs_behind_a_failure,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_failure_reaches_all_queues,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_lack_of_memory_does_nothing_else,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_stall_lasts_until_the_device_is_closed,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_device_given_up_touches_no_host_memory,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_stalled_queue_leaves_the_others_alone,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(
        closing_ends_queues_that_wait_for_a_stalled_one, emu_default_settings,
        close_device),
    cmocka_unit_test_setup_teardown(a_flip_spoils_one_element,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_list_holds_several_faults,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_fault_may_name_its_device,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(calls_are_counted_on_each_device,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_fault_says_which_it_is,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(faults_that_make_no_sense_are_refused,
                                    emu_default_settings, close_device),
};
UNIT_MAIN(cases)
