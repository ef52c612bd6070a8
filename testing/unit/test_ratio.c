/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/ratio.h"

#include <math.h>
#include <stdbool.h>
#include "testing/unit/unit.h"

/* what the ratio is to drive: devices and a host of set speeds */
typedef struct {
    double g, c;  /* flop/s */
    double other; /* s of the host for other things in each update */
    double flop;
    double noise; /* standard deviation of measured times */
} plant_t;

static const double work = 1e12;

/* speeds of devices against a host of 1e11 flop/s */
static const double speeds[] = {1e10, 5e10, 1e11, 3e11, 1e12, 1e13};
enum { SPEEDS = COUNT_OF(speeds) };

static const hyb_situation_t here = HYB_PANEL_HERE;
static const hyb_situation_t elsewhere = HYB_PANEL_ELSEWHERE;

static plant_t plant(double g, double c)
{
    return (plant_t){.g = g, .c = c, .flop = work};
}

/* A plant whose host spends a third of each ideal update on a panel. */
static plant_t plant_with_panel(double g, double c)
{
    plant_t p = plant(g, c);

    p.other = work / (2.0 * c / 3.0 + g) / 3.0;
    return p;
}

/* The share at which devices and host end together. */
static double ideal(const plant_t *p)
{
    double time = (p->flop + p->c * p->other) / (p->c + p->g);

    return fmin(1.0, time * p->g / p->flop);
}

/* About normal, mean 1, of a small generator with a set start. */
static double noise_factor(double deviation)
{
    static uint64_t x = 88172645463325252u;
    double sum = -6.0;

    for (int i = 0; i < 12; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        sum += (double)(x >> 11) * 0x1p-53;
    }
    return fmax(0.5, 1.0 + deviation * sum);
}

static double seconds(double flop, double rate, double noise)
{
    return flop > 0.0 ? flop / rate * noise_factor(noise) : 0.0;
}

static double share_of(const hyb_ratio_t *r, hyb_situation_t s,
                       const plant_t *p)
{
    double share = hyb_ratio_share(r, s, p->flop);

    assert_true(share >= 0.0 && share <= 1.0);
    return share;
}

/* One update with the share of the ratio, which learns from it. */
static void step(hyb_ratio_t *r, hyb_situation_t s, const plant_t *p)
{
    double share = share_of(r, s, p);
    hyb_ratio_sample_t sample = {
        .device_flop = share * p->flop,
        .host_flop = (1.0 - share) * p->flop,
        .other_seconds = p->other * noise_factor(p->noise),
    };

    sample.device_seconds = seconds(sample.device_flop, p->g, p->noise);
    sample.host_seconds = seconds(sample.host_flop, p->c, p->noise);
    hyb_ratio_learn(r, s, &sample);
}

static void steps(hyb_ratio_t *r, hyb_situation_t s, const plant_t *p, int n)
{
    while (n-- > 0)
        step(r, s, p);
}

/* Is the share, and the rest, within a part of the ideal? */
static void assert_near(const hyb_ratio_t *r, hyb_situation_t s,
                        const plant_t *p, double part)
{
    double share = share_of(r, s, p), best = ideal(p);

    assert_true(fabs(share - best) <= part * best);
    assert_true(fabs(share - best) <= part * (1.0 - best) + 1e-12);
}

TEST(constant_speeds_are_met_in_six_steps)
{
    static const double guesses[] = {0.01, 0.3, 1.0, 5.0, 100.0};
    hyb_ratio_t r;

    for (size_t i = 0; i < SPEEDS; i++)
        for (size_t j = 0; j < COUNT_OF(guesses); j++) {
            plant_t p = plant(speeds[i], 1e11);

            hyb_ratio_init(&r, guesses[j], 1.0);
            steps(&r, elsewhere, &p, 6);
            assert_near(&r, elsewhere, &p, 0.02);
        }
}

