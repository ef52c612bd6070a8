/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include "testing/model/plant.h"
#include "testing/unit/unit.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/tune/lookahead.h"

enum { BLOCKS = 100, LATEST = 2, PARTS = 4, SEEDS = 5 };

static const hyb_lookahead_t panel = HYB_LOOKAHEAD_PANEL;
static const hyb_lookahead_t pipeline = HYB_LOOKAHEAD_PIPELINE;

/* ---- what is asked for --------------------------------------------------- */

TEST(a_mode_is_fixed_or_mixed_by_setting_depth_and_devices)
{
    static const struct {
        const char *setting;
        int depth;
        bool devices;
        const char *fixed;
        hyb_lookahead_t mode;
    } cases[] = {
        {"auto", 0, true, "forced", HYB_LOOKAHEAD_NONE},
        {"auto", 1, true, "forced", HYB_LOOKAHEAD_PANEL},
        {"auto", 2, true, NULL, HYB_LOOKAHEAD_PANEL},
        {"auto", 1000, true, NULL, HYB_LOOKAHEAD_PANEL},
        {"auto", 0, false, "forced", HYB_LOOKAHEAD_NONE},
        {"auto", 1, false, "forced", HYB_LOOKAHEAD_PANEL},
        {"auto", 2, false, "no device has to wait", HYB_LOOKAHEAD_PIPELINE},
    };
    static const char *const words[] = {"0", "1", "2"};
    const plant_t m = plant_for_the_panel();

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        hyb_lookahead_chooser_t c = hyb_lookahead_begin(
            cases[i].setting, cases[i].depth, cases[i].devices, 2);

        assert_int_equal(c.mode, cases[i].mode);
        assert_int_equal(c.fixed == NULL, cases[i].fixed == NULL);
        if (c.fixed != NULL)
            assert_string_equal(c.fixed, cases[i].fixed);
    }
    for (int i = 0; i < 3 * 4 * 2; i++) {
        hyb_lookahead_chooser_t c =
            hyb_lookahead_begin(words[i % 3], i / 3 % 4, i / 12, 1);
        hyb_lookahead_iteration_t it = plant_at(&m, BLOCKS, 3);
        const char *reason = NULL;

        assert_int_equal(hyb_lookahead_choose(&c, &it, &reason), i % 3);
        assert_string_equal(reason, "forced");
        assert_null(hyb_lookahead_begin("mixed", i / 3 % 4, i / 12, 1).fixed);
    }
    /* where groups need no messages, mixed begins with the pipeline */
    assert_int_equal(hyb_lookahead_begin("mixed", 2, true, 1).mode, pipeline);
    assert_int_equal(hyb_lookahead_begin("mixed", 2, true, 2).mode, panel);
}

/* ---- factorizations ------------------------------------------------------ */

typedef struct { /* how one is to go */
    const char *setting;
    bool begins_with_pipeline; /* as mixed: its first iterations */
    double noise;   /* standard deviation of all speeds, in each iteration */
    uint64_t seed;  /* of the noise */
    int late;       /* iterations by which learning lags behind, <= LATEST */
    double warm_up; /* factor on the first total; 0: none */
    const plant_t *after_half; /* what the machine turns into, or NULL */
} course_t;

typedef struct { /* how it went */
    double seconds;
    int probes, switches;               /* changes of mode beside probes */
    hyb_lookahead_t last;               /* mode that was no probe */
    double part[PARTS][HYB_LOOKAHEADS]; /* seconds in each mode */
} outcome_t;

static hyb_lookahead_chooser_t ignorant(void)
{
    return hyb_lookahead_begin("mixed", 0, true, 2);
}

static bool is_probe(const char *reason)
{
    return strcmp(reason, "probe") == 0;
}

static void count(outcome_t *outcome, const hyb_lookahead_iteration_t *it,
                  const char *reason)
{
    assert_non_null(reason);
    if (is_probe(reason)) {
        outcome->probes++;
        return;
    }
    outcome->switches += it->index > 0 && it->mode != outcome->last;
    outcome->last = it->mode;
}

