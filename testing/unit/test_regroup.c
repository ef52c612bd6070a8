/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/regroup.h"

#include <math.h>
#include <stdbool.h>
#include "testing/model/plant.h"
#include "testing/unit/unit.h"

enum { THREADS = 16, NB = 256, BLOCKS = 100 };

/* A team without devices, or with one of so many times a core's speed. */
static plant_t team(double device, double serial)
{
    return (plant_t){
        .threads = THREADS,
        .thread_rate = 4e10,
        .device_rate = device * 4e10,
        .panel_rate = 5e9,
        .panel_serial = serial,
        .broadcast = 1e-9,
    };
}

static hyb_regroup_facts_t facts_of(const plant_t *plant, int64_t order)
{
    return (hyb_regroup_facts_t){
        .threads = plant->threads,
        .rows = order,
        .cols = order,
        .nb = NB,
        .thread_rate = plant->thread_rate,
        .device_rate = plant->device_rate,
        .broadcast = plant->broadcast * (double)order * NB,
    };
}

/* The formula of the header, with the panel's real time. */
static double real_time(const plant_t *plant, int threads, int64_t order)
{
    double panel = plant_panel(plant, threads, order, NB);
    double broadcast = plant->broadcast * (double)order * NB;
    double flop = 2.0 * (double)order * (double)order * NB;
    double lost = plant->thread_rate * (threads * panel + broadcast);
    double rate = plant->device_rate + plant->threads * plant->thread_rate;

    return fmax(panel + broadcast, (flop + lost) / rate);
}

static double least_time(const plant_t *plant, int64_t order)
{
    double least = INFINITY;

    for (int t = 1; t <= plant->threads; t++)
        least = fmin(least, real_time(plant, t, order));
    return least;
}

/* All numbers of threads measured, exactly. */
static hyb_regroup_t taught(const plant_t *plant)
{
    hyb_regroup_t regroup;

    hyb_regroup_init(&regroup);
    for (int t = 1; t <= plant->threads; t++)
        hyb_regroup_learn(&regroup, t, 1000, NB,
                          plant_panel(plant, t, 1000, NB));
    return regroup;
}

static bool hides(const plant_t *plant, int threads, int64_t order)
{
    double panel = plant_panel(plant, threads, order, NB) +
                   plant->broadcast * (double)order * NB;

    return panel < real_time(plant, threads, order);
}

TEST(threads_are_as_few_as_hide_the_panel)
{
    static const double devices[] = {0.0, 5.0, 20.0};
    int hidden = 0;

    for (int i = 0; i < 3; i++) {
        plant_t plant = team(devices[i], 0.1);
        hyb_regroup_t regroup = taught(&plant);

        for (int b = 1; b <= BLOCKS; b++) {
            hyb_regroup_facts_t facts = facts_of(&plant, b * NB);
            int t = hyb_panel_threads(&regroup, &facts);

            assert_true(real_time(&plant, t, b * NB) <=
                        least_time(&plant, b * NB) * (1.0 + 1e-9));
            hidden += hides(&plant, t, b * NB);
            if (hides(&plant, t, b * NB) && t > 1)
                assert_false(hides(&plant, t - 1, b * NB));
        }
    }
    assert_in_range(hidden, BLOCKS, 3 * BLOCKS);
}

TEST(they_grow_as_the_matrix_shrinks)
{
    plant_t plant = team(0.0, 0.1);
    hyb_regroup_t regroup = taught(&plant);
    hyb_regroup_facts_t facts = facts_of(&plant, BLOCKS * NB);
    int b, t, before = hyb_panel_threads(&regroup, &facts), first = before;

    for (b = BLOCKS; b >= 1; b--, before = t) {
        facts = facts_of(&plant, b * NB);
        t = hyb_panel_threads(&regroup, &facts);
        assert_in_range(t, before, THREADS);
    }
    assert_in_range(first, 1, 2);
    assert_int_equal(before, THREADS);
}

TEST(a_fast_device_asks_for_more_of_them)
{
    plant_t alone = team(0.0, 0.1), with = team(20.0, 0.1);
    hyb_regroup_t regroup = taught(&alone);
    hyb_regroup_facts_t of_alone = facts_of(&alone, 30 * NB);
    hyb_regroup_facts_t of_with = facts_of(&with, 30 * NB);

    assert_true(hyb_panel_threads(&regroup, &of_with) >
                hyb_panel_threads(&regroup, &of_alone));
}

