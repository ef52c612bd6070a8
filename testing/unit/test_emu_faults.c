/* SPDX-License-Identifier: BSD-3-Clause */
#include <time.h>
#include "testing/unit/emu_fixture.h"

/* A device's memory: three squares, and lists of rows. */
enum {
    ORDER = 8,
    ELEMENTS = ORDER * ORDER,
    LISTS = 3 * ELEMENTS,
    ALL = LISTS + ORDER
};

static hyb_device_t *device;
static hyb_queue_t *queue;
static hyb_block_t memory, in_device;
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

static void open_memory(void)
{
    memory = device_cases_matrix(device, ALL, 1);
    in_device = hyb_block(memory.buffer, 0, ORDER, ORDER);
}

static void open_device(const char *setting)
{
    device = emu_open(0, "emu_memory=1", setting, NULL);
    queue = device_cases_queue(device);
    open_memory();
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
    double x[1];
    xh_status_t status = hyb_device_pin(device, x, sizeof(x));

    hyb_device_unpin(device, x);
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
    xh_status_t status = hyb_event_record(queue, event);

    if (status == XH_OK)
        status = hyb_queue_wait(queue, event);

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

static hyb_block_t square(int which)
{
    return hyb_block(memory.buffer, which * ELEMENTS, ORDER, ORDER);
}

static hyb_list_t list(int64_t count)
{
    return (hyb_list_t){memory.buffer, LISTS, count};
}

static xh_status_t multiply(void)
{
    return hyb_queue_gemm(
        queue, &(hyb_gemm_t){
                   .beta = 2, .a = in_device, .b = in_device, .c = in_device});
}

static xh_status_t swap_rows(void)
{
    return hyb_queue_swap_rows(queue, &(hyb_row_swap_t){.columns = square(0),
                                                        .u = square(1),
                                                        .source = list(ORDER)});
}

static xh_status_t solve(void)
{
    return hyb_queue_trsm(queue, square(0), square(1));
}

static xh_status_t multiply_vector(void)
{
    return hyb_queue_gemv(queue, square(0),
                          hyb_block(memory.buffer, ELEMENTS, ORDER, 1),
                          hyb_block(memory.buffer, 2 * ELEMENTS, ORDER, 1));
}

static xh_status_t generate(void)
{
    const hyb_dealt_t all = {0, ORDER, 0, 1};

    return hyb_queue_generate(
        queue, &(hyb_generate_t){100, ORDER, all, all, square(1)});
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
    {"gemm", multiply, 0},       {"swap_rows", swap_rows, 0},
    {"trsm", solve, 0},          {"gemv", multiply_vector, 0},
    {"generate", generate, 0},
};

static const op_t *const work = &queued[2]; /* those that have a result */

enum {
    CALLED = COUNT_OF(called),
    QUEUED = COUNT_OF(queued),
    WORK = QUEUED - 2
};

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

#define TEST_SET_UP(name) TEST_WITH(name, emu_default_settings, close_device)

TEST_SET_UP(a_call_fails_when_asked_to)
{
    for (int i = 0; i < CALLED; i++) {
        open_with("fail", &called[i], 2);
        assert_ok(called[i].call());
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

TEST_SET_UP(queued_work_fails_behind_an_event)
{
    for (int i = 0; i < QUEUED; i++) {
        open_with("fail", &queued[i], 2);
        assert_ok(queued[i].call());
        assert_ok(quietly(queued[i].call));
        assert_int_equal(finish(), XH_ERR_DEVICE);
        assert_true(hyb_device_failed(device));
        close_device(state);
    }
}

TEST_SET_UP(nothing_runs_behind_a_failure)
{
    for (int i = 0; i < ELEMENTS; i++)
        host[i] = i;
    open_with("fail", &work[2], 1);
    assert_ok(copy_in());
    assert_ok(finish());
    memset(host, 0, sizeof(host));
    assert_ok(quietly(multiply));
    copy_out();
    assert_int_equal(finish(), XH_ERR_DEVICE);
    close_device(NULL);
    for (int i = 0; i < ELEMENTS; i++)
        assert_true(host[i] == 0);
}

TEST_SET_UP(a_failure_reaches_all_queues)
{
    hyb_queue_t *other;
    hyb_event_t *event;

    open_with("fail", &work[2], 1);
    other = device_cases_queue(device);
    event = device_cases_event(device);
    assert_ok(quietly(multiply));
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
    assert_ok(op->call());
    assert_int_equal(quietly(op->call), XH_ERR_MEMORY);
    assert_false(hyb_device_failed(device));
    assert_ok(op->call());
    assert_ok(finish());
    close_device(NULL);
}

TEST_SET_UP(a_lack_of_memory_does_nothing_else)
{
    for (int i = 0; i < CALLED; i++)
        check_oom(&called[i]);
    for (int i = 0; i < WORK; i++)
        check_oom(&work[i]);
}

/* ---- stall -------------------------------------------------------------- */

static void give_up(void)
{
    capture_begin();
    hyb_device_fail(device, "of no use");
    capture_end(NULL);
}

static void check_stall(const op_t *op)
{
    hyb_event_t *event;
    bool done = true;

    open_with("stall", op, 1);
    event = device_cases_event(device);
    assert_ok(quietly(op->call));
    assert_ok(copy_in());
    assert_ok(hyb_event_record(queue, event));
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
    for (int i = 0; i < QUEUED; i++)
        check_stall(&queued[i]);
}

static void sleep_for(long milliseconds)
{
    const struct timespec t = {.tv_nsec = 1000000 * milliseconds};

    nanosleep(&t, NULL);
}

/* A copy takes 10 ms, so the second one waits when the device is given up. */
TEST_SET_UP(a_device_given_up_touches_no_host_memory)
{
    double other[ELEMENTS] = {0};
    const xh_view_t in_other = {other, ORDER, ORDER, ORDER};

    assert_ok(xh_settings_assign("emu_link=0.0000512"));
    open_device("emu_fault=");
    assert_ok(copy_in());
    assert_ok(copy_out());
    assert_ok(hyb_queue_copy_out(queue, in_device, in_other));
    give_up();
    memset(other, 0xff, sizeof(other));
    sleep_for(40);
    assert_int_equal(((unsigned char *)other)[0], 0xff);
    close_device(NULL);
}

TEST_SET_UP(a_stalled_queue_leaves_the_others_alone)
{
    hyb_queue_t *other;

    open_with("stall", &work[0], 1);
    other = device_cases_queue(device);
    assert_ok(quietly(copy_in));
    assert_ok(hyb_queue_copy_in(other, in_host, in_device));
    assert_ok(device_cases_finish(device, other));
    hyb_queue_destroy(other);
    give_up();
}

TEST_SET_UP(giving_up_ends_queues_that_wait_for_a_stalled_one)
{
    hyb_queue_t *other;
    hyb_event_t *event;

    open_with("stall", &work[2], 1);
    other = device_cases_queue(device);
    event = device_cases_event(device);
    assert_ok(quietly(multiply));
    assert_ok(hyb_event_record(queue, event));
    assert_ok(hyb_queue_wait(other, event));
    assert_ok(hyb_queue_copy_in(other, in_host, in_device));
    give_up();
    hyb_event_destroy(event);
    hyb_queue_destroy(other);
}

/* ---- flip --------------------------------------------------------------- */

/* What the device and the host hold after two calls of op; open_device came
 * before. */
typedef struct {
    double device[ALL], host[ELEMENTS];
} content_t;

static void run_twice(const op_t *op, content_t *content_p)
{
    static double start[ALL];

    for (int i = 0; i < ALL; i++)
        start[i] = i < LISTS ? 1.0 / (i + 1) : 0.0; /* in lists: row 0 */
    for (int i = 0; i < ELEMENTS; i++)
        host[i] = i;
    assert_ok(
        hyb_queue_copy_in(queue, (xh_view_t){start, ALL, 1, ALL}, memory));
    assert_ok(op->call());
    assert_ok(op->call());
    assert_ok(finish());
    memcpy(content_p->host, host, sizeof(host));
    assert_ok(hyb_queue_copy_out(queue, memory,
                                 (xh_view_t){content_p->device, ALL, 1, ALL}));
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

    for (int i = 0; i < WORK; i++) {
        open_device("emu_fault=");
        run_twice(&work[i], &right);
        close_device(state);
        open_with("flip", &work[i], work[i].call == copy_in ? 3 : 2);
        capture_begin();
        run_twice(&work[i], &wrong);
        capture_end(NULL);
        assert_int_equal(differences(right.device, wrong.device, ALL) +
                             differences(right.host, wrong.host, ELEMENTS),
                         1);
        close_device(state);
    }
}

/* ---- lists -------------------------------------------------------------- */

TEST_SET_UP(a_list_holds_several_faults)
{
    open_device("emu_fault=oom@copy_in:1,oom@gemm:2,oom@copy_in:3");
    assert_int_equal(quietly(copy_in), XH_ERR_MEMORY);
    assert_ok(copy_in());
    assert_int_equal(quietly(copy_in), XH_ERR_MEMORY);
    assert_ok(multiply());
    assert_int_equal(quietly(multiply), XH_ERR_MEMORY);
}

TEST_SET_UP(a_fault_may_name_its_device)
{
    hyb_device_t *other;

    other = emu_open(1, "emu_fault=1:oom@copy_in:1", NULL);
    device = emu_open(0, NULL);
    queue = device_cases_queue(device);
    open_memory();
    assert_ok(copy_in());
    assert_ok(finish());
    close_device(NULL);
    device = other;
    queue = device_cases_queue(device);
    open_memory();
    assert_int_equal(quietly(copy_in), XH_ERR_MEMORY);
}

TEST_SET_UP(calls_are_counted_on_each_device)
{
    for (int round = 0; round < 2; round++) {
        open_device("emu_fault=oom@copy_in:2");
        assert_ok(copy_in());
        assert_int_equal(quietly(copy_in), XH_ERR_MEMORY);
        close_device(state);
    }
}

TEST_SET_UP(a_fault_says_which_it_is)
{
    const char *text;

    open_device("emu_fault=oom@gemm:2");
    assert_ok(multiply());
    capture_begin();
    multiply();
    text = capture_end(NULL);
    assert_non_null(strstr(text, "emu device 0: fault on demand: oom@gemm:2"));
}

TEST_SET_UP(faults_that_make_no_sense_are_refused)
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
    const hyb_backend_t *backend = device_cases_backend("emu");
    char assignment[64];
    const char *text;

    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        snprintf(assignment, sizeof(assignment), "emu_fault=%s", faults[i]);
        assert_ok(xh_settings_assign(assignment));
        capture_begin();
        assert_int_equal(hyb_device_open((hyb_device_choice_t){backend, 0},
                                         NULL, 0, &device),
                         XH_ERR_INPUT);
        text = capture_end(NULL);
        assert_non_null(strstr(text, assignment));
    }
}

TEST_MAIN()
