/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/device/device_cases.h"

#include <math.h>
#include <pthread.h>
#include "base/settings.h"
#include "hybrid/device/backend.h"
#include "testing/unit/base/capture.h"

enum {
    ORDER = DEVICE_ORDER,
    REPEATS = 40 /* products that keep a device busy for a while */
};

/* ---- the fixture -------------------------------------------------------- */

static device_fixture_t fixture;

/* XH_OK, and NULL if there is no plug-in or no device. */
static xh_status_t find(const char *name, const hyb_backend_t **backend_p)
{
    char why[HYB_BACKEND_WHY];
    const char *reason;
    const hyb_backend_t *backend = NULL;
    xh_status_t status = hyb_backend_find(name, &backend, why);

    if (status == XH_ERR_DEVICE)
        print_error("%s\n", why);
    if (status == XH_OK && backend->count(&reason) == 0)
        backend = NULL;
    *backend_p = backend;
    return status == XH_ERR_INPUT ? XH_OK : status;
}

int device_cases_open(const char *name, void **state_p)
{
    const hyb_backend_t *backend;

    *state_p = NULL;
    if (xh_settings_load() != XH_OK || find(name, &backend) != XH_OK)
        return -1;
    if (backend == NULL)
        return 0;
    if (hyb_device_open((hyb_device_choice_t){backend, 0}, NULL, 0,
                        &fixture.device) != XH_OK ||
        hyb_queue_create(fixture.device, HYB_QUEUE_NORMAL, &fixture.queue) !=
            XH_OK)
        return -1;
    fixture.a = device_cases_matrix(fixture.device, ORDER, ORDER);
    fixture.c = device_cases_matrix(fixture.device, ORDER, ORDER);
    *state_p = &fixture;
    return 0;
}

int device_cases_close(void **state)
{
    (void)state;
    hyb_queue_destroy(fixture.queue);
    hyb_buffer_destroy(fixture.a.buffer);
    hyb_buffer_destroy(fixture.c.buffer);
    hyb_device_close(fixture.device);
    fixture = (device_fixture_t){.device = NULL};
    return 0;
}

device_fixture_t *device_cases_fixture(void **state, hyb_op_t op)
{
    device_fixture_t *f = *state;

    if (f == NULL || !hyb_device_has(f->device, op))
        skip();
    return f;
}

/* ---- the cases ---------------------------------------------------------- */

enum { MOST = 64 };

static struct CMUnitTest cases[MOST];
static size_t count;

void device_cases_add(const char *name, void (*run)(void **state))
{
    if (count == MOST)
        abort();
    cases[count++] =
        (struct CMUnitTest){name, run, NULL, device_cases_close, NULL};
}

void device_cases_use(int (*open)(void **state))
{
    for (size_t i = 0; i < count; i++) {
        cases[i].setup_func = open;
        unit_add(cases[i]);
    }
}

/* ---- pieces ------------------------------------------------------------- */

hyb_device_view_t device_cases_matrix(hyb_device_t *device, int64_t rows,
                                      int64_t cols)
{
    size_t bytes = (size_t)rows * (size_t)cols * sizeof(double);
    hyb_buffer_t *buffer = NULL;

    assert_ok(hyb_buffer_create(device, bytes, &buffer));
    return hyb_device_view(buffer, 0, rows, cols);
}

xh_status_t device_cases_wait(hyb_event_t *event)
{
    bool done = false;
    xh_status_t status = hyb_event_wait(event, DEVICE_PATIENCE, &done);

    assert_true(done || status != XH_OK);
    return status;
}

xh_status_t device_cases_finish(hyb_device_t *device, hyb_queue_t *queue)
{
    hyb_event_t *event;
    xh_status_t status = hyb_event_create(device, &event);

    if (status != XH_OK)
        return status;
    status = hyb_event_record(queue, event);
    if (status == XH_OK)
        status = device_cases_wait(event);
    hyb_event_destroy(event);
    return status;
}

void device_cases_read(hyb_device_t *device, hyb_queue_t *queue,
                       hyb_device_view_t from, void *to)
{
    assert_ok(hyb_queue_copy_out(
        queue, from, (xh_view_t){to, from.rows, from.cols, from.rows}));
    assert_ok(device_cases_finish(device, queue));
}

const hyb_backend_t *device_cases_backend(const char *name)
{
    char why[HYB_BACKEND_WHY];
    const hyb_backend_t *backend = NULL;

    assert_ok(hyb_backend_find(name, &backend, why));
    return backend;
}

hyb_event_t *device_cases_event(hyb_device_t *device)
{
    hyb_event_t *event = NULL;

    assert_ok(hyb_event_create(device, &event));
    return event;
}

hyb_queue_t *device_cases_queue(hyb_device_t *device)
{
    hyb_queue_t *queue = NULL;

    assert_ok(hyb_queue_create(device, HYB_QUEUE_NORMAL, &queue));
    return queue;
}

