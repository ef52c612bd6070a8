/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model.h"
#include "testing/unit/unit.h"

#include <math.h>

/* Processes of two threads: a column takes 1 ns a row, a panel 1 us. */
static const hyb_model_curve_t nothing;
static const hyb_model_curve_t columns = {2, {100, 1000}, {1e-7, 1e-6}};
static const hyb_model_curve_t alone = {2, {100, 1000}, {1e-4, 1e-3}};
static const hyb_model_curve_t halved = {2, {100, 1000}, {0.5e-4, 0.5e-3}};

static hyb_model_rates_t rates_of(hyb_model_curve_t update,
                                  hyb_model_curve_t one, hyb_model_curve_t all)
{
    hyb_model_rates_t rates = {.threads = 2, .widths = 1};

    rates.width[0] = (hyb_model_width_t){
        .nb = 100, .update = update, .alone = one, .team = all};
    return rates;
}

/*
 * The same with devices that take so many ns a row for a column, of which the
 * threads take 0.2 ns to prepare it, and 0.8 to update it.
 */
static hyb_model_rates_t with_devices(double ns)
{
    hyb_model_rates_t rates = rates_of(columns, alone, halved);
    hyb_model_curve_t part = columns;

    part.seconds[0] = 0.2e-7, part.seconds[1] = 0.2e-6;
    rates.width[0].prepare = part;
    part.seconds[0] = ns * 1e-7, part.seconds[1] = ns * 1e-6;
    rates.width[0].devices = part;
    rates.width[0].tile = 200;
    return rates;
}

static void leave_panels_out(hyb_model_rates_t *rates)
{
    rates->width[0].alone = rates->width[0].team = nothing;
}

static hyb_model_rates_t usual(void)
{
    return rates_of(columns, alone, halved);
}

static hyb_model_link_t slow_link(void)
{
    return (hyb_model_link_t){.latency = 1e-5, .bandwidth = 1e8};
}

static hpl_shape_t on_grid(int n, int p, int q)
{
    return (hpl_shape_t){.n = n, .nb = 100, .nprow = p, .npcol = q, .depth = 2};
}

static double seconds(const hyb_model_rates_t *rates, hpl_shape_t test)
{
    return hyb_model_seconds(rates, &test, 1);
}

/* Work of all iterations on columns, b's included. */
static double work_of(int n, int nb)
{
    double sum = 0.0;

    for (int k = 1; k <= n / nb; k++)
        sum += (n - k * nb + 1.0) * (n - k * nb) * 1e-9;
    return sum;
}

static void assert_near(double value, double wanted)
{
    assert_true(fabs(value - wanted) <= 1e-9 * fabs(wanted));
}

TEST(a_curve_goes_on_beyond_its_points_as_it_does_on_the_whole)
{
    const hyb_model_curve_t curve = {3, {10, 20, 40}, {1, 3, 4}};

    assert_near(hyb_model_curve_at(&curve, 15), 2);
    assert_near(hyb_model_curve_at(&curve, 20), 3);
    assert_near(hyb_model_curve_at(&curve, 30), 3.5);
    assert_near(hyb_model_curve_at(&curve, 80), 8);
    assert_true(hyb_model_curve_at(&curve, 0) == 0.0);
    assert_true(hyb_model_curve_at(&nothing, 7) == 0.0);
}

/* More rows never take less: it was noise. */
TEST(a_curve_that_falls_stays_where_it_ends)
{
    const hyb_model_curve_t curve = {2, {256, 1024}, {5, 4}};

    assert_near(hyb_model_curve_at(&curve, 640), 4.5);
    assert_near(hyb_model_curve_at(&curve, 1024), 4);
    assert_near(hyb_model_curve_at(&curve, 100000), 4);
}

TEST(an_unknown_width_has_the_nearest_ones_rates_by_work)
{
    hyb_model_rates_t rates = usual();
    hyb_model_width_t wide = hyb_model_of_width(&rates, 200);

    assert_int_equal(wide.nb, 200);
    assert_near(wide.update.seconds[0], 2e-7);
    assert_near(wide.team.seconds[1], 2e-3);
    rates = with_devices(3);
    assert_near(hyb_model_of_width(&rates, 200).devices.seconds[0], 6e-7);
    rates.widths = 2;
    rates.width[1] = wide;
    assert_near(hyb_model_of_width(&rates, 160).alone.seconds[0], 4e-4 * 0.64);
}

