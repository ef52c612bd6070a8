/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "hybrid/device/rates.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>
#include "base/clock.h"
#include "hybrid/device/cache_file.h"
#include "testing/unit/device/emu_fixture.h"
#include "testing/unit/base/fake_root.h"

/* ---- interpolation ------------------------------------------------------- */

/* All points, or of the depths 256 and 512 only; larger and deeper is faster.
 */
static hyb_rate_table_t grid(int depths)
{
    hyb_rate_table_t table = {0};

    for (int d = 0; d < depths; d++)
        for (int s = 0; s < HYB_RATE_SIZES; s++)
            table.rate[d][s] =
                1e9 * (double)hyb_rate_size(s) * (double)hyb_rate_depth(d);
    return table;
}

static void assert_near(double x, double expected)
{
    assert_true(fabs(x - expected) <= 1e-12 * expected);
}

TEST(a_rate_at_a_point_is_the_measured_one)
{
    hyb_rate_table_t table = grid(HYB_RATE_DEPTHS);

    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        for (int s = 0; s < HYB_RATE_SIZES; s++)
            assert_near(hyb_rate_table_rate(&table, hyb_rate_size(s),
                                            hyb_rate_size(s),
                                            hyb_rate_depth(d)),
                        table.rate[d][s]);
}

TEST(between_points_logarithms_are_interpolated)
{
    hyb_rate_table_t table = {.rate = {{4.0, 8.0}, {10.0}}};
    int64_t middle = 724; /* 512 sqrt(2), nearly */

    assert_true(fabs(hyb_rate_table_rate(&table, middle, middle, 256) - 6.0) <
                1e-2);
    assert_near(hyb_rate_table_rate(&table, 1024, 1024, 256), 8.0);
    assert_true(fabs(hyb_rate_table_rate(&table, 1024, 1024, 362) - 9.0) <
                1e-2);
    assert_near(hyb_rate_table_rate(&table, 1024, 1024, 512), 10.0);
}

/* A flat tile counts as a smaller square. */
TEST(outside_the_nearest_point_counts)
{
    static const int64_t of[][5] = {
        /* rows, columns, depth: size, depth */
        {1, 1, 1, 512, 256},         {9999, 9999, 9999, 8192, 512},
        {9999, 9999, 2, 8192, 256},  {3, 3, 512, 512, 512},
        {1536, 768, 256, 1024, 256}, {768, 1536, 256, 1024, 256}};
    hyb_rate_table_t table = grid(2);

    for (size_t i = 0; i < COUNT_OF(of); i++)
        assert_near(hyb_rate_table_rate(&table, of[i][0], of[i][1], of[i][2]),
                    1e9 * (double)of[i][3] * (double)of[i][4]);
}

/* ---- measuring ----------------------------------------------------------- */

/*
 * A dry device with 100 MiB, an eighth of which has room for four points, on a
 * clock that stands still but for what its products add to it.
 */
enum { POINTS = 4 };
static const uint64_t memory = (uint64_t)100 << 20;

static _Atomic double now; /* the clock, which devices read, too */
static int slow_products, products;
static const hyb_backend_t *emu; /* that those below ask */
static hyb_device_t *device;

static double clock_of_test(void *context)
{
    (void)context;
    return now;
}

static int records_left; /* events that there is memory for */
static int queues;       /* that are there */
static bool has_work;    /* that nobody waited for */

/* The first slow_products take the host 5 s, as where libraries come in. */
static xh_status_t slow_work(void *state, void *queue, const hyb_task_t *task)
{
    has_work = true;
    if (task->op == HYB_OP_GEMM && products++ < slow_products)
        now = now + 5.0;
    return emu->work(state, queue, task);
}

static xh_status_t short_record(void *state, void *queue, void *event)
{
    return records_left-- > 0 ? emu->event_record(state, queue, event)
                              : XH_ERR_MEMORY;
}

static xh_status_t noted_wait(void *state, void *event, double seconds,
                              bool *done_p)
{
    has_work = false;
    return emu->event_wait(state, event, seconds, done_p);
}

/* After so many seconds of events the device is hot, and half as fast. */
static double cool_seconds, slower; /* times as slow as events are */

static xh_status_t hot_elapsed(void *state, void *begin, void *end,
                               double *seconds_p)
{
    XH_TRY(emu->event_elapsed(state, begin, end, seconds_p));
    cool_seconds -= *seconds_p;
    *seconds_p *= cool_seconds < 0.0 ? 2.0 * slower : slower;
    return XH_OK;
}

static void noted_destroy(void *state, void *queue)
{
    emu->queue_destroy(state, queue);
    has_work = --queues > 0 && has_work;
}

static void idle_buffer_destroy(void *state, void *memory_of, size_t bytes)
{
    assert_false(has_work);
    emu->buffer_destroy(state, memory_of, bytes);
}