/* Was the run in mode nearly all the time of this part of the run? */
static bool mostly_in(const outcome_t *outcome, int part, hyb_lookahead_t mode)
{
    const double *in = outcome->part[part];

    return in[mode] >= 0.8 * (in[panel] + in[pipeline]);
}

/* One iteration, in its mode, on what the machine is in it. */
static void run(const plant_t *m, const course_t *c, uint64_t *noise,
                hyb_lookahead_iteration_t *it)
{
    bool changed = c->after_half != NULL && it->index > it->count / 2;
    plant_t now = changed ? *c->after_half : *m;

    now = plant_disturbed(&now, c->noise, noise);
    plant_run(&now, now.threads / 2, it);
    if (it->index == 0 && c->warm_up > 0.0)
        it->took.total *= c->warm_up;
}

/* The time of the first iteration is left out: some warm up in it. */
static outcome_t factor(const plant_t *m, const course_t *c)
{
    hyb_lookahead_iteration_t it[BLOCKS];
    uint64_t noise = 88172645463325252u + c->seed;
    outcome_t outcome = {0};
    hyb_lookahead_chooser_t chooser = hyb_lookahead_begin(
        c->setting, 0, true, c->begins_with_pipeline ? 1 : 2);

    for (int k = 0; k < BLOCKS - 1; k++) {
        const char *reason = NULL;

        it[k] = plant_at(m, BLOCKS, k);
        it[k].mode = hyb_lookahead_choose(&chooser, &it[k], &reason);
        count(&outcome, &it[k], reason);
        run(m, c, &noise, &it[k]);
        outcome.seconds += k > 0 ? it[k].took.total : 0.0;
        outcome.part[k * PARTS / BLOCKS][it[k].mode] += it[k].took.total;
        if (k >= c->late)
            hyb_lookahead_learn(&chooser, &it[k - c->late]);
    }
    return outcome;
}

static double seconds_with(const char *setting, const plant_t *m, course_t c)
{
    c.setting = setting;
    return factor(m, &c).seconds;
}

/* What mixed takes, relative to the better one of both modes. */
static double mixed_to_best(const plant_t *m, course_t c)
{
    return seconds_with("mixed", m, c) /
           fmin(seconds_with("1", m, c), seconds_with("2", m, c));
}

static double pipeline_to_panel(const plant_t *m)
{
    return seconds_with("2", m, (course_t){0}) /
           seconds_with("1", m, (course_t){0});
}

/* ---- mixed --------------------------------------------------------------- */

/* On every machine, of the better one of both modes; the other one is tried now
 * and then. */
static void assert_within(double most, course_t c, int probes)
{
    for (int i = 0; i < PLANTS; i++) {
        plant_t m = plant_number(i);
        outcome_t outcome;

        if (mixed_to_best(&m, c) > most)
            fail_msg("machine %d: %.4f", i, mixed_to_best(&m, c));
        c.setting = "mixed";
        outcome = factor(&m, &c);
        assert_in_range(outcome.probes, probes, BLOCKS / 3);
    }
}

/* Also as on one row of processes; with times that come late; and where a slow
 * first iteration is no evidence. */
TEST(mixed_is_within_a_hundredth_of_the_better_mode)
{
    assert_within(1.01, (course_t){0}, 2);
    assert_within(1.01, (course_t){.begins_with_pipeline = true}, 1);
    assert_within(1.015, (course_t){.late = LATEST}, 1);
    assert_within(1.015, (course_t){.warm_up = 3.0}, 1);
}

/* Most of the beginning of a mixed run of m, which turns into after, is in mode
 * first, and most of part is in mode last. */
