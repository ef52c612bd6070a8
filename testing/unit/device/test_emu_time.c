/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include <math.h>
#include <stdatomic.h>
#include "base/clock.h"
#include "testing/unit/device/emu_fixture.h"

/*
 * Times of emulated devices are computed, so they are exact here: the clock
 * stands still while work is queued. A tile is TILE x TILE.
 */
enum {
    TILE = 64,
    HIGH = 3, /* the queue of high priority, behind the others */
    QUEUES
};

#define COPY 0.0005 /* seconds of one tile at emu_link=0.065536 */
#define GEMM 0.001  /* seconds of one tile at emu_rate=0.524288 */
#define LINK "emu_link=0.065536"
#define RATE "emu_rate=0.524288"

static hyb_device_t *device;
static hyb_queue_t *queues[QUEUES];
static hyb_event_t *start;
static hyb_device_view_t in_device;
static double host[TILE * TILE];
static const xh_view_t in_host = {host, TILE, TILE, TILE};

static _Atomic double now;

static double standing_clock(void *context)
{
    (void)context;
    return atomic_load(&now);
}

static int stop_clock(void **state)
{
    atomic_store(&now, 0);
    xh_clock_install(standing_clock, NULL);
    return emu_default_settings(state);
}

static void open_device(const char *mode, const char *rate)
{
    device = emu_open(0, mode, LINK, rate, NULL);
    for (int i = 0; i < HIGH; i++)
        queues[i] = device_cases_queue(device);
    assert_ok(hyb_queue_create(device, HYB_QUEUE_HIGH, &queues[HIGH]));
    in_device = device_cases_matrix(device, TILE, TILE);
    start = device_cases_event(device);
    assert_ok(hyb_event_record(queues[0], start));
}

UNIT_STEP(close_device)
{
    hyb_event_destroy(start);
    for (int i = 0; i < QUEUES; i++)
        hyb_queue_destroy(queues[i]);
    hyb_buffer_destroy(in_device.buffer);
    hyb_device_close(device);
    xh_clock_install(NULL, NULL);
}

static void copy_in(int queue)
{
    assert_ok(hyb_queue_copy_in(queues[queue], in_host, in_device));
}

static void copy_out(int queue)
{
    assert_ok(hyb_queue_copy_out(queues[queue], in_device, in_host));
}

static void multiply(int queue)
{
    const hyb_gemm_t product = {
        .alpha = 1, .a = in_device, .b = in_device, .c = in_device};

    assert_ok(hyb_queue_gemm(queues[queue], &product));
}

/* Device time from start until all that is on queue has run. */
static double end_of(int queue)
{
    hyb_event_t *end = device_cases_event(device);
    double seconds = NAN;

    assert_ok(device_cases_wait(start));
    assert_ok(hyb_event_record(queues[queue], end));
    assert_ok(device_cases_wait(end));
    assert_ok(hyb_event_elapsed(start, end, &seconds));
    hyb_event_destroy(end);
    return seconds;
}

static void assert_time(double seconds, double expected)
{
    if (!(fabs(seconds - expected) < 1e-9))
        fail_msg("%.9f s instead of %.9f s", seconds, expected);
}

#define TEST_SET_UP(name) TEST_WITH(name, stop_clock, close_device)

static double three_tasks(void)
{
    open_device("emu_dry=off", RATE);
    copy_in(0);
    multiply(0);
    copy_out(0);
    return end_of(0);
}

TEST_SET_UP(the_wall_is_the_clock_unless_one_is_installed)
{
    xh_clock_install(NULL, NULL);
    assert_true(three_tasks() >= 2 * COPY + GEMM);
}

TEST_SET_UP(work_begins_when_it_is_queued)
{
    open_device("emu_dry=on", RATE);
    copy_in(0);
    assert_time(end_of(0), COPY);
    atomic_store(&now, 7);
    assert_time(end_of(0), 7);
    copy_in(0);
    assert_time(end_of(0), 7 + COPY);
}