static void fill_in(hyb_queue_t *queue, hyb_device_view_t matrix, double *host,
                    double value)
{
    for (int64_t i = 0; i < matrix.rows * matrix.cols; i++)
        host[i] = value;
    assert_ok(hyb_queue_copy_in(
        queue, (xh_view_t){host, matrix.rows, matrix.cols, matrix.rows},
        matrix));
}

/* C := C + A A, REPEATS times. */
static void keep_busy(const device_fixture_t *f)
{
    const hyb_gemm_t product = {
        .alpha = 1, .beta = 1, .a = f->a, .b = f->a, .c = f->c};

    for (int i = 0; i < REPEATS; i++)
        assert_ok(hyb_queue_gemm(f->queue, &product));
}

/* ---- describing --------------------------------------------------------- */

DEVICE_CASE(it_describes_itself)
{
    hyb_device_info_t info;

    assert_ok(hyb_device_describe(f->device, &info));
    assert_int_equal(info.index, 0);
    assert_true(strlen(info.name) > 0 && strlen(info.backend) > 0);
    assert_true(info.memory_free > 0 && info.memory_free <= info.memory);
    assert_true(info.gemm_rate >= 0 && info.link_rate >= 0);
}

static void assert_none_or_between(double value, double least, double most)
{
    assert_true(isnan(value) || (value >= least && value <= most));
}

DEVICE_CASE(its_sensors_tell_what_is_possible_or_nothing)
{
    hyb_device_sensors_t sensors;

    assert_ok(hyb_device_sensors(f->device, &sensors));
    assert_none_or_between(sensors.temperature, 0, 130);
    assert_none_or_between(sensors.clock, 1e7, 1e10);
    assert_none_or_between(sensors.power, 0, 5000);
}

/* ---- memory ------------------------------------------------------------- */

DEVICE_CASE(more_memory_than_there_is_keeps_the_device)
{
    hyb_device_info_t info;
    hyb_buffer_t *most, *more;

    assert_ok(hyb_device_describe(f->device, &info));
    capture_begin();
    assert_int_equal(hyb_buffer_create(f->device, info.memory + 1, &more),
                     XH_ERR_MEMORY);
    assert_int_equal(hyb_buffer_create(f->device, SIZE_MAX, &more),
                     XH_ERR_MEMORY);
    assert_ok(hyb_buffer_create(f->device, info.memory_free / 2, &most));
    assert_int_equal(
        hyb_buffer_create(f->device, info.memory - info.memory_free / 4, &more),
        XH_ERR_MEMORY);
    capture_end(NULL);
    assert_false(hyb_device_failed(f->device));
    hyb_buffer_destroy(most);
    assert_ok(hyb_buffer_create(f->device, 8, &more));
    hyb_buffer_destroy(more);
    assert_ok(device_cases_finish(f->device, f->queue));
}

/* ---- queues and events -------------------------------------------------- */

DEVICE_CASE(an_event_never_recorded_has_passed)
{
    hyb_event_t *event = device_cases_event(f->device);
    double seconds;
    bool done = false;

    assert_ok(hyb_event_wait(event, 0, &done));
    assert_true(done);
    assert_ok(hyb_queue_wait(f->queue, event));
    unheard(assert_int_equal(hyb_event_elapsed(event, event, &seconds),
                             XH_ERR_ARG));
    hyb_event_destroy(event);
    assert_ok(device_cases_finish(f->device, f->queue));
}

DEVICE_CASE(a_wait_ends_with_its_time_or_with_the_work)
{
    static const double patience[] = {0, 1e-9, 1e-4, DEVICE_PATIENCE, INFINITY};
    hyb_event_t *event = device_cases_event(f->device);
    bool done = false, before;

    keep_busy(f);
    assert_ok(hyb_event_record(f->queue, event));
    for (size_t i = 0; i < COUNT_OF(patience); i++) {
        before = done;
        assert_ok(hyb_event_wait(event, patience[i], &done));
        assert_true(done || (!before && patience[i] < DEVICE_PATIENCE));
    }
    hyb_event_destroy(event);
}

DEVICE_CASE(a_wait_orders_the_work_of_two_queues)
{
    static double ones[ORDER * ORDER], zeros[ORDER * ORDER],
        result[ORDER * ORDER];
    hyb_queue_t *other = device_cases_queue(f->device);
    hyb_event_t *event = device_cases_event(f->device);

    fill_in(f->queue, f->a, ones, 1);
    fill_in(f->queue, f->c, zeros, 0);
    keep_busy(f);
    assert_ok(hyb_event_record(f->queue, event));
    assert_ok(hyb_queue_wait(other, event));
    hyb_event_destroy(event);
    device_cases_read(f->device, other, f->c, result);
    for (int i = 0; i < ORDER * ORDER; i++)
        assert_true(result[i] == REPEATS * ORDER);
    hyb_queue_destroy(other);
}

