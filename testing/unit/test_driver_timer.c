/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/timer.h"

#include <math.h>
#include "base/clock.h"
#include "hybrid/lu/lu.h"
#include "testing/unit/unit.h"

static double now;

static double model_clock(void *context)
{
    (void)context;
    return now;
}

static int begin(void **state)
{
    (void)state;
    xh_clock_install(model_clock, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    xh_clock_install(NULL, NULL);
    return 0;
}

static const char *where(const hyb_timer_t *spent)
{
    static char text[128];

    hyb_timer_where(spent, 40, text, sizeof(text));
    return text;
}

TEST_WITH(each_second_counts_once_where_activities_are_nested, begin, end)
{
    hyb_timer_t spent = {.flop = 0.0};
    hyb_timer_mark_t help, broadcast;
    hyb_timer_sum_t sum;

    now = 10.0;
    hyb_timer_begin(&spent, 0, HYB_WAIT_COLUMNS, 3);
    now = 11.0;
    help = hyb_timer_enter(&spent, 0, HYB_HELP, 3);
    now = 12.0;
    broadcast = hyb_timer_enter(&spent, 0, HYB_BROADCAST, 3);
    now = 12.5;
    hyb_timer_leave(&spent, 0, broadcast);
    now = 14.0;
    hyb_timer_leave(&spent, 0, help);
    now = 15.0;
    hyb_timer_end(&spent, 0, HYB_WAIT_COLUMNS, 3, 10.0);
    sum = hyb_timer_sum(&spent, 1);
    assert_true(sum.seconds[HYB_BROADCAST] == 0.5);
    assert_true(sum.seconds[HYB_HELP] == 2.5);
    assert_true(sum.seconds[HYB_WAIT_COLUMNS] == 2.0);
}

TEST_WITH(what_is_done_is_the_innermost_activity, begin, end)
{
    hyb_timer_t spent = {.flop = 0.0};
    hyb_timer_mark_t mark;

    hyb_timer_begin(&spent, 0, HYB_WAIT_PANEL, 5);
    mark = hyb_timer_enter(&spent, 0, HYB_HELP, 4);
    assert_string_equal(where(&spent), "iteration 4 of 40, in the update: "
                                       "helping the devices");
    hyb_timer_leave(&spent, 0, mark);
    assert_string_equal(where(&spent), "iteration 5 of 40, in the broadcast: "
                                       "waiting for a panel");
}

/* A poll may move nothing. */
TEST(activities_and_tiles_that_ended_are_steps)
{
    hyb_timer_t spent = {.flop = 0.0};
    hyb_timer_mark_t mark;

    hyb_timer_begin(&spent, 0, HYB_PANEL, 0);
    mark = hyb_timer_enter(&spent, 0, HYB_BROADCAST, 0);
    hyb_timer_leave(&spent, 0, mark);
    assert_int_equal(hyb_timer_steps(&spent, 1), 0);
    mark = hyb_timer_enter(&spent, 0, HYB_HELP, 0);
    hyb_timer_leave(&spent, 0, mark);
    assert_int_equal(hyb_timer_steps(&spent, 1), 1);
    hyb_timer_end(&spent, 0, HYB_PANEL, 0, now);
    assert_int_equal(hyb_timer_steps(&spent, 1), 2);
}

/* Two threads: what each spent, and how fast it was while it had its core. */
TEST(work_is_the_mean_of_threads)
{
    hyb_timer_t spent[2] = {{.flop = 3e9}, {.flop = 1e9}};
    hyb_pace_t pace[2] = {{.flop = 3e9, .seconds = 1.5, .cpu = 1.0},
                          {.flop = 1e9, .seconds = 0.1, .cpu = 0.5}};
    hyb_lu_t lu = {.workers = {.count = 2, .timer = spent, .pace = pace},
                   .tuner = {.devices_flop = 5e9}};
    hpl_work_t work;

    spent[0].seconds[HYB_PANEL] = 1.0;
    spent[0].seconds[HYB_MULTIPLY] = 2.0;
    spent[1].seconds[HYB_MULTIPLY] = 1.0;
    spent[1].seconds[HYB_HELP] = 1.0;
    spent[0].seconds[HYB_WAIT_ROWS] = 4.0;
    spent[1].seconds[HYB_WAIT_COLUMNS] = 3.0;
    work = hyb_factor_work(&lu);
    assert_true(work.panel == 0.5 && work.update == 2.0 && work.wait == 3.5);
    assert_true(work.swap == 0.0 && work.exchange == 0.0);
    assert_true(work.flop == 9e9);
    assert_true(work.rate == 2e9);
}

TEST(no_product_tells_no_rate)
{
    hyb_timer_t spent = {.flop = 1e3};
    hyb_pace_t pace = {.flop = 0.0};
    hyb_lu_t lu = {.workers = {.count = 1, .timer = &spent, .pace = &pace}};

    assert_true(isnan(hyb_factor_work(&lu).rate));
}

TEST_MAIN()
