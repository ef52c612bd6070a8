/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model.h"
#include "testing/unit/unit.h"

#include <math.h>
#include "hpl/pfact/pivot.h"

/* Processes of two threads: a column takes 1 ns a row, a panel 1 us. */
static const hyb_model_curve_t nothing;
static const hyb_model_curve_t columns = {2, {100, 1000}, {1e-7, 1e-6}};
static const hyb_model_curve_t alone = {2, {100, 1000}, {1e-4, 1e-3}};
static const hyb_model_curve_t halved = {2, {100, 1000}, {0.5e-4, 0.5e-3}};

static const hyb_model_link_t slow_link = {.latency = 1e-5, .bandwidth = 1e8};

static hyb_model_rates_t rates_of(hyb_model_curve_t update,
                                  hyb_model_curve_t one, hyb_model_curve_t all)
{
    return (hyb_model_rates_t){
        .threads = 2,
        .widths = 1,
        .width[0] = {.nb = 100, .update = update, .alone = one, .team = all}};
}

static hyb_model_rates_t usual(void)
{
    return rates_of(columns, alone, halved);
}

static hyb_model_rates_t without_panels(hyb_model_rates_t rates)
{
    rates.width[0].alone = rates.width[0].team = nothing;
    return rates;
}

/* Columns that take so many ns a row. */
static hyb_model_curve_t columns_of(double ns)
{
    return (hyb_model_curve_t){2, {100, 1000}, {ns * 1e-7, ns * 1e-6}};
}

/*
 * The usual with devices that take so many ns a row for a column, of which the
 * threads take 0.2 ns to prepare it, and 0.8 to update it.
 */
static hyb_model_rates_t with_devices(double ns)
{
    hyb_model_rates_t rates = usual();

    rates.width[0].prepare = columns_of(0.2);
    rates.width[0].devices = columns_of(ns);
    rates.width[0].tile = 200;
    return rates;
}

static double at_depth(int depth, hyb_model_rates_t rates, int n, int p, int q)
{
    const hpl_shape_t test = {
        .n = n, .nb = 100, .nprow = p, .npcol = q, .depth = depth};

    return hyb_model_seconds(&rates, &test, 1);
}

static double seconds(hyb_model_rates_t rates, int n, int p, int q)
{
    return at_depth(2, rates, n, p, q);
}

/* Work of all iterations on columns, b's included. */
static double work_of(int n)
{
    double sum = 0.0;

    for (int m = n - 100; m > 0; m -= 100)
        sum += (m + 1.0) * m * 1e-9;
    return sum;
}

static double panels_of(int n, hyb_model_curve_t curve)
{
    double sum = 0.0;

    for (int rows = 100; rows <= n; rows += 100)
        sum += hyb_model_curve_at(&curve, rows);
    return sum;
}

static void assert_near(double value, double wanted)
{
    assert_true(fabs(value - wanted) <= 1e-9 * fabs(wanted));
}

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

/* ---- unequal processes ----------------------------------------------------
 */

static double with_speeds(double first, double second, int n)
{
    const double speed[] = {first, second};
    hyb_model_rates_t rates = usual();

    rates.speed = speed;
    return seconds(rates, n, 1, 2);
}

