/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/panel_threads.h"

#include <math.h>
#include <stdbool.h>
#include "testing/model/plant.h"
#include "testing/unit/unit.h"

enum { THREADS = 16, NB = 256, BLOCKS = 100 };

/* A team without devices, or with one of so many times a core's speed. */
static plant_t team(double device, double serial)
{
    return (plant_t){
        .nb = NB,
        .threads = THREADS,
        .thread_rate = 4e10,
        .device_rate = device * 4e10,
        .panel_rate = 5e9,
        .panel_serial = serial,
        .broadcast = 1e-9,
    };
}

/* The threads of a panel, by what was learnt, of a plant with order rows. */
static int chosen(hyb_panel_threads_t *known, const plant_t *plant,
                  int64_t order, double before)
{
    known->threads = plant->threads;
    known->thread_rate = plant->thread_rate;
    known->device_rate = plant->device_rate;
    known->broadcast = plant->broadcast * (double)order * NB;
    return hyb_panel_threads_panel(known, order, order, NB, before);
}

static int at_once(hyb_panel_threads_t *known, const plant_t *plant,
                   int64_t order)
{
    return chosen(known, plant, order, 0.0);
}

static double panel_time(const plant_t *plant, int threads, int64_t order)
{
    return plant_panel(plant, threads, order) +
           plant->broadcast * (double)order * NB;
}

/* The formula of the header, with the panel's real time. */
static double real_time(const plant_t *plant, int threads, int64_t order)
{
    double panel = plant_panel(plant, threads, order);
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

/* A number of threads measured, factor times as slow as it is. */
static void learn(hyb_panel_threads_t *known, const plant_t *plant, int threads,
                  double factor)
{
    hyb_panel_threads_learn(known, threads, 1000, NB,
                            plant_panel(plant, threads, 1000) * factor);
}

/* All numbers of threads measured, exactly. */
static hyb_panel_threads_t taught(const plant_t *plant)
{
    hyb_panel_threads_t known = {.threads = 0};

    for (int t = 1; t <= plant->threads; t++)
        learn(&known, plant, t, 1.0);
    return known;
}

static bool hides(const plant_t *plant, int threads, int64_t order)
{
    return panel_time(plant, threads, order) < real_time(plant, threads, order);
}

TEST(threads_are_as_few_as_hide_the_panel)
{
    static const double devices[] = {0.0, 5.0, 20.0};
    int hidden = 0;

    for (int i = 0; i < 3; i++) {
        plant_t plant = team(devices[i], 0.1);
        hyb_panel_threads_t known = taught(&plant);

        for (int64_t order = NB; order <= BLOCKS * NB; order += NB) {
            int t = at_once(&known, &plant, order);

            assert_true(real_time(&plant, t, order) <=
                        least_time(&plant, order) * (1.0 + 1e-9));
            hidden += hides(&plant, t, order);
            if (hides(&plant, t, order) && t > 1)
                assert_false(hides(&plant, t - 1, order));
        }
    }
    assert_in_range(hidden, BLOCKS, 3 * BLOCKS);
}

TEST(a_fast_device_a_long_broadcast_or_a_late_panel_ask_for_more_of_them)
{
    plant_t alone = team(0.0, 0.1), with = team(20.0, 0.1), slow = with;
    hyb_panel_threads_t known = taught(&with);
    int threads = at_once(&known, &with, 60 * NB);
    double panel = plant_panel(&with, threads, 60 * NB);

    slow.broadcast = panel / (60.0 * NB * NB);
    assert_true(threads < at_once(&known, &slow, 60 * NB));
    assert_true(threads < chosen(&known, &with, 60 * NB, panel));
    assert_true(at_once(&known, &alone, 30 * NB) <
                at_once(&known, &with, 30 * NB));
}

/* A factorization that learns as it goes, relative to the best of each step. */
static double learning_to_best(const plant_t *plant, double noise)
{
    double sum = 0.0, least = 0.0;
    uint64_t random = 88172645463325252u;
    hyb_panel_threads_t known = {.threads = 0};

    for (int64_t order = BLOCKS * NB; order >= NB; order -= NB) {
        int t = at_once(&known, plant, order);

        assert_in_range(t, 1, plant->threads);
        hyb_panel_threads_learn(&known, t, order, NB,
                                plant_panel(plant, t, order) *
                                    plant_noise(noise, &random));
        sum += real_time(plant, t, order);
        least += least_time(plant, order);
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
    hyb_panel_threads_t known = {.threads = 0};

    for (int t = 1; t <= THREADS; t++)
        learn(&known, &plant, t, t > 8 ? 3.0 : 1.0);
    assert_int_equal(at_once(&known, &plant, 2 * NB), 8);
}

/* Do a and b choose the same for all sizes? */
static void assert_equal(hyb_panel_threads_t *a, hyb_panel_threads_t *b,
                         const plant_t *plant)
{
    for (int64_t order = NB; order <= BLOCKS * NB; order += NB)
        assert_int_equal(at_once(a, plant, order), at_once(b, plant, order));
}

/* Before any measure a quarter of the rate is assumed. */
TEST(what_lies_between_measured_numbers_is_interpolated)
{
    plant_t plant = team(5.0, 0.3), unknown = team(5.0, 0.1);
    hyb_panel_threads_t all = taught(&plant), two = {.threads = 0};
    hyb_panel_threads_t nothing = {.threads = 0};

    learn(&two, &plant, 1, 1.0);
    learn(&two, &plant, THREADS, 1.0);
    assert_equal(&two, &all, &plant);
    unknown.panel_rate = unknown.thread_rate / 4.0;
    all = taught(&unknown);
    assert_equal(&nothing, &all, &unknown);
}

/* Threads that a team takes for 50 block columns if one takes seconds. */
static int threads_after(const double *seconds, int count)
{
    plant_t plant = team(20.0, 0.1);
    hyb_panel_threads_t known = {.threads = 0};

    for (int i = 0; i < count; i++)
        hyb_panel_threads_learn(&known, 1, 1000, NB, seconds[i]);
    return at_once(&known, &plant, 50 * NB);
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

TEST(a_team_beyond_all_measure_is_no_error)
{
    plant_t plant = team(100.0, 0.0);
    hyb_panel_threads_t known = {.threads = 0};

    plant.threads = 10 * HYB_REGROUP_MOST;
    hyb_panel_threads_learn(&known, plant.threads, 1000, NB, 1e-3);
    assert_int_equal(at_once(&known, &plant, NB), HYB_REGROUP_MOST);
}

TEST(nonsense_is_passed_over)
{
    static const double bad[] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
    plant_t plant = team(5.0, 0.1);
    hyb_panel_threads_t known = taught(&plant), before = known;

    for (size_t i = 0; i < COUNT_OF(bad); i++)
        hyb_panel_threads_learn(&known, 4, 1000, NB, bad[i]);
    hyb_panel_threads_learn(&known, 0, 1000, NB, 1.0);
    hyb_panel_threads_learn(&known, -3, 1000, NB, 1.0);
    hyb_panel_threads_learn(&known, 4, 0, NB, 1.0);
    hyb_panel_threads_learn(&known, 4, 1000, 0, 1.0);
    assert_memory_equal(&known, &before, sizeof(before));
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        plant.thread_rate = plant.device_rate = plant.broadcast = bad[i];
        assert_in_range(chosen(&known, &plant, 10 * NB, bad[i]), 1, THREADS);
    }
}
