/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model.h"
#include "testing/unit/plan/model_rates.h"

#include "hpl/pfact/pivot.h"

/* ---- curves and widths --------------------------------------------------- */

/* More rows never take less than at the end: it was noise. */
TEST(a_curve_goes_on_beyond_its_points_as_it_does_on_the_whole)
{
    static const struct {
        hyb_model_curve_t curve;
        double rows, seconds;
    } of[] = {{{3, {10, 20, 40}, {1, 3, 4}}, 15, 2},
              {{3, {10, 20, 40}, {1, 3, 4}}, 20, 3},
              {{3, {10, 20, 40}, {1, 3, 4}}, 30, 3.5},
              {{3, {10, 20, 40}, {1, 3, 4}}, 80, 8},
              {{3, {10, 20, 40}, {1, 3, 4}}, 0, 0},
              {{2, {256, 1024}, {5, 4}}, 640, 4.5},
              {{2, {256, 1024}, {5, 4}}, 1024, 4},
              {{2, {256, 1024}, {5, 4}}, 100000, 4},
              {{0}, 7, 0}};

    for (size_t i = 0; i < COUNT_OF(of); i++)
        assert_near(hyb_model_curve_at(&of[i].curve, of[i].rows),
                    of[i].seconds);
}

TEST(an_unknown_width_has_the_nearest_ones_rates_by_work)
{
    hyb_model_rates_t rates = with_devices(3);
    hyb_model_width_t wide = hyb_model_of_width(&rates, 200);

    assert_int_equal(wide.nb, 200);
    assert_near(wide.update.seconds[0], 2e-7);
    assert_near(wide.devices.seconds[0], 6e-7);
    assert_near(wide.team.seconds[1], 2e-3);
    rates.widths = 2;
    rates.width[1] = wide;
    assert_near(hyb_model_of_width(&rates, 160).alone.seconds[0], 4e-4 * 0.64);
}

/* ---- unequal processes --------------------------------------------------- */

static double with_speeds(double first, double second, int n)
{
    const double speed[] = {first, second};
    hyb_model_rates_t rates = usual();

    rates.speed = speed;
    return seconds(rates, n, 1, 2);
}

TEST(columns_by_speed_reach_the_sum_of_speeds)
{
    double equal = seconds(usual(), 20000, 1, 2);

    assert_true(fabs(with_speeds(1, 3, 20000) / equal - 0.5) < 0.05);
    assert_true(fabs(with_speeds(2, 1, 20000) / equal - 2.0 / 3) < 0.05);
}

TEST(messages_are_as_fast_between_fast_processes)
{
    const double speed[] = {1e9, 1e9};
    hyb_model_rates_t rates = usual();

    rates.row = slow_link;
    rates.speed = speed;
    assert_true(seconds(rates, 5000, 1, 2) > 8e-8 * 100 * 5000);
}

/* ---- on cores ------------------------------------------------------------ */

/* Each curve of a width that is twice as wide. */
TEST(all_curves_grow_by_what_they_are_of)
{
    const hyb_model_curve_t one = {2, {1, 2}, {1, 1}};
    hyb_model_width_t width = {.nb = 100};

#define FILL(name, kind) width.name = one;
#define WORK 2
#define PANEL 4
#define MESSAGE 1
#define ASSERT_GROWN(name, kind) assert_near(width.name.seconds[1], kind);
    HYB_MODEL_CURVES(FILL)
    hyb_model_width_scale(&width, 2, 4);
    HYB_MODEL_CURVES(ASSERT_GROWN)
    assert_near(width.factor.seconds[0], 4);
    assert_near(width.subtract.seconds[0], 2);
    assert_near(width.pivot.seconds[0], 1);
}

/* Panels that take no time leave the work, and panels alone follow each other.
 */
TEST(without_overlap_parts_add_up)
{
    for (int depth = 0; depth < 3; depth++)
        assert_near(at_depth(depth, without_panels(usual()), 3000, 1, 1),
                    work_of(3000));
    assert_near(at_depth(0, usual(), 3000, 1, 1),
                work_of(3000) + panels_of(3000, halved));
    assert_near(seconds(rates_by(nothing, usual_panel, halved), 3000, 1, 1),
                panels_of(3000, halved));
}

TEST(overlap_hides_panels_while_updates_last_longer)
{
    /* A panel keeps one of a hundred threads busy. */
    hyb_model_rates_t rates = rates_by(usual_column, usual_panel, usual_panel);
    double work = work_of(4000), panels = panels_of(4000, usual_panel);

    rates.threads = 100;
    assert_true(seconds(rates, 4000, 1, 1) > work);
    assert_true(seconds(rates, 4000, 1, 1) < work + panels / 4);
    assert_near(at_depth(0, rates, 4000, 1, 1), work + panels);
}

TEST(narrow_runs_take_the_next_panels_columns_longer)
{
    hyb_model_rates_t narrow = usual();
    double longer = 0.0;

    narrow.width[0].narrow = curve_of(1.25);
    for (int rows = 100; rows < 3000; rows += 100)
        longer += 100 * 0.25e-9 * rows;
    assert_near(at_depth(0, narrow, 3000, 1, 1),
                at_depth(0, usual(), 3000, 1, 1) + longer);
    for (int depth = 1; depth < 3; depth++)
        assert_true(at_depth(depth, narrow, 3000, 1, 1) >
                    at_depth(depth, usual(), 3000, 1, 1));
}

