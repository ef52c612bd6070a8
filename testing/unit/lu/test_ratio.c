/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices' share of updates, as it is learnt. */
#include "hybrid/lu/tune/split.h"

#include <math.h>
#include "base/settings.h"
#include "testing/model/plant.h"
#include "testing/unit/unit.h"
#include "testing/xdgemm/team_tiles.h"

/* what the share is to drive: devices and a host of set speeds */
typedef struct {
    double g, c;  /* flop/s */
    double other; /* s of the host for other things in each update */
    double flop;
    double noise; /* standard deviation of measured times */
} executors_t;

static const double work = 1e12;

/* speeds of devices against a host of 1e11 flop/s */
static const double speeds[] = {1e10, 5e10, 1e11, 3e11, 1e12, 1e13};

static executors_t executors(double g)
{
    return (executors_t){.g = g, .c = 1e11, .flop = work};
}

/* Some whose host spends a third of each ideal update on a panel. */
static executors_t with_panel(double g)
{
    executors_t x = executors(g);

    x.other = work / (2.0 * x.c / 3.0 + g) / 3.0;
    return x;
}

/* The share at which devices and host end together. */
static double ideal(const executors_t *x)
{
    double time = (x->flop + x->c * x->other) / (x->c + x->g);

    return fmin(1.0, time * x->g / x->flop);
}

static double noise(const executors_t *x)
{
    static uint64_t state = 88172645463325252u;

    return plant_noise(x->noise, &state);
}

static hyb_split_t begun(const char *assignment)
{
    hyb_split_t split;

    assert_ok(xh_settings_assign(assignment));
    assert_ok(hyb_split_of_setting(&split));
    return split;
}

static double share_of(const hyb_split_t *s, const executors_t *x)
{
    double share = hyb_split_share(s, x->flop);

    assert_true(share >= 0.0 && share <= 1.0);
    return share;
}

/* Updates with the share of the split, which learns from them. */
static void steps(hyb_split_t *s, const executors_t *x, int n)
{
    while (n-- > 0) {
        double flop = share_of(s, x) * x->flop, rest = x->flop - flop;
        double seconds = flop > 0.0 ? flop / x->g * noise(x) : 0.0;
        double host_seconds = rest > 0.0 ? rest / x->c * noise(x) : 0.0;

        hyb_split_learn(s, flop, seconds, rest, host_seconds,
                        x->other * noise(x));
    }
}

/* What has learnt from n updates. */
static hyb_split_t taught(const executors_t *x, int n)
{
    hyb_split_t s = begun("split=ratio");

    steps(&s, x, n);
    return s;
}

/* Is the share, and the rest, within a part of the ideal? */
static void assert_near(const hyb_split_t *s, const executors_t *x, double part)
{
    double share = share_of(s, x), best = ideal(x);

    assert_true(fabs(share - best) <= part * best);
    assert_true(fabs(share - best) <= part * (1.0 - best) + 1e-12);
}

/* Also of a host that is fast enough for long panels. */
TEST(constant_speeds_are_met_in_six_steps)
{
    static const double guesses[] = {0.01, 0.3, 1.0, 5.0, 100.0};
    executors_t fast = {.g = 1e11, .c = 2e12, .flop = work, .other = 8.0};
    hyb_split_t s = taught(&fast, 6);

    assert_near(&s, &fast, 0.02);
    steps(&s, &fast, 50);
    assert_near(&s, &fast, 1e-6);
    for (size_t i = 0; i < COUNT_OF(speeds) * COUNT_OF(guesses); i++) {
        executors_t x = executors(speeds[i / COUNT_OF(guesses)]);

        s = begun("split=ratio");
        s.device_rate = guesses[i % COUNT_OF(guesses)];
        steps(&s, &x, 6);
        assert_near(&s, &x, 0.02);
    }
}