TEST(a_long_broadcast_asks_for_more_of_them)
{
    plant_t plant = team(20.0, 0.1);
    hyb_regroup_t regroup = taught(&plant);
    hyb_regroup_facts_t facts = facts_of(&plant, 60 * NB);
    int without = hyb_panel_threads(&regroup, &facts);

    facts.broadcast = plant_panel(&plant, without, 60 * NB, NB);
    assert_true(hyb_panel_threads(&regroup, &facts) > without);
}

TEST(a_panel_that_begins_late_asks_for_more_of_them)
{
    plant_t plant = team(20.0, 0.1);
    hyb_regroup_t regroup = taught(&plant);
    hyb_regroup_facts_t facts = facts_of(&plant, 60 * NB);
    int at_once = hyb_panel_threads(&regroup, &facts);

    facts.before = plant_panel(&plant, at_once, 60 * NB, NB);
    assert_true(hyb_panel_threads(&regroup, &facts) > at_once);
}

static double disturbed(double seconds, double noise, uint64_t *state)
{
    plant_t one = {.exchange = 1.0};

    return seconds * plant_disturbed(&one, noise, state).exchange;
}

/* A factorization that learns as it goes, relative to the best of each step. */
static double learning_to_best(const plant_t *plant, double noise)
{
    double sum = 0.0, least = 0.0;
    uint64_t random = 88172645463325252u;
    hyb_regroup_t regroup;
    int t;

    hyb_regroup_init(&regroup);
    for (int b = BLOCKS; b >= 1; b--) {
        hyb_regroup_facts_t facts = facts_of(plant, b * NB);

        t = hyb_panel_threads(&regroup, &facts);
        assert_in_range(t, 1, plant->threads);
        hyb_regroup_learn(
            &regroup, t, b * NB, NB,
            disturbed(plant_panel(plant, t, b * NB, NB), noise, &random));
        sum += real_time(plant, t, b * NB);
        least += least_time(plant, b * NB);
    }
    return sum / least;
}

TEST(what_is_learnt_on_the_way_costs_a_50th_at_most)
{
    static const double devices[] = {0.0, 5.0, 20.0};
    static const double serials[] = {0.0, 0.05, 0.1, 0.3};

    for (int i = 0; i < 12; i++) {
        plant_t plant = team(devices[i / 4], serials[i % 4]);

        if (learning_to_best(&plant, 0.0) > 1.02)
            fail_msg("case %d: %.4f", i, learning_to_best(&plant, 0.0));
        if (learning_to_best(&plant, 0.1) > 1.03)
            fail_msg("case %d with noise: %.4f", i,
                     learning_to_best(&plant, 0.1));
    }
}

/* More than 8 threads are slower, as on two sockets. */
TEST(more_threads_that_were_slower_are_left_alone)
{
    plant_t plant = team(20.0, 0.1);
    hyb_regroup_t regroup;
    hyb_regroup_facts_t facts = facts_of(&plant, 2 * NB);

    hyb_regroup_init(&regroup);
    for (int t = 1; t <= THREADS; t++)
        hyb_regroup_learn(&regroup, t, 1000, NB,
                          plant_panel(&plant, t, 1000, NB) *
                              (t > 8 ? 3.0 : 1.0));
    assert_int_equal(hyb_panel_threads(&regroup, &facts), 8);
}

TEST(what_lies_between_measured_numbers_is_interpolated)
{
    plant_t plant = team(5.0, 0.3);
    hyb_regroup_t all = taught(&plant), two;

    hyb_regroup_init(&two);
    hyb_regroup_learn(&two, 1, 1000, NB, plant_panel(&plant, 1, 1000, NB));
    hyb_regroup_learn(&two, THREADS, 1000, NB,
                      plant_panel(&plant, THREADS, 1000, NB));
    for (int b = 1; b <= BLOCKS; b++) {
        hyb_regroup_facts_t facts = facts_of(&plant, b * NB);

        assert_int_equal(hyb_panel_threads(&two, &facts),
                         hyb_panel_threads(&all, &facts));
    }
}