TEST(mixed_is_in_the_mode_that_wins_and_follows_a_machine_that_changes)
{
    plant_t for_pipeline = plant_for_the_pipeline(), dear = for_pipeline;
    plant_t for_panel = plant_for_the_panel(), for_both = plant_for_both();
    const struct {
        const plant_t *m, *after;
        hyb_lookahead_t first;
        int part;
        hyb_lookahead_t last;
        double most; /* time, relative to the better mode's */
    } of[] = {
        {&for_pipeline, NULL, pipeline, PARTS / 2, pipeline, 1.01},
        {&for_panel, NULL, panel, PARTS - 1, panel, 1.01},
        {&for_both, NULL, pipeline, PARTS - 1, panel, 0.99},
        /* messages of groups become dear; swaps become slow */
        {&for_pipeline, &dear, pipeline, PARTS - 1, panel, 1.0},
        {&for_panel, &for_pipeline, panel, PARTS / 2, pipeline, 1.0},
    };

    dear.group_overhead = 1e-2;
    assert_true(pipeline_to_panel(&for_pipeline) < 0.97);
    assert_true(pipeline_to_panel(&for_panel) > 1.03);
    for (size_t i = 0; i < COUNT_OF(of); i++) {
        course_t c = {.setting = "mixed", .after_half = of[i].after};
        outcome_t outcome = factor(of[i].m, &c);

        assert_true(mostly_in(&outcome, 0, of[i].first));
        assert_true(mostly_in(&outcome, of[i].part, of[i].last));
        assert_true(mixed_to_best(of[i].m, c) <= of[i].most);
    }
}

/* A tenth, on all speeds. */
TEST(noise_costs_a_hundredth_at_most_and_does_not_make_it_flap)
{
    double sum = 0.0, worst = 0.0, one;
    int switches = 0;

    for (int i = 0; i < PLANTS * SEEDS; i++) {
        plant_t m = plant_number(i / SEEDS);
        course_t c = {
            .setting = "mixed", .noise = 0.1, .seed = (uint64_t)(i % SEEDS)};
        outcome_t outcome = factor(&m, &c);

        assert_in_range(outcome.switches, 0, BLOCKS / 10);
        assert_in_range(outcome.probes, 0, BLOCKS / 3);
        switches += outcome.switches;
        one = mixed_to_best(&m, c);
        sum += one;
        worst = fmax(worst, one);
    }
    assert_in_range(switches, 0, 3 * PLANTS * SEEDS);
    assert_true(sum / (PLANTS * SEEDS) <= 1.01);
    assert_true(worst <= 1.06);
}

/* ---- choosing and learning ----------------------------------------------- */

/* Choose iteration k of m: is it mode, for this reason? */
static void assert_chosen(const hyb_lookahead_chooser_t *chooser,
                          const plant_t *m, int k, hyb_lookahead_t mode,
                          const char *expected)
{
    hyb_lookahead_iteration_t it = plant_at(m, BLOCKS, k);
    const char *reason = NULL;

    assert_int_equal(hyb_lookahead_choose(chooser, &it, &reason), mode);
    assert_string_equal(reason, expected);
}

/* Learns the first count iterations of m, in the modes that it chooses. */
static hyb_lookahead_chooser_t taught(const plant_t *m, int count)
{
    hyb_lookahead_chooser_t chooser = ignorant();
    course_t c = {0};
    uint64_t noise = 1;

    for (int k = 0; k < count; k++) {
        hyb_lookahead_iteration_t it = plant_at(m, BLOCKS, k);
        const char *reason = NULL;

        it.mode = hyb_lookahead_choose(&chooser, &it, &reason);
        run(m, &c, &noise, &it);
        hyb_lookahead_learn(&chooser, &it);
    }
    return chooser;
}

TEST(the_reason_names_what_decides)
{
    plant_t m = plant_for_the_panel(), other = plant_for_the_pipeline();
    hyb_lookahead_chooser_t chooser = taught(&m, BLOCKS / 2);

    assert_chosen(&chooser, &m, 10, panel, "groups cost more than they hide");
    assert_chosen(&chooser, &m, BLOCKS - 4, panel, "panel is critical");
    chooser = taught(&other, 20);
    assert_chosen(&chooser, &other, 20, pipeline,
                  "swap and solve hide under the update");
}