TEST(equal_speeds_are_a_speed)
{
    assert_near(with_speeds(1, 1, 5000), seconds(usual(), 5000, 1, 2));
    assert_near(with_speeds(2, 2, 5000), seconds(usual(), 5000, 1, 2) / 2);
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

TEST(nothing_takes_no_time)
{
    assert_true(seconds(usual(), 0, 1, 1) == 0.0);
    assert_true(seconds(rates_of(nothing, nothing, nothing), 5000, 2, 2) ==
                0.0);
}

TEST(panels_that_take_no_time_leave_the_work)
{
    for (int depth = 0; depth < 3; depth++)
        assert_near(at_depth(depth, without_panels(usual()), 3000, 1, 1),
                    work_of(3000));
}

TEST(without_overlap_parts_add_up)
{
    assert_near(at_depth(0, usual(), 3000, 1, 1),
                work_of(3000) + panels_of(3000, halved));
}

TEST(panels_alone_follow_each_other)
{
    assert_near(seconds(rates_of(nothing, alone, halved), 3000, 1, 1),
                panels_of(3000, halved));
}

TEST(overlap_hides_panels_while_updates_last_longer)
{
    /* A panel keeps one of a hundred threads busy. */
    hyb_model_rates_t rates = rates_of(columns, alone, alone);
    double work = work_of(4000), panels = panels_of(4000, alone);

    rates.threads = 100;
    assert_true(seconds(rates, 4000, 1, 1) > work);
    assert_true(seconds(rates, 4000, 1, 1) < work + panels / 4);
    assert_near(at_depth(0, rates, 4000, 1, 1), work + panels);
}

TEST(narrow_runs_take_the_next_panels_columns_longer)
{
    hyb_model_rates_t narrow = usual();
    double longer = 0.0;

    narrow.width[0].narrow = columns_of(1.25);
    for (int rows = 100; rows < 3000; rows += 100)
        longer += 100 * 0.25e-9 * rows;
    assert_near(at_depth(0, narrow, 3000, 1, 1),
                at_depth(0, usual(), 3000, 1, 1) + longer);
    for (int depth = 1; depth < 3; depth++)
        assert_true(at_depth(depth, narrow, 3000, 1, 1) >
                    at_depth(depth, usual(), 3000, 1, 1));
}

TEST(more_overlap_never_takes_longer)
{
    hyb_model_rates_t rates = usual();
    double last = INFINITY, now;

    rates.row = slow_link;
    for (int depth = 0; depth < 3; depth++, last = now) {
        now = at_depth(depth, rates, 4000, 1, 2);
        assert_true(now <= last);
    }
}

TEST(a_larger_matrix_takes_longer)
{
    hyb_model_rates_t rates = usual();
    double last = 0.0, now;

    rates.row = rates.column = slow_link;
    for (int n = 100; n < 3000; n += 150, last = now) {
        now = seconds(rates, n, 2, 2);
        assert_true(now > last);
    }
}

TEST(more_processes_divide_the_work)
{
    hyb_model_rates_t rates = without_panels(usual());
    double one = seconds(rates, 12000, 1, 1), four;

    assert_true(seconds(rates, 12000, 1, 2) < 0.55 * one);
    assert_true(seconds(rates, 12000, 2, 1) < 0.55 * one);
    four = seconds(rates, 12000, 2, 2);
    assert_true(four > 0.25 * one && four < 0.30 * one);
}

/* One process with two threads on one core, say: with free messages. */
TEST(processes_that_share_cores_are_as_much_slower)
{
    hyb_model_rates_t rates = usual(), slow;

    rates.sweep = 1e10;
    slow = rates;
    hyb_model_slow_down(&slow, 4.0);
    assert_near(seconds(slow, 3000, 2, 2), 4.0 * seconds(rates, 3000, 2, 2));
}

TEST(back_substitution_reads_half_the_matrix)
{
    hyb_model_rates_t rates = rates_of(nothing, nothing, nothing);

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

TEST(messages_take_time_and_free_ones_none)
{
    hyb_model_rates_t slow = usual();

    slow.row = slow.column = slow_link;
    for (int p = 1; p <= 2; p++)
        for (int q = 1; q <= 2; q++)
            assert_int_equal(seconds(slow, 3000, p, q) >
                                 seconds(usual(), 3000, p, q),
                             p * q > 1);
    assert_true(seconds(slow, 3000, 1, 1) == seconds(usual(), 3000, 1, 1));
}

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

TEST(a_long_message_is_better_cut_in_pieces)
{
    static const hyb_model_link_t link = {.latency = 1e-6, .bandwidth = 1e9};

    assert_true(hyb_messages_broadcast(&link, 4, 16, 15, 1e6) <
                hyb_messages_broadcast(&link, 0, 16, 15, 1e6));
    assert_true(hyb_messages_broadcast(&link, 0, 16, 15, 1e8) <
                9 * hyb_messages_broadcast(&link, 0, 16, 1, 1e8));
    assert_true(hyb_messages_broadcast(&link, 4, 16, 1, 8) >
                hyb_messages_broadcast(&link, 0, 16, 1, 8));
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

/* ---- devices ------------------------------------------------------------- */

TEST(endlessly_slow_devices_change_nothing)
{
    hyb_model_rates_t without = with_devices(1);

    without.width[0].devices = nothing;
    for (int depth = 0; depth < 3; depth++) {
        double part = at_depth(depth, with_devices(1e9), 3000, 1, 1) /
                      at_depth(depth, without, 3000, 1, 1);

        assert_true(part <= 1.0 && part > 0.999999);
    }
}

/* Then all that is left is to prepare columns: a fifth of the work. */
TEST(endlessly_fast_devices_leave_what_is_the_threads)
{
    hyb_model_rates_t rates = without_panels(with_devices(1e-12));

    for (int depth = 0; depth < 3; depth++)
        assert_near(at_depth(depth, rates, 3000, 1, 1), 0.2 * work_of(3000));
    /* Also L2 of 2900, 2800, ... 100 rows is copied, and U is read at last. */
    rates.sweep = 1e9;
    assert_near(seconds(rates, 3000, 1, 1),
                0.2 * work_of(3000) +
                    (24.0 * 100 * 43500 + 4.0 * 3000 * 3000) * 1e-9);
}

/*
 * Both end together: of all that there is to do each does its part, but for the
 * next panel's columns, which the threads have sooner.
 */
TEST(devices_as_fast_as_the_threads_do_half_of_all)
{
    double wanted = 0.0;

    for (int m = 2900; m > 0; m -= 100)
        wanted += fmax(1e-9 * m * (m + 1) - (m - 99) * 0.8e-9 * m,
                       1e-9 * m * (m + 1) / 2);
    assert_near(seconds(without_panels(with_devices(0.8)), 3000, 1, 1), wanted);
}

TEST(devices_make_room_for_panels)
{
    for (int depth = 0; depth < 3; depth++) {
        double longer =
            at_depth(depth, with_devices(0.8), 6000, 1, 1) -
            at_depth(depth, without_panels(with_devices(0.8)), 6000, 1, 1);
        double hidden = panels_of(6000, halved) / longer;

        assert_true(depth > 0 ? hidden > 1.8 : hidden < 1.0 + 1e-9);
    }
}

TEST(faster_devices_never_take_longer)
{
    static const int grids[][2] = {{1, 1}, {1, 2}, {2, 1}};

    for (int i = 0; i < 9; i++) {
        double last = INFINITY, now;

        for (double ns = 100; ns > 1e-3; ns /= 2, last = now) {
            now = at_depth(i % 3, with_devices(ns), 4000, grids[i / 3][0],
                           grids[i / 3][1]);
            assert_true(now <= last * (1 + 1e-12));
        }
    }
}

/* However slow they are: all columns but those of the next panel are theirs. */
TEST(a_fixed_share_is_kept_to)
{
    hyb_model_rates_t rates = without_panels(with_devices(10)), without = rates;
    double wanted = 0.0;

    without.width[0].devices = nothing;
    rates.fixed = true;
    assert_near(seconds(rates, 3000, 1, 1), seconds(without, 3000, 1, 1));
    rates.share = 1.0;
    for (int m = 2900; m > 0; m -= 100)
        wanted += fmax((m - 99) * 10e-9 * m,
                       1e-9 * m * (m + 1) - 0.8e-9 * m * (m - 99));
    assert_near(seconds(rates, 3000, 1, 1), wanted);
}

/* Measured in a moment, preparing columns may seem to be all of their update.
 */
TEST(devices_have_their_share_of_products_that_cost_threads_nothing)
{
    hyb_model_rates_t rates = without_panels(with_devices(10));
    double wanted = 0.0;

    rates.width[0].prepare = rates.width[0].update;
    rates.fixed = true;
    rates.share = 0.5;
    for (int m = 2900; m > 0; m -= 100)
        wanted += fmax(0.5 * (m - 99) * 10e-9 * m, 1e-9 * m * (m + 1));
    assert_near(seconds(rates, 3000, 1, 1), wanted);
}

/* ---- columns on devices -------------------------------------------------- */

/*
 * The usual with columns on a device of so many bytes, that takes so many ns a
 * row for each, and with a way of panels of so many ns a row and column.
 */
static hyb_model_rates_t on_device(double bytes, double ns, double way)
{
    hyb_model_rates_t rates = usual();

    rates.home = HYB_HOME_DEVICE;
    rates.figures = (hyb_home_figures_t){
        .devices = 1, .memory = bytes, .panel_rows = HUGE_VAL};
    rates.width[0].resident = columns_of(ns);
    rates.width[0].transfer = columns_of(100.0 * way);
    return rates;
}

TEST(a_device_does_all_work_on_its_columns)
{
    for (int depth = 0; depth < 3; depth++)
        assert_near(at_depth(depth, without_panels(on_device(1e12, 0.5, 0)),
                             3000, 1, 1),
                    0.5 * work_of(3000));
}

/* Also L2 is copied for the way up. */
TEST(panels_go_down_and_up_one_after_the_other)
{
    hyb_model_rates_t rates = on_device(1e12, 1e-12, 2);
    double wanted = panels_of(3000, halved) + panels_of(3000, columns_of(200));

    for (int depth = 0; depth < 3; depth++)
        assert_near(at_depth(depth, rates, 3000, 1, 1), wanted);
    rates.sweep = 1e9;
    assert_near(seconds(rates, 3000, 1, 1), wanted + 24.0 * 100 * 43500 * 1e-9);
}

/* The same, and panels by a device of so many ns a row. */
static hyb_model_rates_t factored_there(double ns, double way)
{
    hyb_model_rates_t rates = on_device(1e12, 1e-12, way);

    rates.there = true;
    rates.width[0].factor = columns_of(ns);
    return rates;
}

TEST(of_a_devices_own_panels_l1_comes_down)
{
    double wanted = panels_of(3000, columns_of(70)) + 30 * 100 * 100e-9;

    for (int depth = 0; depth < 3; depth++)
        assert_near(at_depth(depth, factored_there(70, 2), 3000, 1, 1), wanted);
}

/* All of a panel goes up to the other one's, too; only L1 comes down twice. */
TEST(of_panels_for_other_processes_all_comes_down)
{
    hyb_model_rates_t rates = factored_there(70, 0);
    double without = seconds(rates, 3000, 1, 2);

    rates.width[0].transfer = columns_of(200);
    assert_near(seconds(rates, 3000, 1, 2) - without,
                panels_of(3000, columns_of(100)) +
                    panels_of(2900, columns_of(100)) + 2900 * 100e-9 +
                    30 * 100 * 100e-9);
}

/* L2 goes to the other device from the one that factored it; by the host down
 * and up. L1 comes down in any case. */
TEST(of_panels_for_peers_l2_crosses_their_link_alone)
{
    hyb_model_rates_t rates = factored_there(70, 200);
    double wanted = panels_of(3000, columns_of(70)) + 30 * 100 * 100e-9 * 100;
    double by_host;

    rates.figures.devices = 2;
    by_host = wanted + panels_of(3000, columns_of(1e4)) +
              panels_of(2900, columns_of(1e4)) + 2900 * 1e-5;
    assert_near(at_depth(0, rates, 3000, 1, 1), by_host);
    rates.width[0].peers = columns_of(40);
    assert_near(at_depth(0, rates, 3000, 1, 1),
                wanted + panels_of(2900, columns_of(40)));
    assert_true(at_depth(0, rates, 3000, 1, 2) > by_host);
}

/* A panel by one takes half of what is left, as all threads are free. */
/* The team's products are worth 50 ns a row. */
TEST(who_is_quicker_factors_but_threads_may_try)
{
    hyb_model_rates_t slow = factored_there(1e6, 2), near = slow, quick = slow;
    double tried = 2900 * 200e-9 + hyb_model_curve_at(&halved, 2900);
    double by_device = panels_of(3000, columns_of(60)) - 2900 * 60e-9;

    slow.there = near.there = quick.there = false;
    near.width[0].factor = columns_of(60);
    quick.width[0].factor = columns_of(1e-9);
    assert_near(seconds(slow, 3000, 1, 1),
                seconds(on_device(1e12, 1e-12, 2), 3000, 1, 1));
    assert_near(seconds(near, 3000, 1, 1),
                tried + by_device + 29 * 100 * 100e-9);
    assert_near(seconds(quick, 3000, 1, 1), 30 * 100 * 100e-9);
}

TEST(devices_may_factor_for_p_1_alone)
{
    hyb_model_rates_t rates = factored_there(1e-9, 2), none = rates;

    none.width[0].factor.count = 0;
    assert_true(seconds(rates, 3000, 2, 1) < 0.9 * seconds(none, 3000, 2, 1));
    rates.figures.panel_rows = none.figures.panel_rows = 1;
    assert_near(seconds(rates, 3000, 2, 1), seconds(none, 3000, 2, 1));
    assert_true(seconds(rates, 3000, 1, 2) < 0.9 * seconds(none, 3000, 1, 2));
}

/* Where it lives: of 30 blocks each has half the rows above it. */
TEST(back_substitution_of_columns_on_devices_is_theirs)
{
    hyb_model_rates_t rates = on_device(1e12, 1e-12, 0);
    double without = seconds(rates, 3000, 1, 1);

    rates.width[0].subtract = columns_of(1000);
    assert_near(seconds(rates, 3000, 1, 1) - without, 30 * 1500 * 1e-6);
}

/* All but the first, and the last ones. */
TEST(panels_hide_under_a_devices_work)
{
    hyb_model_rates_t rates = on_device(1e12, 1, 0);
    double work = work_of(4000), panels = panels_of(4000, halved);

    for (int depth = 0; depth < 3; depth++) {
        double all = at_depth(depth, rates, 4000, 1, 1);

        assert_true(depth == 0 ? all > work + 0.999 * panels
                               : all < work + panels / 4);
        assert_true(all > work);
    }
}

TEST(columns_that_find_no_room_are_the_hosts)
{
    hyb_model_rates_t none = on_device(1.0, 0.5, 2);
    hyb_model_rates_t half = on_device(3000.0 * 3000 * 8 * 0.7, 1, 0);
    double host = seconds(usual(), 3000, 1, 1), both;

    assert_near(seconds(none, 3000, 1, 1), host);
    both = seconds(half, 3000, 1, 1);
    assert_true(both > host / 2 && both < 0.9 * host);
}

TEST(figures_decide_where_columns_live)
{
    hyb_model_rates_t rates = on_device(1e12, 0.5, 0);
    double there = seconds(rates, 3000, 1, 1);

    rates.home = HYB_HOME_HOST;
    assert_near(seconds(rates, 3000, 1, 1), seconds(usual(), 3000, 1, 1));
    rates.home = HYB_HOME_AUTO;
    rates.figures.threads = 2;
    rates.figures.thread_rate = 1e9;
    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        rates.figures.rate[d] = 1e12;
    rates.figures.link = 1e9;
    assert_near(seconds(rates, 3000, 1, 1), there);
    rates.figures.thread_rate = 1e12;
    assert_near(seconds(rates, 3000, 1, 1), seconds(usual(), 3000, 1, 1));
}

TEST(rows_of_columns_on_devices_cross_the_link)
{
    for (int depth = 0; depth < 3; depth++) {
        hyb_model_rates_t rates = without_panels(on_device(1e12, 1e-12, 0));
        double free = at_depth(depth, rates, 3000, 2, 1);

        rates.width[0].transfer = columns_of(100);
        assert_true(at_depth(depth, rates, 3000, 2, 1) >
                    free + 0.99 * panels_of(2900, columns_of(100)));
    }
}

/* What is left are panels, where MPI takes the rows from the one device. */
TEST(rows_that_mpi_takes_from_a_device_cross_no_link)
{
    hyb_model_rates_t rates = without_panels(on_device(1e12, 1e-12, 0)), stay;
    double panels;

    rates.width[0].transfer = columns_of(100);
    panels = at_depth(0, rates, 3000, 1, 1);
    stay = rates;
    stay.figures.device_mpi = 1;
    assert_true(at_depth(0, rates, 3000, 2, 1) > 1.3 * panels);
    assert_true(at_depth(0, stay, 3000, 2, 1) < 1.1 * panels);
    rates.figures.devices = stay.figures.devices = 2;
    assert_near(at_depth(0, stay, 3000, 2, 1), at_depth(0, rates, 3000, 2, 1));
}

TEST_MAIN()