TEST_SET_UP(a_link_is_shared_by_all_queues)
{
    open_device("emu_dry=on", RATE);
    copy_in(0);
    copy_in(1);
    copy_in(2);
    assert_time(fmax(end_of(0), fmax(end_of(1), end_of(2))), 3 * COPY);
}

TEST_SET_UP(what_is_read_of_another_device_takes_a_link_of_its_own)
{
    hyb_device_t *other;
    hyb_device_view_t there;

    open_device("emu_dry=on", RATE);
    other = emu_open(1, NULL);
    there = device_cases_matrix(other, TILE, TILE);
    assert_false(hyb_device_reach(device, other));
    close_device(state);
    xh_clock_install(standing_clock, NULL);
    assert_ok(xh_settings_assign("emu_peer=0.262144"));
    open_device("emu_dry=on", RATE);
    assert_true(hyb_device_reach(device, other));
    copy_in(0);
    assert_ok(hyb_queue_copy(queues[1], there, in_device));
    multiply(2);
    assert_time(end_of(0), COPY);
    assert_time(end_of(1), COPY / 4);
    assert_time(end_of(2), GEMM);
    copy_out(1);
    assert_time(end_of(1), COPY + COPY / 4);
    hyb_buffer_destroy(there.buffer);
    hyb_device_close(other);
}

TEST_SET_UP(one_product_runs_at_a_time)
{
    static const char *const modes[] = {"emu_dry=on", "emu_dry=off"};

    for (int i = 0; i < 2; i++) {
        if (i > 0)
            close_device(state);
        xh_clock_install(standing_clock, NULL);
        open_device(modes[i], RATE);
        multiply(0);
        multiply(1);
        multiply(2);
        assert_time(fmax(end_of(0), fmax(end_of(1), end_of(2))), 3 * GEMM);
    }
}

/* A product of 0.256 s, which runs still when shorter work begins. */
static void multiply_long(const hyb_device_view_t large)
{
    const hyb_device_view_t c = hyb_device_view_first(large, 1024, TILE);

    assert_ok(hyb_queue_gemm(
        queues[0], &(hyb_gemm_t){.alpha = 1, .a = large, .b = c, .c = c}));
}

TEST_SET_UP(high_priority_interrupts_what_runs)
{
    static const char *const modes[] = {"emu_dry=on", "emu_dry=off"};
    hyb_buffer_t *large;

    for (int i = 0; i < 2; i++) {
        if (i > 0)
            close_device(state);
        xh_clock_install(standing_clock, NULL);
        open_device(modes[i], RATE);
        large = device_cases_matrix(device, 1024, 1024).buffer;
        multiply_long(hyb_device_view(large, 0, 1024, 1024));
        copy_in(HIGH);
        multiply(HIGH);
        assert_time(end_of(HIGH), COPY + GEMM);
        assert_time(end_of(0), 256 * GEMM + GEMM);
        multiply(0);
        assert_time(end_of(0), 258 * GEMM);
        hyb_buffer_destroy(large);
    }
}

TEST_SET_UP(a_wait_means_the_event_as_recorded_before_it)
{
    hyb_event_t *event;

    open_device("emu_dry=on", RATE);
    event = device_cases_event(device);
    copy_in(0);
    assert_ok(hyb_event_record(queues[0], event));
    assert_ok(hyb_queue_wait(queues[1], event));
    multiply(0);
    assert_ok(hyb_event_record(queues[0], event));
    assert_ok(hyb_queue_wait(queues[2], event));
    assert_time(end_of(1), COPY);
    assert_time(end_of(2), COPY + GEMM);
    hyb_event_destroy(event);
}

TEST_SET_UP(giving_up_does_not_wait_for_a_long_model)
{
    open_device("emu_dry=on", "emu_rate=1e-9"); /* 6 days a tile */
    multiply(0);
    multiply(0);
    multiply(1);
    unheard(hyb_device_fail(device, "it takes too long"));
}