TEST(a_device_throttled_to_half_is_followed_in_four_steps)
{
    for (size_t i = 0; i < COUNT_OF(speeds); i++) {
        executors_t x = executors(speeds[i]);
        hyb_split_t s = taught(&x, 10);

        x.g /= 2.0;
        steps(&s, &x, 4);
        assert_near(&s, &x, 0.05);
        x.g *= 2.0;
        steps(&s, &x, 4);
        assert_near(&s, &x, 0.05);
    }
}

TEST(a_jump_of_a_rate_is_followed_in_one_step)
{
    static const double factors[] = {0.1, 0.6, 1.7, 20.0};

    for (size_t i = 0; i < COUNT_OF(factors); i++) {
        executors_t x = executors(3e11);
        hyb_split_t s = taught(&x, 10);

        x.c *= factors[i];
        steps(&s, &x, 1);
        assert_near(&s, &x, 1e-9);
    }
}

TEST(a_small_change_is_taken_by_half)
{
    executors_t x = executors(3e11);
    hyb_split_t s = taught(&x, 10);
    double before = share_of(&s, &x), distance;

    x.g *= 1.2;
    distance = ideal(&x) - before;
    steps(&s, &x, 1);
    assert_true(fabs(share_of(&s, &x) - before - distance / 2.0) < 1e-12);
}

/* The share of a size that jumps comes from rates, before any update. */
TEST(a_jump_of_the_size_starts_anew)
{
    static const double factors[] = {0.01, 0.3, 3.0, 1000.0};

    for (size_t i = 0; i < COUNT_OF(factors); i++) {
        executors_t x = with_panel(3e11);
        hyb_split_t s = taught(&x, 20);

        x.flop *= factors[i];
        assert_near(&s, &x, 1e-6);
        x.c *= 1.2;
        steps(&s, &x, 1);
        assert_near(&s, &x, 1e-9);
    }
}

/* Memory is touched for the first time then, which is not slow enough to be
 * told from noise. */
TEST(the_first_update_is_forgotten_with_the_second)
{
    executors_t cold = executors(7.5e10), warm = executors(1e11);
    hyb_split_t s = taught(&cold, 1);

    assert_near(&s, &cold, 1e-9);
    steps(&s, &warm, 1);
    assert_near(&s, &warm, 1e-9);
    steps(&s, &cold, 1);
    assert_true(share_of(&s, &warm) >
                (ideal(&cold) + ideal(&warm)) / 2.0 - 1e-9);
}

/* Does nobody get a tile that is not its own? */
static void assert_no_probe(const hyb_split_t *s)
{
    assert_int_equal(xdg_team_tiles_refresh(s, 0, 100), 0);
    assert_int_equal(xdg_team_tiles_refresh(s, 100, 100), 100);
}

/* 200 steps from what is known at first: always exactly this share? */
static void assert_constant(hyb_split_t *s, const executors_t *x, double share)
{
    for (int i = 0; i < 200; i++) {
        assert_true(share_of(s, x) == share);
        assert_no_probe(s);
        steps(s, x, 1);
    }
}

TEST(an_absent_executor_never_gets_anything)
{
    executors_t x = {
        .g = 1e12, .c = 1e12, .flop = work, .other = 0.1, .noise = 0.1};
    hyb_split_t s = begun("split=ratio");

    s.host_rate = 0.0;
    assert_constant(&s, &x, 1.0);
    s = begun("split=ratio");
    s.device_rate = 0.0;
    assert_constant(&s, &x, 0.0);
}

TEST(a_host_without_time_gets_nothing)
{
    executors_t x = executors(1e12);
    hyb_split_t s;

    x.other = 2.0 * x.flop / x.g;
    s = taught(&x, 1);
    for (int i = 0; i < 100; i++, steps(&s, &x, 1))
        assert_true(share_of(&s, &x) == 1.0);
    x.other = 0.0;
    steps(&s, &x, 6);
    assert_near(&s, &x, 0.2);
}