TEST(processes_with_half_the_cores_work_half_as_fast)
{
    hyb_model_rates_t rates = usual();
    double whole = seconds(without_panels(rates), 5000, 2, 2);

    rates.process = 2.0;
    hyb_model_share_out(&rates, 0.5);
    assert_int_equal(rates.threads, 1);
    assert_near(rates.process, 1.0);
    rates.process = 0.0;
    assert_near(rates.width[0].team.seconds[1],
                rates.width[0].alone.seconds[1]);
    assert_near(seconds(without_panels(rates), 5000, 2, 2), 2 * whole);
    rates = usual();
    hyb_model_share_out(&rates, 2.0); /* panels are shared by all threads */
    assert_int_equal(rates.threads, 4);
    assert_near(rates.width[0].team.seconds[1],
                rates.width[0].alone.seconds[1] / 4);
}

TEST(no_test_on_cores_passes_the_ceiling_of_its_processes)
{
    hyb_model_rates_t rates = usual(), fast = with_devices(3);
    double n = 9000, flop = (2.0 / 3.0 * n + 1.5) * n * n;
    double all = seconds(rates, 9000, 2, 3);

    rates.process = flop / all / 6 * 1.1;
    assert_near(seconds(rates, 9000, 2, 3), all);
    rates.process = flop / all / 6 / 1.5;
    assert_near(seconds(rates, 9000, 2, 3), 1.5 * all);
    hyb_model_slow_down(&rates, 2.0);
    assert_near(seconds(rates, 9000, 2, 3), 3.0 * all);
    all = seconds(fast, 9000, 2, 3);
    fast.process = 1.0; /* devices have no ceiling */
    assert_near(seconds(fast, 9000, 2, 3), all);
}

TEST(back_substitution_reads_half_the_matrix)
{
    hyb_model_rates_t rates = rates_by(nothing, nothing, nothing);

    rates.sweep = 1e9;
    assert_near(seconds(rates, 2000, 1, 1), 8 * 2e3 * 2e3 / 2 / 1e9);
}

TEST(a_panel_wider_than_the_matrix_is_the_matrix)
{
    hyb_model_rates_t rates = usual();
    const hpl_shape_t wide = {80, 1000000, 1, 1, .depth = 2};
    const hpl_shape_t fitting = {80, 80, 1, 1, .depth = 2};

    assert_true(hyb_model_seconds(&rates, &wide, 1) ==
                hyb_model_seconds(&rates, &fitting, 1));
}

/* Then predicting does not take long either. */
TEST(many_panels_of_many_processes_are_taken_together)
{
    double few = seconds(usual(), 400000, 8, 8) / (work_of(400000) / 64);
    double many =
        seconds(usual(), 1000000, 100, 100) / (work_of(1000000) / 10000);

    assert_true(few > 1.0 && few < 1.05);
    assert_true(many > 1.0 && many < 1.3);
}

/* ---- messages ------------------------------------------------------------ */

/* Each column of a panel waits for as many rounds as reach all. */
TEST(pivots_are_agreed_on_in_rounds)
{
    static const int rounds[] = {0, 0, 1, 1, 1, 2};
    hyb_model_rates_t agreeing = usual();

    agreeing.width[0].pivot = (hyb_model_curve_t){2, {0, 1}, {1e-6, 1e-6}};
    for (int p = 1; p <= 5; p++) {
        assert_int_equal(hpl_pivot_rounds(p), rounds[p]);
        assert_near(at_depth(0, agreeing, 3000, p, 1),
                    at_depth(0, usual(), 3000, p, 1) + 3000e-6 * rounds[p]);
    }
    assert_int_equal(hpl_pivot_rounds(16), 2);
    assert_int_equal(hpl_pivot_rounds(17), 3);
    assert_int_equal(hyb_messages_rounds(8), 3);
}

/* Each process packs its part of the rows, and one alone packs none. */
TEST(rows_are_packed_where_there_are_others_in_the_column)
{
    hyb_model_rates_t packing = usual();
    double columns_of_all = 0.0;

    packing.width[0].pack = (hyb_model_curve_t){2, {0, 1}, {1e-6, 1e-6}};
    for (int k = 1; k <= 30; k++)
        columns_of_all += 3000 - 100 * k + 1;
    for (int p = 1; p <= 5; p++)
        assert_near(at_depth(0, packing, 3000, p, 1),
                    at_depth(0, usual(), 3000, p, 1) +
                        ((p > 1 ? (1.0 + 1.0 / p) / 2 : 0.0) + 0.5) *
                            columns_of_all * 1e-6);
}

TEST(a_ring_passes_a_message_on)
{
    static const hyb_model_link_t link = {.latency = 1.0, .bandwidth = 10.0};
    static const struct {
        int bcast, distance;
        double seconds;
    } of[] = {
        {0, 7, 7 * 5}, {1, 1, 5}, {4, 3, 3 + 7 + 80 * 7 / 8. / 10}, {5, 1, 5}};

    for (int bcast = 0; bcast < 6; bcast++)
        assert_true(hyb_messages_broadcast(&link, bcast, 8, 0, 40) == 0.0);
    for (size_t i = 0; i < COUNT_OF(of); i++)
        assert_near(
            hyb_messages_broadcast(&link, of[i].bcast, 8, of[i].distance, 40),
            of[i].seconds);
    assert_true(hyb_messages_broadcast(&link, 2, 8, 7, 40) <
                hyb_messages_broadcast(&link, 0, 8, 7, 40));
}

/* In a row of eight; BCAST 0 is a ring, 1 spares the next process. */
TEST(who_passes_a_panel_on_has_it_twice)
{
    static const int of[][3] = {/* BCAST, distance, times */
                                {0, 0, 1}, {0, 3, 2}, {0, 7, 1},
                                {1, 0, 2}, {1, 1, 1}, {5, 1, 1}};

    assert_int_equal(hyb_messages_copies(0, 1, 0), 0);
    for (size_t i = 0; i < COUNT_OF(of); i++)
        assert_int_equal(hyb_messages_copies(of[i][0], 8, of[i][1]), of[i][2]);
}