/* What the header says of numbers not measured. */
TEST(before_any_measure_a_quarter_of_the_rate_is_assumed)
{
    plant_t plant = team(5.0, 0.1);
    hyb_regroup_t nothing, all;

    plant.panel_rate = plant.thread_rate / 4.0;
    all = taught(&plant);
    hyb_regroup_init(&nothing);
    for (int b = 1; b <= BLOCKS; b++) {
        hyb_regroup_facts_t facts = facts_of(&plant, b * NB);

        assert_int_equal(hyb_panel_threads(&nothing, &facts),
                         hyb_panel_threads(&all, &facts));
    }
}

TEST(the_smallest_of_equals_is_taken)
{
    plant_t plant = team(5.0, 0.1);
    hyb_regroup_t regroup = taught(&plant);
    hyb_regroup_facts_t facts = facts_of(&plant, 0);

    assert_int_equal(hyb_panel_threads(&regroup, &facts), 1);
}

/* Threads that a team takes for 50 block columns if one takes seconds. */
static int threads_after(const double *seconds, int count)
{
    plant_t plant = team(20.0, 0.1);
    hyb_regroup_facts_t facts = facts_of(&plant, 50 * NB);
    hyb_regroup_t regroup;

    hyb_regroup_init(&regroup);
    for (int i = 0; i < count; i++)
        hyb_regroup_learn(&regroup, 1, 1000, NB, seconds[i]);
    return hyb_panel_threads(&regroup, &facts);
}

TEST(a_small_change_is_taken_by_half_and_a_jump_at_once)
{
    static const double small[] = {20e-3, 28e-3}, mean = 24e-3;
    static const double jump[] = {20e-3, 36e-3};

    assert_int_equal(threads_after(small, 2), threads_after(&mean, 1));
    assert_int_equal(threads_after(jump, 2), threads_after(jump + 1, 1));
    assert_true(threads_after(small, 1) < threads_after(&mean, 1));
    assert_true(threads_after(&mean, 1) < threads_after(small + 1, 1));
    assert_true(threads_after(small + 1, 1) < threads_after(jump + 1, 1));
}

TEST(a_team_of_one_factors_with_one)
{
    plant_t plant = team(5.0, 0.1);
    hyb_regroup_facts_t facts = facts_of(&plant, NB);
    hyb_regroup_t regroup = taught(&plant);

    facts.threads = 1;
    assert_int_equal(hyb_panel_threads(&regroup, &facts), 1);
    hyb_regroup_init(&regroup);
    assert_int_equal(hyb_panel_threads(&regroup, &facts), 1);
}

TEST(a_team_beyond_all_measure_is_no_error)
{
    plant_t plant = team(100.0, 0.0);
    hyb_regroup_facts_t facts = facts_of(&plant, NB);
    hyb_regroup_t regroup;

    facts.threads = 10 * HYB_REGROUP_MOST;
    hyb_regroup_init(&regroup);
    hyb_regroup_learn(&regroup, facts.threads, 1000, NB, 1e-3);
    assert_int_equal(hyb_panel_threads(&regroup, &facts), HYB_REGROUP_MOST);
}

TEST(nonsense_is_passed_over)
{
    static const double bad[] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
    plant_t plant = team(5.0, 0.1);
    hyb_regroup_t regroup = taught(&plant), before = regroup;
    hyb_regroup_facts_t facts = facts_of(&plant, 10 * NB);

    for (size_t i = 0; i < COUNT_OF(bad); i++)
        hyb_regroup_learn(&regroup, 4, 1000, NB, bad[i]);
    hyb_regroup_learn(&regroup, 0, 1000, NB, 1.0);
    hyb_regroup_learn(&regroup, -3, 1000, NB, 1.0);
    hyb_regroup_learn(&regroup, 4, 0, NB, 1.0);
    hyb_regroup_learn(&regroup, 4, 1000, 0, 1.0);
    assert_memory_equal(&regroup, &before, sizeof(before));
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        facts.thread_rate = facts.device_rate = facts.broadcast = bad[i];
        facts.before = bad[i];
        assert_in_range(hyb_panel_threads(&regroup, &facts), 1, THREADS);
    }
}

TEST_MAIN()