TEST(nothing_takes_no_time)
{
    hyb_model_rates_t rates = usual();

    assert_true(seconds(&rates, on_grid(0, 1, 1)) == 0.0);
    rates = rates_of(nothing, nothing, nothing);
    assert_true(seconds(&rates, on_grid(5000, 2, 2)) == 0.0);
}

TEST(panels_that_take_no_time_leave_the_work)
{
    hyb_model_rates_t rates = rates_of(columns, nothing, nothing);

    for (int depth = 0; depth < 3; depth++) {
        hpl_shape_t test = on_grid(3000, 1, 1);

        test.depth = depth;
        assert_near(seconds(&rates, test), work_of(3000, 100));
    }
}

TEST(without_overlap_parts_add_up)
{
    hyb_model_rates_t rates = usual();
    hpl_shape_t test = on_grid(3000, 1, 1);
    double panels = 0.0;

    test.depth = 0;
    for (int rows = 100; rows <= 3000; rows += 100)
        panels += hyb_model_curve_at(&halved, rows);
    assert_near(seconds(&rates, test), work_of(3000, 100) + panels);
}

TEST(panels_alone_follow_each_other)
{
    hyb_model_rates_t rates = rates_of(nothing, alone, halved);
    double panels = 0.0;

    for (int rows = 100; rows <= 3000; rows += 100)
        panels += hyb_model_curve_at(&halved, rows);
    assert_near(seconds(&rates, on_grid(3000, 1, 1)), panels);
}

TEST(overlap_hides_panels_while_updates_last_longer)
{
    /* A panel keeps one of a hundred threads busy. */
    hyb_model_rates_t rates = rates_of(columns, alone, alone);
    hpl_shape_t test = on_grid(4000, 1, 1);
    double work = work_of(4000, 100), panels = 0.0;

    rates.threads = 100;
    for (int rows = 100; rows <= 4000; rows += 100)
        panels += hyb_model_curve_at(&alone, rows);
    assert_true(seconds(&rates, test) > work);
    assert_true(seconds(&rates, test) < work + panels / 4);
    test.depth = 0;
    assert_near(seconds(&rates, test), work + panels);
}

TEST(narrow_runs_take_the_next_panels_columns_longer)
{
    hyb_model_rates_t rates = usual(), narrow = rates;
    hpl_shape_t test = on_grid(3000, 1, 1);
    double longer = 0.0;

    narrow.width[0].narrow = columns;
    narrow.width[0].narrow.seconds[0] *= 1.25;
    narrow.width[0].narrow.seconds[1] *= 1.25;
    for (int rows = 100; rows < 3000; rows += 100)
        longer += 100 * 0.25e-9 * rows;
    for (int depth = 0; depth < 3; depth++) {
        double without;

        test.depth = depth;
        without = seconds(&rates, test);
        if (depth == 0)
            assert_near(seconds(&narrow, test), without + longer);
        else
            assert_true(seconds(&narrow, test) > without);
    }
}

TEST(more_overlap_never_takes_longer)
{
    hyb_model_rates_t rates = usual();
    double last = INFINITY;

    rates.row = rates.column = slow_link();
    for (int depth = 0; depth < 3; depth++) {
        hpl_shape_t test = on_grid(4000, 1, 2);

        test.depth = depth;
        assert_true(seconds(&rates, test) <= last);
        last = seconds(&rates, test);
    }
}

TEST(a_larger_matrix_takes_longer)
{
    hyb_model_rates_t rates = usual();
    double last = 0.0, now;

    rates.row = rates.column = slow_link();
    for (int n = 100; n < 3000; n += 150) {
        now = seconds(&rates, on_grid(n, 2, 2));
        assert_true(now > last);
        last = now;
    }
}

TEST(more_processes_divide_the_work)
{
    hyb_model_rates_t rates = rates_of(columns, nothing, nothing);
    double one = seconds(&rates, on_grid(12000, 1, 1));

    assert_true(seconds(&rates, on_grid(12000, 1, 2)) < 0.55 * one);
    assert_true(seconds(&rates, on_grid(12000, 2, 1)) < 0.55 * one);
    assert_true(seconds(&rates, on_grid(12000, 2, 2)) < 0.30 * one);
    assert_true(seconds(&rates, on_grid(12000, 2, 2)) > 0.25 * one);
}

