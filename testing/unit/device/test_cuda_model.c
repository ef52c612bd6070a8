/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include <pthread.h>
#include "hybrid/device/pinned_memory.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/device/cuda_bench.h"

/* ---- coming and going ---------------------------------------------------- */

TEST(a_device_that_closes_leaves_nothing)
{
    bench_t b = bench_open(0, "");
    double *pinned;

    assert_ok(hyb_pinned_alloc(b.device, 8 * ORDER, &pinned));
    assert_ok(finish_square(&b));
    assert_true(is_square());
    assert_int_equal(model_fixture_counts().pinned, 1);
    hyb_pinned_free(b.device, pinned, 8 * ORDER);
    assert_nothing_left(&b);
}

/* A queue beside that of a bench cannot be made: that costs nothing. */
static void check_refused_queue(const char *fault)
{
    bench_t b = bench_open(0, fault);
    cuda_model_counts_t before = model_fixture_counts(), after;
    hyb_queue_t *queue;

    unheard(assert_int_equal(
        hyb_queue_create(b.device, HYB_QUEUE_NORMAL, &queue), XH_ERR_MEMORY));
    after = model_fixture_counts();
    after.calls = before.calls;
    assert_memory_equal(&before, &after, sizeof(before));
    hyb_queue_destroy(device_cases_queue(b.device));
    assert_nothing_left(&b);
}

/* The device of faults cannot be opened, and that leaves nothing. */
static void check_refused_device(const char *fault, xh_status_t expected)
{
    hyb_device_choice_t choice = {device_cases_backend("cuda"), 0};
    hyb_device_t *device = NULL;

    assert_true(model_fixture_begin(fault));
    unheard(
        assert_int_equal(hyb_device_open(choice, NULL, 0, &device), expected));
    model_fixture_assert_nothing_left();
}

/* The first handle is asked how it computes. */
TEST(what_cannot_be_opened_leaves_nothing)
{
    bench_t b = bench_open(0, "");
    bool has_kernels = hyb_device_has(b.device, HYB_OP_GENERATE);
    char fault[32];

    snprintf(fault, sizeof(fault), "oom@malloc:%d",
             model_fixture_counts().memory + 1);
    assert_nothing_left(&b);
    check_refused_queue("oom@stream:2");
    check_refused_queue("oom@handle:3");
    check_refused_queue(fault);
    check_refused_device("oom@handle:1", XH_ERR_MEMORY);
    check_refused_device("refuse@handle:1", XH_ERR_DEVICE);
    if (!has_kernels)
        return;
    check_refused_device("oom@load:1", XH_ERR_MEMORY);
    check_refused_device("refuse@load:1", XH_ERR_DEVICE);
    check_refused_device("oom@malloc:1", XH_ERR_MEMORY);
}

TEST(only_urgent_queues_get_urgent_streams)
{
    bench_t b = bench_open(0, "");
    hyb_queue_t *urgent;

    assert_int_equal(model_fixture_counts().urgent_streams, 0);
    assert_ok(hyb_queue_create(b.device, HYB_QUEUE_HIGH, &urgent));
    assert_int_equal(model_fixture_counts().urgent_streams, 1);
    hyb_queue_destroy(urgent);
    assert_nothing_left(&b);
}

static void *square_elsewhere(void *argument)
{
    return finish_square(argument) == XH_OK ? argument : NULL;
}

/* CUDA's current device is each thread's own, 0 at first; whoever waits for a
 * device sleeps. */
TEST(a_new_thread_works_with_any_device)
{
    enum { BLOCKING_SYNC = 4 };
    bench_t b = bench_open(1, "");
    pthread_t thread;
    void *right;

    assert_int_equal(pthread_create(&thread, NULL, square_elsewhere, &b), 0);
    assert_int_equal(pthread_join(thread, &right), 0);
    assert_ptr_equal(right, &b);
    assert_true(is_square());
    assert_int_equal(model_fixture_counts().contexts, 1); /* none on device 0 */
    assert_int_equal(model_fixture_counts().flags, BLOCKING_SYNC);
    assert_nothing_left(&b);
}

/* What the management library tells of a device, as text. */
static void read_sensors(hyb_device_t *device, char *text, size_t size,
                         uint64_t *free_p)
{
    hyb_device_sensors_t s;
    hyb_device_info_t info;

    assert_ok(hyb_device_sensors(device, &s));
    assert_ok(hyb_device_describe(device, &info));
    snprintf(text, size, "%.8g C, %.8g Hz, %.8g W, %.8g J, %s", s.temperature,
             s.clock, s.power, s.energy, info.serial);
    *free_p = info.memory_free;
}

/* The second device's, by its address. */
TEST(sensors_are_those_of_the_devices_address)
{
    static const char *const known[][2] = {
        {"cuda", "40 C, 1.5e+09 Hz, 300.5 W, 7000.25 J, 1650000001"},
        {"hip", "45.5 C, 1.7e+09 Hz, 300.5 W, 30500 J, PCB000001"}};
    hyb_buffer_t *buffer = NULL;
    uint64_t before, after;
    char text[128];

    for (size_t i = 0; i < COUNT_OF(known); i++) {
        hyb_device_t *device;

        if (!model_fixture_begin(""))
            skip();
        device = model_fixture_device(known[i][0], 1);
        read_sensors(device, text, sizeof(text), &before);
        assert_string_equal(text, known[i][1]);
        assert_ok(hyb_buffer_create(device, 1 << 20, &buffer));
        read_sensors(device, text, sizeof(text), &after);
        assert_int_equal(before - after, 1 << 20);
        hyb_buffer_destroy(buffer);
        hyb_device_close(device);
    }
}

