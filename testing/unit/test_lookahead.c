/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/lookahead.h"

#include <math.h>
#include "testing/unit/lookahead_machines.h"
#include "testing/unit/unit.h"

TEST(depth_asks_for_none_for_the_panel_or_for_mixed)
{
    assert_int_equal(hyb_lookahead_request("auto", 0), HYB_ALWAYS_NONE);
    assert_int_equal(hyb_lookahead_request("auto", 1), HYB_ALWAYS_PANEL);
    assert_int_equal(hyb_lookahead_request("auto", 2), HYB_MIXED);
    assert_int_equal(hyb_lookahead_request("auto", 1000), HYB_MIXED);
}

TEST(the_setting_overrules_depth)
{
    for (int depth = 0; depth < 4; depth++) {
        assert_int_equal(hyb_lookahead_request("0", depth), HYB_ALWAYS_NONE);
        assert_int_equal(hyb_lookahead_request("1", depth), HYB_ALWAYS_PANEL);
        assert_int_equal(hyb_lookahead_request("2", depth),
                         HYB_ALWAYS_PIPELINE);
        assert_int_equal(hyb_lookahead_request("mixed", depth), HYB_MIXED);
    }
}

TEST(a_forced_mode_never_changes)
{
    static const hyb_lookahead_t modes[] = {
        HYB_LOOKAHEAD_NONE, HYB_LOOKAHEAD_PANEL, HYB_LOOKAHEAD_PIPELINE};
    machine_t machines[] = {machine_for_the_pipeline(),
                            machine_for_the_panel()};

    for (int request = HYB_ALWAYS_NONE; request <= HYB_ALWAYS_PIPELINE;
         request++)
        for (int i = 0; i < 2; i++) {
            course_t c = {.request = (hyb_lookahead_request_t)request,
                          .noise = 0.1};
            outcome_t outcome = factor(&machines[i], &c);

            assert_int_equal(outcome.last, modes[request]);
            assert_int_equal(outcome.switches, 0);
            assert_int_equal(outcome.probes, 0);
        }
}

TEST(a_forced_mode_says_so)
{
    hyb_lookahead_facts_t facts = plant_facts(BLOCKS, 256, 3);
    hyb_lookahead_chooser_t chooser;
    const char *reason = NULL;

    hyb_lookahead_init(&chooser, HYB_ALWAYS_PIPELINE, HYB_LOOKAHEAD_PANEL);
    hyb_lookahead_choose(&chooser, &facts, &reason);
    assert_string_equal(reason, "forced");
}

TEST(without_devices_it_is_the_pipeline)
{
    hyb_lookahead_facts_t facts = plant_facts(BLOCKS, 256, 3);
    hyb_lookahead_chooser_t chooser;
    const char *reason = NULL;

    hyb_lookahead_init(&chooser, HYB_PIPELINE_ON_CORES, HYB_LOOKAHEAD_PANEL);
    assert_int_equal(hyb_lookahead_choose(&chooser, &facts, &reason),
                     HYB_LOOKAHEAD_PIPELINE);
    assert_string_equal(reason, "no device has to wait");
}

/* On every machine, of the better one of both modes. */
static void mixed_is_within(double most, course_t c)
{
    for (int i = 0; i < MACHINES; i++) {
        machine_t m = machine(i);

        if (mixed_to_best(&m, c) > most)
            fail_msg("machine %d: %.4f", i, mixed_to_best(&m, c));
    }
}

TEST(mixed_is_within_a_hundredth_of_the_better_mode)
{
    mixed_is_within(1.01, (course_t){0});
}

/* As on one row of processes, where chunks need no messages. */
TEST(mixed_is_as_good_when_it_begins_with_the_pipeline)
{
    mixed_is_within(1.01, (course_t){.begins_with_pipeline = true});
}

TEST(mixed_stays_with_the_pipeline_where_that_wins)
{
    machine_t m = machine_for_the_pipeline();
    course_t c = {.request = HYB_MIXED};
    outcome_t outcome = factor(&m, &c);

    assert_true(pipeline_to_panel(&m) < 0.97);
    assert_true(mixed_to_best(&m, c) <= 1.01);
    assert_true(mostly_in(&outcome, 0, HYB_LOOKAHEAD_PIPELINE));
    assert_true(mostly_in(&outcome, PARTS / 2, HYB_LOOKAHEAD_PIPELINE));
}