/* One process with two threads on one core, say: with free messages. */
TEST(processes_that_share_cores_are_as_much_slower)
{
    hyb_model_rates_t rates = usual();
    double before;

    rates.sweep = 1e10;
    before = seconds(&rates, on_grid(3000, 2, 2));
    hyb_model_slow_down(&rates, 4.0);
    assert_near(seconds(&rates, on_grid(3000, 2, 2)), 4.0 * before);
}

TEST(messages_take_time_and_free_ones_none)
{
    hyb_model_rates_t rates = usual(), slow = rates;
    static const int grids[][2] = {{1, 2}, {2, 1}, {2, 2}};

    slow.row = slow.column = slow_link();
    for (int i = 0; i < 3; i++) {
        hpl_shape_t test = on_grid(3000, grids[i][0], grids[i][1]);

        assert_true(seconds(&slow, test) > seconds(&rates, test));
    }
    assert_true(seconds(&slow, on_grid(3000, 1, 1)) ==
                seconds(&rates, on_grid(3000, 1, 1)));
}

/* Each column of a panel waits for as many rounds as reach all. */
TEST(pivots_are_agreed_on_in_rounds)
{
    static const int rounds[] = {0, 0, 1, 2, 2, 3};
    hyb_model_rates_t rates = usual(), agreeing = rates;

    agreeing.width[0].pivot = (hyb_model_curve_t){1, {0}, {1e-6}};
    for (int p = 1; p <= 5; p++) {
        hpl_shape_t test = on_grid(3000, p, 1);

        test.depth = 0;
        assert_near(seconds(&agreeing, test),
                    seconds(&rates, test) + 3000e-6 * rounds[p]);
    }
}

/* Each process packs its part of the rows, and one alone packs none. */
TEST(rows_are_packed_where_there_are_others_in_the_column)
{
    const double column = 1e-6;
    hyb_model_rates_t rates = usual(), packing = rates;
    double columns_of_all = 0.0;

    packing.width[0].pack = (hyb_model_curve_t){1, {0}, {column}};
    for (int k = 1; k <= 30; k++)
        columns_of_all += 3000 - 100 * k + 1;
    for (int p = 1; p <= 5; p++) {
        hpl_shape_t test = on_grid(3000, p, 1);
        double parts = p > 1 ? columns_of_all / p : 0.0;

        test.depth = 0;
        assert_near(seconds(&packing, test),
                    seconds(&rates, test) + parts * column);
    }
}

TEST(back_substitution_reads_half_the_matrix)
{
    hyb_model_rates_t rates = rates_of(nothing, nothing, nothing);

    rates.sweep = 1e9;
    assert_near(seconds(&rates, on_grid(2000, 1, 1)), 8 * 2e3 * 2e3 / 2 / 1e9);
}

TEST(a_panel_wider_than_the_matrix_is_the_matrix)
{
    hyb_model_rates_t rates = usual();
    hpl_shape_t wide = on_grid(80, 1, 1), fitting = wide;

    wide.nb = 1000000;
    fitting.nb = 80;
    assert_true(seconds(&rates, wide) == seconds(&rates, fitting));
}

TEST(many_panels_are_taken_together)
{
    hyb_model_rates_t rates = usual();
    double many = seconds(&rates, on_grid(400000, 8, 8));

    assert_true(many > work_of(400000, 100) / 64);
    assert_true(many < 1.05 * work_of(400000, 100) / 64);
}

TEST(many_processes_do_not_take_long_to_predict)
{
    hyb_model_rates_t rates = usual();
    double many = seconds(&rates, on_grid(1000000, 100, 100));

    assert_true(many > work_of(1000000, 100) / 10000);
    assert_true(many < 1.3 * work_of(1000000, 100) / 10000);
}

/* ---- devices ------------------------------------------------------------- */

TEST(endlessly_slow_devices_change_nothing)
{
    hyb_model_rates_t rates = with_devices(1e9), without = with_devices(1);

    without.width[0].devices = nothing;
    for (int depth = 0; depth < 3; depth++) {
        hpl_shape_t test = on_grid(3000, 1, 1);

        test.depth = depth;
        assert_true(seconds(&rates, test) <= seconds(&without, test));
        assert_true(seconds(&rates, test) > 0.999999 * seconds(&without, test));
    }
}