/* ---- memory -------------------------------------------------------------- */

/* Then and not before copies read it; the plug-in asks for it once. */
TEST(another_devices_memory_is_read_once_it_is_reached)
{
    bench_t one = bench_open(0, ""), other = open_second();
    const hyb_device_view_t half =
        hyb_device_view_first(other.a, ORDER / 2, ORDER);

    fill(ones, 1.0);
    fill(result, -1.0);
    assert_ok(hyb_queue_copy_in(other.queue, host(ones), other.a));
    assert_ok(device_cases_finish(other.device, other.queue));
    assert_true(hyb_device_reach(one.device, other.device));
    assert_true(hyb_device_reach(one.device, other.device));
    assert_false(hyb_device_reach(one.device, one.device));
    assert_ok(hyb_queue_copy(one.queue, half,
                             hyb_device_view_first(one.a, ORDER / 2, ORDER)));
    assert_ok(hyb_queue_copy(
        one.queue, half,
        hyb_device_view_part(one.a, ORDER / 2, 0, ORDER / 2, ORDER)));
    assert_ok(hyb_queue_copy_out(one.queue, one.a, host(result)));
    assert_ok(device_cases_finish(one.device, one.queue));
    assert_true(result[0] == 1.0 && result[ORDER - 1 + (ORDER - 1) * LD] == 1);
    bench_close(&one);
    assert_nothing_left(&other);
}

static xh_status_t pinned(hyb_device_t *device, double *memory, size_t bytes)
{
    xh_status_t status;

    unheard(status = hyb_device_pin(device, memory, bytes));
    return status;
}

/* A matrix of two segments, each pinned by itself: one copy each. */
TEST(no_copy_crosses_from_one_pinned_segment_into_the_next)
{
    enum { ROWS = 512, COLS = 4 }; /* a column is a page */
    static _Alignas(4096) double memory[ROWS * COLS];
    const xh_view_t all = {memory, ROWS, COLS, ROWS};
    const hyb_pinned_memory_t segments = {{{all, COLS / 2}}, 1};
    bench_t b = bench_open(0, "");
    hyb_device_view_t there = device_cases_matrix(b.device, ROWS, COLS);

    for (int64_t i = 0; i < hyb_pinned_count(&segments.pin[0]); i++)
        assert_ok(pinned(b.device, hyb_pinned_part(&segments.pin[0], i).data,
                         sizeof(memory) / 2));
    hyb_device_cut_copies(b.device, &segments);
    memory[0] = memory[ROWS * COLS - 1] = 3.0;
    assert_ok(hyb_queue_copy_in(b.queue, all, there));
    assert_ok(device_cases_finish(b.device, b.queue));
    memory[0] = memory[ROWS * COLS - 1] = 4.0;
    assert_ok(hyb_queue_copy_out(b.queue, there, all));
    assert_ok(device_cases_finish(b.device, b.queue));
    assert_true(memory[0] == 3.0 && memory[ROWS * COLS - 1] == 3.0);
    assert_int_equal(model_fixture_counts().unpinned_copies, 0);
    for (int64_t i = 0; i < hyb_pinned_count(&segments.pin[0]); i++)
        hyb_device_unpin(b.device, hyb_pinned_part(&segments.pin[0], i).data);
    hyb_buffer_destroy(there.buffer);
    assert_nothing_left(&b);
}

TEST(memory_is_pinned_for_all_devices_and_as_a_whole)
{
    enum { PAGE = 512 }; /* doubles */
    static _Alignas(4096) double memory[4 * PAGE];
    bench_t one = bench_open(0, ""), other = open_second();

    assert_ok(pinned(one.device, memory + PAGE, 8 * 2 * PAGE));
    assert_ok(pinned(other.device, memory + PAGE, 8 * 2 * PAGE));
    assert_int_equal(pinned(other.device, memory, 8 * 2 * PAGE), XH_ERR_MEMORY);
    assert_int_equal(pinned(other.device, memory + PAGE, 8 * 3 * PAGE),
                     XH_ERR_MEMORY);
    hyb_device_unpin(one.device, memory + PAGE);
    hyb_device_unpin(other.device, memory + PAGE);
    bench_close(&one);
    assert_nothing_left(&other);
}

/* ---- groups that wait for each other ------------------------------------- */

/* A panel of three groups; other cases see what steps compute. */
TEST(a_step_is_one_launch_if_the_device_holds_all_of_its_groups)
{
    static const char *const processors[] = {"3", "2", "0"};

    for (size_t i = 0; i < COUNT_OF(processors); i++) {
        hyb_device_view_t a, list;
        bench_t b;

        setenv("CUDA_MODEL_PROCESSORS", processors[i], 1);
        b = bench_open(0, "");
        unsetenv("CUDA_MODEL_PROCESSORS");
        if (!hyb_device_has(b.device, HYB_OP_PANEL_STEP))
            skip();
        a = device_cases_matrix(b.device, 2500, 2);
        list = device_cases_matrix(b.device, 2, 1);
        assert_ok(
            hyb_queue_panel_step(b.queue, &(hyb_panel_step_t){a, 0, 2, list}));
        assert_ok(device_cases_finish(b.device, b.queue));
        assert_int_equal(model_fixture_counts().cooperative, i == 0);
        hyb_buffer_destroy(a.buffer);
        hyb_buffer_destroy(list.buffer);
        assert_nothing_left(&b);
    }
}

static int open_shared(void **state)
{
    return model_fixture_open("cuda", state);
}

DEVICE_CASES(open_shared)