static int enter(void **state)
{
    static const char *const settings[] = {"emu_dry=on", "emu_memory=100",
                                           "emu_rate=1000", "emu_link=10"};
    static hyb_backend_t slow;

    assert_int_equal(emu_default_settings(state), 0);
    setenv("XDG_CACHE_HOME", fake_root_create(), 1);
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        assert_ok(xh_settings_assign(settings[i]));
    now = 0.0;
    products = 0;
    xh_clock_install(clock_of_test, NULL);
    emu = device_cases_backend("emu");
    slow = *emu;
    slow.work = slow_work;
    slow.event_record = short_record;
    slow.event_wait = noted_wait;
    slow.event_elapsed = hot_elapsed;
    cool_seconds = INFINITY;
    slower = 1.0;
    slow.queue_destroy = noted_destroy;
    slow.buffer_destroy = idle_buffer_destroy;
    records_left = INT_MAX;
    return hyb_device_open((hyb_device_choice_t){&slow, 0}, NULL, 0, &device) !=
           XH_OK;
}

UNIT_STEP(leave)
{
    hyb_device_close(device);
    xh_clock_install(NULL, NULL);
    fake_root_destroy();
}

/* Points of table that are measured. */
static int count_of(const hyb_rate_table_t *table)
{
    int count = 0;

    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        for (int s = 0; s < HYB_RATE_SIZES; s++)
            count += table->rate[d][s] > 0.0;
    return count;
}

/* Few products follow those of the table: emu sleeps until the end of each on a
 * clock that stands still. */
static hyb_rate_table_t measured_for(double seconds, int slow)
{
    hyb_rate_table_t table;

    now = now + 10.0; /* what emu models from now on is not late */
    slow_products = slow;
    assert_ok(hyb_device_rates_measure(device, memory, seconds, 60.0, &table));
    return table;
}

static hyb_rate_table_t measured(int slow)
{
    return measured_for(1e-3, slow);
}

static void assert_close(double x, double expected)
{
    assert_true(fabs(x - expected) <= 1e-3 * expected);
}

#define TEST_SET_UP(name) TEST_WITH(name, enter, leave)

TEST_SET_UP(rates_are_those_of_the_device)
{
    hyb_rate_table_t table = measured(1); /* a slow first one costs no point */

    assert_int_equal(count_of(&table), POINTS);
    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        for (int i = 0; i < HYB_RATE_SIZES; i++)
            if (table.rate[d][i] > 0.0)
                assert_close(table.rate[d][i], 1e12);
    assert_close(table.link_rate, 1e10);
    assert_true(hyb_device_rates_complete(&table, memory));
}

/* All of them, though it is hot only after they were measured. */
TEST_SET_UP(rates_are_those_of_a_hot_device)
{
    hyb_rate_table_t table;

    cool_seconds = 0.015;
    table = measured_for(0.01, 0);
    assert_true(cool_seconds < 0.0);
    assert_int_equal(count_of(&table), POINTS);
    assert_close(table.rate[0][0], 0.5e12);
}

TEST_SET_UP(products_that_are_slow_throughout_end_with_the_time)
{
    hyb_rate_table_t table = measured(1000);

    assert_int_equal(count_of(&table), 1);
    assert_close(table.link_rate, 1e10);
    assert_false(hyb_device_rates_complete(&table, memory));
}

TEST_SET_UP(a_table_is_complete_for_the_memory_there_is)
{
    hyb_rate_table_t table = measured(0), empty = {.link_rate = 1e10};

    assert_true(hyb_device_rates_complete(&table, memory / 2));
    assert_false(hyb_device_rates_complete(&table, 2 * memory));
    assert_false(hyb_device_rates_complete(&empty, memory));
    assert_false(hyb_device_rates_complete(&empty, 0));
    table.link_rate = 0.0;
    assert_false(hyb_device_rates_complete(&table, memory));
}

/* Whatever is queued then: idle_buffer_destroy looks. */
TEST_SET_UP(memory_is_given_back_when_queues_are_idle)
{
    int records = 0, points = -1;

    for (; points < POINTS; records++) {
        hyb_rate_table_t table;

        records_left = records;
        queues = 2;
        table = measured(0);
        assert_true(count_of(&table) >= points);
        points = count_of(&table);
    }
    assert_true(records > 4 * POINTS);
}

/* ---- kept from run to run ------------------------------------------------ */

static bool is_kept(void)
{
    char path[HYB_CACHE_PATH];

    assert_ok(hyb_cache_path("emulated device", "tiles", path));
    return access(path, F_OK) == 0;
}

/* Points of the table that there is, or is measured. */
static int points(int slow)
{
    hyb_rate_table_t table;

    now = now + 10.0;
    slow_products = slow;
    slower = 1000.0; /* so that they are few, as above */
    products = 0;
    assert_ok(hyb_device_rates(device, &table));
    return count_of(&table);
}

TEST_SET_UP(a_complete_table_is_measured_once)
{
    assert_int_equal(points(0), POINTS);
    assert_true(products > 0 && is_kept());
    assert_int_equal(points(0), POINTS);
    assert_int_equal(products, 0);
}

TEST_SET_UP(an_incomplete_table_is_used_but_not_kept)
{
    hyb_rate_table_t table = {.link_rate = 1e10, .rate = {{1e12}}}, kept;

    assert_int_equal(points(1000), 1);
    assert_false(is_kept());
    assert_ok(hyb_rate_table_save("emulated device", &table));
    assert_int_equal(points(0), POINTS);
    assert_true(hyb_rate_table_load("emulated device", &kept));
    assert_int_equal(count_of(&kept), POINTS);
}