/* Then all that is left is to prepare columns: a fifth of the work. */
TEST(endlessly_fast_devices_leave_what_is_the_threads)
{
    hyb_model_rates_t rates = with_devices(1e-12);

    leave_panels_out(&rates);
    for (int depth = 0; depth < 3; depth++) {
        hpl_shape_t test = on_grid(3000, 1, 1);

        test.depth = depth;
        assert_near(seconds(&rates, test), 0.2 * work_of(3000, 100));
    }
    /* Also L2 of 2900, 2800, ... 100 rows is copied, and U is read at last. */
    rates.sweep = 1e9;
    assert_near(seconds(&rates, on_grid(3000, 1, 1)),
                0.2 * work_of(3000, 100) +
                    (24.0 * 100 * 43500 + 4.0 * 3000 * 3000) * 1e-9);
}

/*
 * Both end together: of all that there is to do each does its part, but for the
 * next panel's columns, which the threads have sooner.
 */
TEST(devices_as_fast_as_the_threads_do_half_of_all)
{
    hyb_model_rates_t rates = with_devices(0.8);
    double wanted = 0.0, n, products;

    leave_panels_out(&rates);
    for (int m = 2900; m > 0; m -= 100) {
        n = m + 1.0;
        products = (n - 100) * 0.8e-9 * m;
        wanted += fmax(1e-9 * m * n - products, 1e-9 * m * n / 2);
    }
    assert_near(seconds(&rates, on_grid(3000, 1, 1)), wanted);
}

TEST(devices_make_room_for_panels)
{
    hyb_model_rates_t rates = with_devices(0.8), without = rates;
    hpl_shape_t test = on_grid(6000, 1, 1);

    leave_panels_out(&without);
    for (int depth = 0; depth < 3; depth++) {
        double panels = 0.0;

        for (int rows = 100; rows <= 6000; rows += 100)
            panels += hyb_model_curve_at(&halved, rows);
        test.depth = depth;
        panels /= seconds(&rates, test) - seconds(&without, test);
        assert_true(depth > 0 ? panels > 1.8 : panels < 1.0 + 1e-9);
    }
}

TEST(faster_devices_never_take_longer)
{
    static const int grids[][2] = {{1, 1}, {1, 2}, {2, 1}};

    for (int i = 0; i < 9; i++) {
        hpl_shape_t test = on_grid(4000, grids[i / 3][0], grids[i / 3][1]);
        double last = INFINITY;

        test.depth = i % 3;
        for (double ns = 100; ns > 1e-3; ns /= 2) {
            hyb_model_rates_t rates = with_devices(ns);
            double now = seconds(&rates, test);

            assert_true(now <= last * (1 + 1e-12));
            last = now;
        }
    }
}

/* However slow they are: all columns but those of the next panel are theirs. */
TEST(a_fixed_share_is_kept_to)
{
    hyb_model_rates_t rates = with_devices(10), without = rates;
    double wanted = 0.0;

    leave_panels_out(&rates);
    leave_panels_out(&without);
    without.width[0].devices = nothing;
    rates.fixed = true;
    assert_near(seconds(&rates, on_grid(3000, 1, 1)),
                seconds(&without, on_grid(3000, 1, 1)));
    rates.share = 1.0;
    for (int m = 2900; m > 0; m -= 100)
        wanted += fmax((m - 99) * 10e-9 * m,
                       1e-9 * m * (m + 1) - 0.8e-9 * m * (m - 99));
    assert_near(seconds(&rates, on_grid(3000, 1, 1)), wanted);
}

/* Measured in a moment, preparing columns may seem to be all of their update.
 */
TEST(devices_have_their_share_of_products_that_cost_threads_nothing)
{
    hyb_model_rates_t rates = with_devices(10);
    double wanted = 0.0;

    leave_panels_out(&rates);
    rates.width[0].prepare = rates.width[0].update;
    rates.fixed = true;
    rates.share = 0.5;
    for (int m = 2900; m > 0; m -= 100)
        wanted += fmax(0.5 * (m - 99) * 10e-9 * m, 1e-9 * m * (m + 1));
    assert_near(seconds(&rates, on_grid(3000, 1, 1)), wanted);
}

TEST_MAIN()