TEST(they_are_met_with_a_panel_of_a_third_too)
{
    hyb_ratio_t r;

    for (size_t i = 0; i < SPEEDS; i++) {
        plant_t p = plant_with_panel(speeds[i], 1e11);

        hyb_ratio_init(&r, 1.0, 1.0);
        steps(&r, here, &p, 6);
        assert_near(&r, here, &p, 0.02);
    }
}

TEST(a_host_fast_enough_for_long_panels_is_not_swung_about)
{
    plant_t p = {.g = 1e11, .c = 2e12, .flop = work, .other = 8.0};
    hyb_ratio_t r;

    hyb_ratio_init(&r, 1.0, 1.0);
    steps(&r, here, &p, 6);
    assert_near(&r, here, &p, 0.02);
    steps(&r, here, &p, 50);
    assert_near(&r, here, &p, 1e-6);
}

TEST(a_panel_that_appears_is_followed)
{
    plant_t before = plant(3e11, 1e11), after = plant_with_panel(3e11, 1e11);
    hyb_ratio_t r;

    hyb_ratio_init(&r, 1.0, 1.0);
    steps(&r, here, &before, 6);
    steps(&r, here, &after, 6);
    assert_near(&r, here, &after, 0.02);
}

TEST(a_device_throttled_to_half_is_followed_in_four_steps)
{
    hyb_ratio_t r;

    for (size_t i = 0; i < SPEEDS; i++) {
        plant_t p = plant(speeds[i], 1e11);

        hyb_ratio_init(&r, 1.0, 1.0);
        steps(&r, elsewhere, &p, 10);
        p.g /= 2.0;
        steps(&r, elsewhere, &p, 4);
        assert_near(&r, elsewhere, &p, 0.05);
        p.g *= 2.0;
        steps(&r, elsewhere, &p, 4);
        assert_near(&r, elsewhere, &p, 0.05);
    }
}

TEST(a_jump_of_a_rate_is_followed_in_one_step)
{
    static const double factors[] = {0.1, 0.6, 1.7, 20.0};
    hyb_ratio_t r;

    for (size_t i = 0; i < COUNT_OF(factors); i++) {
        plant_t p = plant(3e11, 1e11);

        hyb_ratio_init(&r, 1.0, 1.0);
        steps(&r, elsewhere, &p, 10);
        p.c *= factors[i];
        step(&r, elsewhere, &p);
        assert_near(&r, elsewhere, &p, 1e-9);
    }
}

TEST(a_small_change_is_taken_by_half)
{
    plant_t p = plant(3e11, 1e11);
    double before, distance;
    hyb_ratio_t r;

    hyb_ratio_init(&r, 1.0, 1.0);
    steps(&r, elsewhere, &p, 10);
    before = share_of(&r, elsewhere, &p);
    p.g *= 1.2;
    distance = ideal(&p) - before;
    step(&r, elsewhere, &p);
    assert_true(fabs(share_of(&r, elsewhere, &p) - before - distance / 2.0) <
                1e-12);
}

/* The share of a size that jumps comes from rates, before any sample. */
TEST(a_jump_of_the_size_starts_anew)
{
    static const double factors[] = {0.01, 0.3, 3.0, 1000.0};
    hyb_ratio_t r;

    for (size_t i = 0; i < COUNT_OF(factors); i++) {
        plant_t p = plant_with_panel(3e11, 1e11);

        hyb_ratio_init(&r, 1.0, 1.0);
        steps(&r, here, &p, 20);
        p.flop *= factors[i];
        assert_near(&r, here, &p, 1e-6);
        p.c *= 1.2;
        step(&r, here, &p);
        assert_near(&r, here, &p, 1e-9);
    }
}

/* Memory is touched for the first time then, which is not slow enough to be
 * told from noise. */