TEST(mixed_stays_with_the_panel_where_that_wins)
{
    machine_t m = machine_for_the_panel();
    course_t c = {.request = HYB_MIXED};
    outcome_t outcome = factor(&m, &c);

    assert_true(pipeline_to_panel(&m) > 1.03);
    assert_true(mixed_to_best(&m, c) <= 1.01);
    assert_true(mostly_in(&outcome, 0, HYB_LOOKAHEAD_PANEL));
    assert_true(mostly_in(&outcome, PARTS - 1, HYB_LOOKAHEAD_PANEL));
}

TEST(mixed_beats_both_modes_where_each_has_its_time)
{
    machine_t m = machine_for_both();
    course_t c = {.request = HYB_MIXED};
    outcome_t outcome = factor(&m, &c);

    assert_true(mixed_to_best(&m, c) < 0.99);
    assert_true(mostly_in(&outcome, 0, HYB_LOOKAHEAD_PIPELINE));
    assert_true(mostly_in(&outcome, PARTS - 1, HYB_LOOKAHEAD_PANEL));
}

TEST(times_that_come_late_do_as_well)
{
    mixed_is_within(1.015, (course_t){.late = LATEST});
}

TEST(a_slow_first_iteration_is_no_evidence)
{
    mixed_is_within(1.015, (course_t){.warm_up = 3.0});
}

/* Chunks become dear, as messages do on a network that others use too. */
TEST(a_machine_that_changes_is_followed)
{
    machine_t before = machine_for_the_pipeline();
    plant_t after = before.plant;
    course_t c = {.request = HYB_MIXED, .after_half = &after};
    outcome_t outcome;

    after.chunk_overhead = 1e-2;
    outcome = factor(&before, &c);
    assert_true(mostly_in(&outcome, 0, HYB_LOOKAHEAD_PIPELINE));
    assert_true(mostly_in(&outcome, PARTS - 1, HYB_LOOKAHEAD_PANEL));
    assert_true(mixed_to_best(&before, c) < 1.0);
}

TEST(slow_swaps_that_appear_are_hidden)
{
    machine_t before = machine_for_the_panel();
    plant_t after = machine_for_the_pipeline().plant;
    course_t c = {.request = HYB_MIXED, .after_half = &after};
    outcome_t outcome = factor(&before, &c);

    assert_true(mostly_in(&outcome, 0, HYB_LOOKAHEAD_PANEL));
    assert_true(mostly_in(&outcome, PARTS / 2, HYB_LOOKAHEAD_PIPELINE));
    assert_true(mixed_to_best(&before, c) < 1.0);
}

TEST(now_and_then_the_other_mode_is_tried)
{
    course_t c = {.request = HYB_MIXED};

    for (int i = 0; i < MACHINES; i++) {
        machine_t m = machine(i);

        assert_in_range(factor(&m, &c).probes, 2, BLOCKS / 3);
    }
}

TEST(processes_that_learn_the_same_choose_the_same)
{
    machine_t m = machine_for_both();
    course_t c = {.request = HYB_MIXED, .noise = 0.1};
    hyb_lookahead_chooser_t a, b;
    uint64_t noise = 1;

    memset(&a, 0x5a, sizeof(a));
    memset(&b, 0xa5, sizeof(b));
    hyb_lookahead_init(&a, HYB_MIXED, HYB_LOOKAHEAD_PANEL);
    hyb_lookahead_init(&b, HYB_MIXED, HYB_LOOKAHEAD_PANEL);
    for (int k = 0; k < BLOCKS - 1; k++) {
        hyb_lookahead_facts_t facts = plant_facts(BLOCKS, m.nb, k);
        const char *of_a = NULL, *of_b = NULL;
        hyb_lookahead_t mode = hyb_lookahead_choose(&a, &facts, &of_a);
        hyb_lookahead_times_t times;

        assert_int_equal(mode, hyb_lookahead_choose(&b, &facts, &of_b));
        assert_string_equal(of_a, of_b);
        times = times_of(&m, &c, &facts, mode, &noise);
        hyb_lookahead_learn(&a, &facts, mode, &times);
        hyb_lookahead_learn(&b, &facts, mode, &times);
    }
}

TEST(to_choose_changes_nothing)
{
    machine_t m = machine_for_both();
    hyb_lookahead_facts_t facts = plant_facts(BLOCKS, m.nb, 0);
    course_t c = {0};
    hyb_lookahead_chooser_t chooser;
    hyb_lookahead_times_t times;
    const char *reason = NULL, *again = NULL;
    uint64_t noise = 1;

    hyb_lookahead_init(&chooser, HYB_MIXED, HYB_LOOKAHEAD_PANEL);
    times = times_of(&m, &c, &facts, HYB_LOOKAHEAD_PANEL, &noise);
    hyb_lookahead_learn(&chooser, &facts, HYB_LOOKAHEAD_PANEL, &times);
    facts = plant_facts(BLOCKS, m.nb, 1);
    assert_int_equal(hyb_lookahead_choose(&chooser, &facts, &reason),
                     HYB_LOOKAHEAD_PIPELINE);
    assert_true(is_probe(reason));
    assert_int_equal(hyb_lookahead_choose(&chooser, &facts, &again),
                     HYB_LOOKAHEAD_PIPELINE);
    assert_true(is_probe(again));
}