/* Standard deviation of the share over many steps with noise on times. */
static double deviation(executors_t x)
{
    enum { STEPS = 4000 };
    double sum = 0.0, squares = 0.0, share;
    hyb_split_t s;

    x.noise = 0.1;
    s = taught(&x, 20);
    for (int i = 0; i < STEPS; i++) {
        steps(&s, &x, 1);
        share = share_of(&s, &x);
        sum += share;
        squares += share * share;
    }
    sum /= STEPS;
    return sqrt(squares / STEPS - sum * sum);
}

TEST(a_tenth_of_noise_moves_the_share_by_less_than_a_20th)
{
    for (size_t i = 0; i < 2 * COUNT_OF(speeds); i++) {
        double speed = speeds[i / 2];
        executors_t x = i % 2 ? with_panel(speed) : executors(speed);
        double most = speed < 1e11 ? 0.05 : 0.05 * ideal(&x);

        assert_true(deviation(x) < most);
    }
}

TEST(a_fixed_share_is_constant)
{
    static const char *const settings[] = {"split=fixed:0", "split=fixed:0.25",
                                           "split=fixed:1"};
    static const double shares[] = {0.0, 0.25, 1.0};

    for (size_t i = 0; i < COUNT_OF(shares); i++) {
        executors_t x = with_panel(3e11);
        hyb_split_t s = begun(settings[i]);

        x.noise = 0.1;
        assert_constant(&s, &x, shares[i]);
        x.flop *= 100.0;
        assert_constant(&s, &x, shares[i]);
    }
}

/* An update that one executor does alone, as tiles are rounded. */
static void learn_alone(hyb_split_t *s, bool devices)
{
    double by_devices = devices ? 1.0 : 0.0, by_host = 1.0 - by_devices;

    hyb_split_learn(s, by_devices * work, by_devices, by_host * work, by_host,
                    0.1);
}

TEST(who_has_no_work_keeps_its_rate_and_is_probed)
{
    enum { TOTAL = 100 };
    int i;

    for (int devices = 0; devices < 2; devices++) {
        int64_t count = devices ? 0 : TOTAL, probed = devices ? 1 : TOTAL - 1;
        hyb_split_t s = begun("split=ratio");

        s.device_rate = s.host_rate = 1e12;
        for (i = 0; xdg_team_tiles_refresh(&s, count, TOTAL) == count; i++)
            learn_alone(&s, devices);
        assert_in_range(i, 2, 20);
        assert_int_equal(xdg_team_tiles_refresh(&s, count, TOTAL), probed);
        assert_int_equal(xdg_team_tiles_refresh(&s, TOTAL / 2, TOTAL),
                         TOTAL / 2);
        assert_int_equal(xdg_team_tiles_refresh(&s, TOTAL - count, TOTAL),
                         TOTAL - count);
        assert_true(s.device_rate == 1e12);
        assert_true(s.host_rate == 1e12);
        s.policy = HYB_SPLIT_STEAL;
        assert_no_probe(&s);
        s.policy = HYB_SPLIT_RATIO;
        learn_alone(&s, !devices);
        assert_no_probe(&s);
    }
}

TEST(nonsense_in_an_update_does_no_harm)
{
    static const double bad[] = {-1.0, 0.0, NAN, INFINITY, -INFINITY, 1e308};
    enum { BAD = COUNT_OF(bad) };
    executors_t x = executors(3e11);
    hyb_split_t s = begun("split=ratio");

    for (int i = 0; i < BAD * BAD * BAD; i++) {
        double a = bad[i % BAD], b = bad[i / BAD % BAD];

        hyb_split_learn(&s, a, b, bad[i / (BAD * BAD)], a, b);
        share_of(&s, &x);
    }
    assert_true(hyb_split_share(&s, NAN) >= 0.0);
    assert_true(hyb_split_share(&s, -1.0) >= 0.0);
    steps(&s, &x, 6);
    assert_near(&s, &x, 0.02);
}