TEST(the_first_update_is_forgotten_with_the_second)
{
    plant_t cold = plant(7.5e10, 1e11), warm = plant(1e11, 1e11);
    hyb_ratio_t r;

    hyb_ratio_init(&r, 1.0, 1.0);
    step(&r, elsewhere, &cold);
    assert_near(&r, elsewhere, &cold, 1e-9);
    step(&r, elsewhere, &warm);
    assert_near(&r, elsewhere, &warm, 1e-9);
    step(&r, elsewhere, &cold);
    assert_true(share_of(&r, elsewhere, &warm) >
                (ideal(&cold) + ideal(&warm)) / 2.0 - 1e-9);
}

TEST(situations_are_kept_apart)
{
    plant_t with = plant_with_panel(3e11, 1e11), without = plant(3e11, 1e11);
    hyb_ratio_t r;

    hyb_ratio_init(&r, 1.0, 1.0);
    for (int i = 0; i < 20; i++) {
        step(&r, here, &with);
        step(&r, elsewhere, &without);
    }
    assert_near(&r, here, &with, 1e-4);
    assert_near(&r, elsewhere, &without, 1e-4);
    assert_true(ideal(&with) - ideal(&without) > 0.05);
}

TEST(a_situation_not_met_yet_knows_the_rates_of_others)
{
    plant_t p = plant(7e11, 1e11);
    hyb_ratio_t r;

    hyb_ratio_init(&r, 1.0, 1.0);
    steps(&r, elsewhere, &p, 2);
    assert_near(&r, here, &p, 1e-9);
}

/* 200 steps from what is known at first: always exactly this share? */
static void assert_constant(hyb_ratio_t *r, const plant_t *p, double share)
{
    for (int i = 0; i < 200; i++) {
        assert_true(share_of(r, here, p) == share);
        assert_int_equal(hyb_ratio_probe(r, here), HYB_PROBE_NOBODY);
        step(r, here, p);
    }
}

TEST(an_absent_executor_never_gets_anything)
{
    plant_t no_host = plant(1e12, 0.0), no_device = plant(0.0, 1e12);
    hyb_ratio_t r;

    no_host.other = no_device.other = 0.1;
    no_host.noise = no_device.noise = 0.1;
    hyb_ratio_init(&r, 1.0, 0.0);
    assert_constant(&r, &no_host, 1.0);
    hyb_ratio_init(&r, 0.0, 1.0);
    assert_constant(&r, &no_device, 0.0);
}

TEST(a_host_without_time_gets_nothing)
{
    plant_t p = plant(1e12, 1e11);
    hyb_ratio_t r;

    p.other = 2.0 * p.flop / p.g;
    hyb_ratio_init(&r, 1.0, 1.0);
    step(&r, here, &p);
    for (int i = 0; i < 100; i++, step(&r, here, &p))
        assert_true(share_of(&r, here, &p) == 1.0);
    p.other = 0.0;
    steps(&r, here, &p, 6);
    assert_near(&r, here, &p, 0.2);
}

/* Standard deviation of the share over many steps with noise on times. */
static double deviation(plant_t p, hyb_situation_t s)
{
    enum { STEPS = 4000 };
    double sum = 0.0, squares = 0.0, share;
    hyb_ratio_t r;

    p.noise = 0.1;
    hyb_ratio_init(&r, 1.0, 1.0);
    steps(&r, s, &p, 20);
    for (int i = 0; i < STEPS; i++) {
        step(&r, s, &p);
        share = share_of(&r, s, &p);
        sum += share;
        squares += share * share;
    }
    sum /= STEPS;
    return sqrt(squares / STEPS - sum * sum);
}

TEST(a_tenth_of_noise_moves_the_share_by_less_than_a_20th)
{
    for (size_t i = 0; i < SPEEDS; i++) {
        plant_t p = plant(speeds[i], 1e11);
        plant_t with_panel = plant_with_panel(speeds[i], 1e11);

        assert_true(deviation(p, elsewhere) < 0.05);
        assert_true(deviation(with_panel, here) < 0.05);
        if (speeds[i] >= 1e11) {
            assert_true(deviation(p, elsewhere) < 0.05 * ideal(&p));
            assert_true(deviation(with_panel, here) <
                        0.05 * ideal(&with_panel));
        }
    }
}