/* With noise of a tenth on all speeds: switches of all machines and seeds. */
TEST(a_tenth_of_noise_does_not_make_it_flap)
{
    enum { SEEDS = 5 };
    int switches = 0;

    for (int i = 0; i < MACHINES * SEEDS; i++) {
        machine_t m = machine(i / SEEDS);
        course_t c = {
            .request = HYB_MIXED, .noise = 0.1, .seed = (uint64_t)(i % SEEDS)};
        outcome_t outcome = factor(&m, &c);

        assert_in_range(outcome.switches, 0, BLOCKS / 10);
        assert_in_range(outcome.probes, 0, BLOCKS / 3);
        switches += outcome.switches;
    }
    assert_in_range(switches, 0, 3 * MACHINES * SEEDS);
}

TEST(a_tenth_of_noise_costs_a_hundredth_at_most)
{
    enum { SEEDS = 5 };
    double sum = 0.0, worst = 0.0, one;

    for (int i = 0; i < MACHINES * SEEDS; i++) {
        machine_t m = machine(i / SEEDS);
        course_t c = {.noise = 0.1, .seed = (uint64_t)(i % SEEDS)};

        one = mixed_to_best(&m, c);
        sum += one;
        worst = fmax(worst, one);
    }
    assert_true(sum / (MACHINES * SEEDS) <= 1.01);
    assert_true(worst <= 1.06);
}

TEST(the_reason_names_what_decides)
{
    machine_t m = machine_for_the_panel();
    hyb_lookahead_chooser_t chooser;
    hyb_lookahead_facts_t facts;
    const char *reason = NULL;
    uint64_t noise = 1;
    course_t c = {0};

    hyb_lookahead_init(&chooser, HYB_MIXED, HYB_LOOKAHEAD_PANEL);
    for (int k = 0; k < BLOCKS / 2; k++) {
        hyb_lookahead_times_t times;
        hyb_lookahead_t mode;

        facts = plant_facts(BLOCKS, m.nb, k);
        mode = hyb_lookahead_choose(&chooser, &facts, &reason);
        times = times_of(&m, &c, &facts, mode, &noise);
        hyb_lookahead_learn(&chooser, &facts, mode, &times);
    }
    facts = plant_facts(BLOCKS, m.nb, 10);
    hyb_lookahead_choose(&chooser, &facts, &reason);
    assert_string_equal(reason, "chunks cost more than they hide");
    facts = plant_facts(BLOCKS, m.nb, BLOCKS - 4);
    hyb_lookahead_choose(&chooser, &facts, &reason);
    assert_string_equal(reason, "panel is critical");
}

/* Learn k iterations of a machine for the pipeline from the first one on. */
static hyb_lookahead_chooser_t taught(const machine_t *m, int k)
{
    hyb_lookahead_chooser_t chooser;
    course_t c = {0};
    uint64_t noise = 1;

    hyb_lookahead_init(&chooser, HYB_MIXED, HYB_LOOKAHEAD_PANEL);
    for (int i = 0; i < k; i++) {
        hyb_lookahead_facts_t facts = plant_facts(BLOCKS, m->nb, i);
        hyb_lookahead_t mode =
            i % 2 == 0 ? HYB_LOOKAHEAD_PANEL : HYB_LOOKAHEAD_PIPELINE;
        hyb_lookahead_times_t times = times_of(m, &c, &facts, mode, &noise);

        hyb_lookahead_learn(&chooser, &facts, mode, &times);
    }
    return chooser;
}

TEST(nonsense_in_times_does_no_harm)
{
    static const double bad[] = {-1.0, 0.0, NAN, INFINITY, -INFINITY, 1e308};
    enum { BAD = COUNT_OF(bad) };
    machine_t m = machine_for_the_pipeline();
    hyb_lookahead_chooser_t chooser = taught(&m, 20);
    hyb_lookahead_facts_t facts = plant_facts(BLOCKS, m.nb, 20);
    const char *reason = NULL;

    for (int i = 0; i < BAD * BAD * BAD; i++) {
        hyb_lookahead_times_t times = {
            .total = bad[i % (BAD - 1)], /* a time of 1e308 s is a time */
            .panel = bad[i / BAD % BAD],
            .panel_share = bad[i / (BAD * BAD)],
            .broadcast = bad[i % BAD],
            .exchange = bad[i / BAD % BAD],
            .update = bad[i / (BAD * BAD)],
            .host_update = bad[i % BAD],
        };

        hyb_lookahead_learn(&chooser, &facts, HYB_LOOKAHEAD_PANEL, &times);
    }
    assert_int_equal(hyb_lookahead_choose(&chooser, &facts, &reason),
                     HYB_LOOKAHEAD_PIPELINE);
    assert_string_equal(reason, "swap and solve hide under the update");
}