DEVICE_CASE(time_runs_from_event_to_event)
{
    hyb_event_t *event[3];
    double first, second, both;

    for (int i = 0; i < 3; i++) {
        event[i] = device_cases_event(f->device);
        keep_busy(f);
        assert_ok(hyb_event_record(f->queue, event[i]));
    }
    assert_ok(device_cases_wait(event[2]));
    assert_ok(hyb_event_elapsed(event[0], event[1], &first));
    assert_ok(hyb_event_elapsed(event[1], event[2], &second));
    assert_ok(hyb_event_elapsed(event[0], event[2], &both));
    assert_true(first > 0 && second > 0);
    assert_true(fabs(first + second - both) < 1e-5);
    for (int i = 0; i < 3; i++)
        hyb_event_destroy(event[i]);
}

DEVICE_CASE(queues_come_and_go)
{
    enum { ROUNDS = 50 };
    hyb_device_view_t matrix = device_cases_matrix(f->device, 1, 1);
    hyb_queue_t *other;
    double x = 0;

    for (int i = 0; i < ROUNDS; i++) {
        other = device_cases_queue(f->device);
        fill_in(other, matrix, &x, i);
        device_cases_read(f->device, other, matrix, &x);
        assert_true(x == i);
        hyb_queue_destroy(other);
    }
    hyb_buffer_destroy(matrix.buffer);
}

/* ---- threads ------------------------------------------------------------ */

enum { WORKERS = 4, ROUNDS = 20, SMALL = 8 };

typedef struct {
    pthread_t thread;
    hyb_device_t *device;
    int number; /* tells its values from those of others */
    int wrong;  /* results that are not what they should be */
} worker_t;

/* C := A A for an A of all x, on a queue of its own. */
static int wrong_squares(hyb_device_t *device, hyb_queue_t *queue,
                         hyb_device_view_t a, hyb_device_view_t c, double x)
{
    double host[SMALL * SMALL], result[SMALL * SMALL];
    int wrong;

    for (int i = 0; i < SMALL * SMALL; i++)
        host[i] = x;
    hyb_queue_copy_in(queue, (xh_view_t){host, SMALL, SMALL, SMALL}, a);
    hyb_queue_gemm(queue, &(hyb_gemm_t){.alpha = 1, .a = a, .b = a, .c = c});
    hyb_queue_copy_out(queue, c, (xh_view_t){result, SMALL, SMALL, SMALL});
    wrong = device_cases_finish(device, queue) != XH_OK;
    for (int i = 0; i < SMALL * SMALL; i++)
        wrong += result[i] != SMALL * x * x;
    return wrong;
}

static void *square(void *argument)
{
    worker_t *worker = argument;
    hyb_queue_t *queue = device_cases_queue(worker->device);
    hyb_device_view_t a = device_cases_matrix(worker->device, SMALL, SMALL);
    hyb_device_view_t c = device_cases_matrix(worker->device, SMALL, SMALL);

    for (int round = 0; round < ROUNDS; round++)
        worker->wrong += wrong_squares(worker->device, queue, a, c,
                                       ROUNDS * worker->number + round);
    hyb_queue_destroy(queue);
    hyb_buffer_destroy(a.buffer);
    hyb_buffer_destroy(c.buffer);
    return NULL;
}

DEVICE_CASE(several_threads_use_one_device)
{
    worker_t workers[WORKERS];

    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (worker_t){.device = f->device, .number = i};
        assert_int_equal(
            pthread_create(&workers[i].thread, NULL, square, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
}

/* ---- closing ------------------------------------------------------------ */

DEVICE_CASE(destroying_a_queue_finishes_what_is_queued)
{
    static double ones[ORDER * ORDER], zeros[ORDER * ORDER],
        result[ORDER * ORDER];

    fill_in(f->queue, f->a, ones, 1);
    fill_in(f->queue, f->c, zeros, 0);
    keep_busy(f);
    assert_ok(hyb_queue_copy_out(f->queue, f->c,
                                 (xh_view_t){result, ORDER, ORDER, ORDER}));
    hyb_queue_destroy(f->queue);
    assert_true(result[0] == REPEATS * ORDER);
    assert_true(result[ORDER * ORDER - 1] == REPEATS * ORDER);
    f->queue = NULL;
}

DEVICE_CASE(a_device_given_up_closes)
{
    hyb_event_t *event = device_cases_event(f->device);
    bool done;

    keep_busy(f);
    assert_ok(hyb_event_record(f->queue, event));
    unheard(hyb_device_fail(f->device, "this test wants to be rid of it"));
    assert_int_equal(hyb_event_wait(event, DEVICE_PATIENCE, &done),
                     XH_ERR_DEVICE);
    hyb_event_destroy(event);
    device_cases_close(NULL);
    assert_null(f->device);
}