TEST(a_fixed_share_is_constant)
{
    static const double shares[] = {0.0, 0.25, 1.0 / 3.0, 1.0};
    hyb_ratio_t r;

    for (size_t i = 0; i < COUNT_OF(shares); i++) {
        plant_t p = plant_with_panel(3e11, 1e11);

        p.noise = 0.1;
        hyb_ratio_init(&r, 1.0, 1.0);
        hyb_ratio_fix(&r, shares[i]);
        assert_constant(&r, &p, shares[i]);
        p.flop *= 100.0;
        assert_constant(&r, &p, shares[i]);
    }
}

TEST(a_fixed_share_is_clamped)
{
    hyb_ratio_t r;

    hyb_ratio_init(&r, 1.0, 1.0);
    hyb_ratio_fix(&r, 1.5);
    assert_true(hyb_ratio_share(&r, here, work) == 1.0);
    hyb_ratio_fix(&r, -0.5);
    assert_true(hyb_ratio_share(&r, here, work) == 0.0);
    hyb_ratio_fix(&r, NAN);
    assert_true(hyb_ratio_share(&r, here, work) == 0.0);
}

/* Updates that one executor does alone, as tiles are rounded. */
static void learn_alone(hyb_ratio_t *r, bool devices)
{
    hyb_ratio_sample_t sample = {.other_seconds = 0.1};

    if (devices) {
        sample.device_flop = work;
        sample.device_seconds = 1.0;
    } else {
        sample.host_flop = work;
        sample.host_seconds = 1.0;
    }
    hyb_ratio_learn(r, here, &sample);
}

TEST(who_has_no_work_keeps_its_rate_and_is_probed)
{
    static const hyb_probe_t expected[] = {HYB_PROBE_DEVICES, HYB_PROBE_HOST};
    hyb_ratio_t r;
    int i;

    for (int devices = 0; devices < 2; devices++) {
        hyb_ratio_init(&r, 1e12, 1e12);
        for (i = 0; hyb_ratio_probe(&r, here) == HYB_PROBE_NOBODY; i++)
            learn_alone(&r, devices);
        assert_in_range(i, 2, 20);
        assert_int_equal(hyb_ratio_probe(&r, here), expected[devices]);
        assert_true(r.entry[here].device_rate == 1e12);
        assert_true(r.entry[here].host_rate == 1e12);
        learn_alone(&r, !devices);
        assert_int_equal(hyb_ratio_probe(&r, here), HYB_PROBE_NOBODY);
    }
}

TEST(nonsense_in_a_sample_does_no_harm)
{
    static const double bad[] = {-1.0, 0.0, NAN, INFINITY, -INFINITY, 1e308};
    enum { BAD = COUNT_OF(bad) };
    plant_t p = plant(3e11, 1e11);
    hyb_ratio_t r;

    hyb_ratio_init(&r, NAN, -INFINITY);
    hyb_ratio_init(&r, 3.0, 1.0);
    for (int i = 0; i < BAD * BAD * BAD; i++) {
        hyb_ratio_sample_t sample = {
            .device_flop = bad[i % BAD],
            .device_seconds = bad[i / BAD % BAD],
            .host_flop = bad[i / (BAD * BAD)],
            .host_seconds = bad[i % BAD],
            .other_seconds = bad[i / BAD % BAD],
        };

        hyb_ratio_learn(&r, here, &sample);
        share_of(&r, here, &p);
    }
    assert_true(hyb_ratio_share(&r, here, NAN) >= 0.0);
    assert_true(hyb_ratio_share(&r, here, -1.0) >= 0.0);
    steps(&r, here, &p, 6);
    assert_near(&r, here, &p, 0.02);
}

TEST_MAIN()