/* Learn what an iteration took, in percent of a second for 10^10 elements. */
static void learn_percent(hyb_lookahead_chooser_t *chooser, int k,
                          hyb_lookahead_t mode, hyb_lookahead_times_t percent)
{
    hyb_lookahead_facts_t facts = plant_facts(BLOCKS, 256, k);
    double second = (double)facts.rows * (double)facts.cols * 1e-10;

    percent.total *= second;
    percent.panel *= second;
    percent.exchange *= second;
    percent.update *= second;
    percent.host_update *= second;
    hyb_lookahead_learn(chooser, &facts, mode, &percent);
}

static hyb_lookahead_t chosen(const hyb_lookahead_chooser_t *chooser, int k)
{
    hyb_lookahead_facts_t facts = plant_facts(BLOCKS, 256, k);
    const char *reason = NULL;

    return hyb_lookahead_choose(chooser, &facts, &reason);
}

/* Panels and updates that exchanges disturb do not make the other mode slow. */
TEST(a_mode_that_slows_all_down_is_left)
{
    static const hyb_lookahead_times_t apart = {
        .total = 60, .panel = 15, .exchange = 10, .update = 20};
    static const hyb_lookahead_times_t at_once = {
        .total = 90, .panel = 40, .exchange = 10, .update = 50};
    hyb_lookahead_chooser_t chooser;
    int k;

    hyb_lookahead_init(&chooser, HYB_MIXED, HYB_LOOKAHEAD_PANEL);
    for (k = 0; k < 3; k++)
        learn_percent(&chooser, k, HYB_LOOKAHEAD_PANEL, apart);
    for (; k < 12; k++)
        learn_percent(&chooser, k, HYB_LOOKAHEAD_PIPELINE, at_once);
    assert_int_equal(chosen(&chooser, k), HYB_LOOKAHEAD_PANEL);
}

/* Once the devices get all columns, exchanges take nothing from the update. */
TEST(a_team_without_columns_slows_no_update)
{
    static const hyb_lookahead_times_t shared = {.total = 75,
                                                 .panel = 15,
                                                 .exchange = 20,
                                                 .update = 50,
                                                 .host_update = 50};
    static const hyb_lookahead_times_t apart = {
        .total = 70, .panel = 15, .exchange = 20, .update = 50};
    static const hyb_lookahead_times_t at_once = {
        .total = 51, .panel = 15, .exchange = 20, .update = 50};
    hyb_lookahead_chooser_t chooser;
    int k;

    hyb_lookahead_init(&chooser, HYB_MIXED, HYB_LOOKAHEAD_PANEL);
    learn_percent(&chooser, 0, HYB_LOOKAHEAD_PANEL, shared);
    learn_percent(&chooser, 1, HYB_LOOKAHEAD_PIPELINE, shared);
    for (k = 2; k < 8; k++)
        learn_percent(&chooser, k,
                      k % 4 ? HYB_LOOKAHEAD_PANEL : HYB_LOOKAHEAD_PIPELINE,
                      k % 4 ? apart : at_once);
    assert_int_equal(chosen(&chooser, k), HYB_LOOKAHEAD_PIPELINE);
}

TEST(an_empty_trailing_matrix_does_no_harm)
{
    machine_t m = machine_for_the_pipeline();
    hyb_lookahead_chooser_t chooser = taught(&m, 20);
    hyb_lookahead_facts_t empty = plant_facts(BLOCKS, m.nb, BLOCKS - 1);
    hyb_lookahead_facts_t facts = plant_facts(BLOCKS, m.nb, 20);
    hyb_lookahead_times_t times = {.total = 1e-6};
    const char *reason = NULL;

    assert_int_equal(empty.cols, 0);
    hyb_lookahead_choose(&chooser, &empty, &reason);
    assert_non_null(reason);
    hyb_lookahead_learn(&chooser, &empty, HYB_LOOKAHEAD_PANEL, &times);
    assert_int_equal(hyb_lookahead_choose(&chooser, &facts, &reason),
                     HYB_LOOKAHEAD_PIPELINE);
}

TEST_MAIN()