TEST(nonsense_in_times_does_no_harm)
{
    static const double bad[] = {-1.0, 0.0, NAN, INFINITY, -INFINITY, 1e308};
    enum { BAD = COUNT_OF(bad) };
    plant_t m = plant_for_the_pipeline();
    hyb_lookahead_chooser_t chooser = taught(&m, 20);
    hyb_lookahead_iteration_t it = plant_at(&m, BLOCKS, 20);

    it.mode = panel;
    for (int i = 0; i < BAD * BAD * BAD; i++) {
        double a = bad[i % BAD], b = bad[i / BAD % BAD];
        double c = bad[i / (BAD * BAD)];

        it.took.total = bad[i % (BAD - 1)]; /* a time of 1e308 s is a time */
        it.took.panel = it.took.exchange = b;
        it.took.panel_share = it.took.update = c;
        it.took.broadcast = it.took.host_update = a;
        hyb_lookahead_learn(&chooser, &it);
    }
    assert_chosen(&chooser, &m, 20, pipeline,
                  "swap and solve hide under the update");
}

TEST(an_empty_trailing_matrix_does_no_harm)
{
    plant_t m = plant_for_the_pipeline();
    hyb_lookahead_chooser_t chooser = taught(&m, 20);
    hyb_lookahead_iteration_t empty = plant_at(&m, BLOCKS, BLOCKS - 1);
    const char *reason = NULL;

    assert_int_equal(empty.cols, 0);
    hyb_lookahead_choose(&chooser, &empty, &reason);
    assert_non_null(reason);
    empty.mode = panel;
    empty.took.total = 1e-6;
    hyb_lookahead_learn(&chooser, &empty);
    assert_chosen(&chooser, &m, 20, pipeline,
                  "swap and solve hide under the update");
}

/* Learn what iteration k took, in percent of a second for 10^10 elements. */
static void learn_percent(hyb_lookahead_chooser_t *chooser, int k,
                          hyb_lookahead_iteration_t percent)
{
    hyb_lookahead_iteration_t it = plant_at(&(plant_t){.nb = 256}, BLOCKS, k);
    double second = (double)it.rows * (double)it.cols * 1e-10;

    it.mode = percent.mode;
    it.took.total = percent.took.total * second;
    it.took.panel = percent.took.panel * second;
    it.took.exchange = percent.took.exchange * second;
    it.took.update = percent.took.update * second;
    it.took.host_update = percent.took.host_update * second;
    hyb_lookahead_learn(chooser, &it);
}

static hyb_lookahead_t chosen(const hyb_lookahead_chooser_t *chooser, int k)
{
    hyb_lookahead_iteration_t it = plant_at(&(plant_t){.nb = 256}, BLOCKS, k);
    const char *reason = NULL;

    return hyb_lookahead_choose(chooser, &it, &reason);
}

/* Panels and updates that exchanges disturb do not make the other mode slow. */
TEST(a_mode_that_slows_all_down_is_left)
{
    static const hyb_lookahead_iteration_t apart = {
        .mode = HYB_LOOKAHEAD_PANEL,
        .took = {.total = 60, .panel = 15, .exchange = 10, .update = 20}};
    static const hyb_lookahead_iteration_t at_once = {
        .mode = HYB_LOOKAHEAD_PIPELINE,
        .took = {.total = 90, .panel = 40, .exchange = 10, .update = 50}};
    hyb_lookahead_chooser_t chooser = ignorant();

    for (int k = 0; k < 12; k++)
        learn_percent(&chooser, k, k < 3 ? apart : at_once);
    assert_int_equal(chosen(&chooser, 12), panel);
}

/* Once the devices get all columns, exchanges take nothing from the update. */
TEST(a_team_without_columns_slows_no_update)
{
    hyb_lookahead_iteration_t it = {
        .took = {.panel = 15, .exchange = 20, .update = 50}};
    hyb_lookahead_chooser_t chooser = ignorant();

    for (int k = 0; k < 8; k++) {
        bool shared = k < 2, at_once = k == 1 || k == 4;

        it.mode = at_once ? pipeline : panel;
        it.took.total = shared ? 75 : at_once ? 51 : 70;
        it.took.host_update = shared ? 50 : 0;
        learn_percent(&chooser, k, it);
    }
    assert_int_equal(chosen(&chooser, 8), pipeline);
}
