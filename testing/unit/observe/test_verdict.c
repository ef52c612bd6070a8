/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/health.h"

#include "testing/unit/unit.h"

enum { COUNT = 6, COLUMNS = 3 };

static const double usual = 40e9;

static hyb_sample_t sample[COUNT];

/* 2 x 3 processes that do well, each a little otherwise. */
static void do_well(void)
{
    static const double noise[COUNT] = {1.0, 0.91, 1.08, 0.95, 1.1, 0.9};

    for (int i = 0; i < COUNT; i++)
        sample[i] = (hyb_sample_t){.rate = noise[i] * usual,
                                   .best = usual,
                                   .work = 0.8 * noise[i],
                                   .panel = 0.05,
                                   .messages = 0.1,
                                   .column = i % COLUMNS};
}

static hyb_verdict_t verdict(void)
{
    return hyb_verdict(sample, COUNT, COLUMNS);
}

TEST(each_slow_process_is_found)
{
    hyb_verdict_t v;

    for (int i = 0; i < COUNT; i++) {
        do_well();
        sample[i].rate = 0.5 * usual;
        v = verdict();
        assert_int_equal(v.condition, HYB_SLOW_PROCESS);
        assert_int_equal(v.process, i);
        assert_int_equal(v.others, 0);
        assert_true(v.share > 0.45 && v.share < 0.55);
    }
}

/* The verdict names the slowest of several; a slow process explains why others
 * wait. */
TEST(a_slow_process_is_named_though_others_wait_or_are_slow_too)
{
    hyb_verdict_t v;

    do_well();
    sample[1].rate = 0.5 * usual;
    sample[5].rate = 0.4 * usual;
    v = verdict();
    assert_int_equal(v.condition, HYB_SLOW_PROCESS);
    assert_int_equal(v.process, 5);
    assert_int_equal(v.others, 1);
    do_well();
    for (int i = 0; i < COUNT; i++)
        sample[i].messages = 0.5;
    sample[4].rate = 0.6 * usual;
    sample[4].messages = 0.0;
    v = verdict();
    assert_int_equal(v.condition, HYB_SLOW_PROCESS);
    assert_int_equal(v.process, 4);
}

TEST(all_slow_together_name_nobody)
{
    hyb_verdict_t v;

    do_well();
    for (int i = 0; i < COUNT; i++)
        sample[i].rate *= 0.55;
    sample[2].rate *= 0.6;
    v = verdict();
    assert_int_equal(v.condition, HYB_ALL_SLOW);
    assert_true(v.share > 0.5 && v.share < 0.6);
}

/* So many of count, from the second on, at half of what they usually do, the
 * last of them at less. */
static hyb_verdict_t some_at_half(int slow, int count)
{
    hyb_sample_t sample[8];

    for (int i = 0; i < count; i++)
        sample[i] = (hyb_sample_t){.rate = usual, .best = usual};
    for (int i = 1; i <= slow; i++)
        sample[i].rate = 0.5 * usual;
    sample[slow].rate = 0.45 * usual;
    return hyb_verdict(sample, count, 1);
}

TEST(most_slow_together_are_counted)
{
    static const int of[][2] = {{2, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 8}, {6, 8}};
    hyb_verdict_t v;

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        v = some_at_half(of[i][0], of[i][1]);
        assert_int_equal(v.condition, HYB_MOST_SLOW);
        assert_int_equal(v.process, of[i][0]);
        assert_int_equal(v.others, of[i][0] - 1);
        assert_true(v.share > 0.44 && v.share < 0.51);
    }
    assert_int_equal(some_at_half(2, 4).condition, HYB_SLOW_PROCESS);
    assert_int_equal(some_at_half(4, 8).condition, HYB_SLOW_PROCESS);
    assert_int_equal(some_at_half(4, 5).condition, HYB_ALL_SLOW);
    assert_int_equal(some_at_half(7, 8).condition, HYB_ALL_SLOW);
}

TEST(a_process_alone_is_compared_with_itself)
{
    hyb_sample_t sample = {.rate = 0.9 * usual, .best = usual};

    assert_int_equal(hyb_verdict(&sample, 1, 1).condition, HYB_HEALTHY);
    sample.rate = 0.5 * usual;
    assert_int_equal(hyb_verdict(&sample, 1, 1).condition, HYB_ALL_SLOW);
}

TEST(noise_or_processors_of_two_kinds_are_healthy)
{
    do_well();
    assert_int_equal(verdict().condition, HYB_HEALTHY);
    for (int i = 0; i < COUNT; i += 2)
        sample[i].rate = sample[i].best = 0.8 * usual;
    assert_int_equal(verdict().condition, HYB_HEALTHY);
}

/* All wait at the same time, and nobody works more than others. */
static void wait_for_messages(void)
{
    do_well();
    for (int i = 0; i < COUNT; i++) {
        sample[i].work = 0.4;
        sample[i].messages = i == 3 ? 0.6 : 0.5;
    }
}

TEST(waits_that_nothing_explains_are_slow_messages)
{
    hyb_verdict_t v;

    wait_for_messages();
    v = verdict();
    assert_int_equal(v.condition, HYB_SLOW_MESSAGES);
    assert_int_equal(v.process, 3);
    assert_true(v.share > 0.35 && v.share < 0.45);
}

TEST(waits_for_panels_of_other_columns_or_who_has_more_to_do_are_explained)
{
    wait_for_messages();
    for (int i = 0; i < COUNT; i++)
        sample[i].panel = 0.2;
    assert_int_equal(verdict().condition, HYB_HEALTHY);
    wait_for_messages();
    sample[0].work = 0.85;
    assert_int_equal(verdict().condition, HYB_HEALTHY);
}

TEST(waits_on_shared_cores_tell_who_is_crowded)
{
    hyb_verdict_t v;

    wait_for_messages();
    sample[2].run_delay = 0.3;
    sample[5].run_delay = 0.5;
    v = verdict();
    assert_int_equal(v.condition, HYB_CROWDED);
    assert_int_equal(v.process, 5);
    assert_true(v.share == 0.5);
}

TEST(too_little_work_on_any_process_is_too_early)
{
    do_well();
    sample[0].rate = 0.3 * usual;
    sample[2].rate = 0.0;
    assert_int_equal(verdict().condition, HYB_TOO_EARLY);
}
