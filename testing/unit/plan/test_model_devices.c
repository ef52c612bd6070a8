/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/settings.h"
#include "hybrid/plan/model.h"
#include "testing/unit/plan/model_rates.h"

/* ---- devices ------------------------------------------------------------- */

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

/* However slow they are: all columns but those of the next panel are theirs. */
TEST(a_fixed_share_is_kept_to)
{
    hyb_model_rates_t rates = without_panels(with_devices(10)), without = rates;
    double wanted = 0.0;

    without.width[0].devices = nothing;
    rates.has_fixed_share = true;
    assert_near(seconds(rates, 3000, 1, 1), seconds(without, 3000, 1, 1));
    rates.share = 1.0;
    for (int m = 2900; m > 0; m -= 100)
        wanted += fmax((m - 99) * 10e-9 * m,
                       1e-9 * m * (m + 1) - 0.8e-9 * m * (m - 99));
    assert_near(seconds(rates, 3000, 1, 1), wanted);
    /* preparing columns may seem to be all of their update */
    rates.width[0].prepare = rates.width[0].update;
    rates.share = 0.5;
    wanted = 0.0;
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

    rates.home = "device";
    rates.figures = (hyb_residence_figures_t){
        .devices = 1, .memory = bytes, .panel_rows = HUGE_VAL};
    rates.width[0].resident = curve_of(ns);
    rates.width[0].transfer = curve_of(100.0 * way);
    return rates;
}

TEST(a_device_does_all_work_on_its_columns)
{
    for (int depth = 0; depth < 3; depth++)
        assert_near(at_depth(depth, without_panels(on_device(1e12, 0.5, 0)),
                             3000, 1, 1),
                    0.5 * work_of(3000));
}

/* Twice as fast as the team it has two thirds: both end together, but at last,
 * where it has all 100 columns of the last panel. */
TEST(the_team_has_a_share_of_a_devices_columns)
{
    double wanted = (work_of(3000) - 101 * 100e-9) / 3.0 + 100 * 50e-9;
    hyb_model_rates_t rates = without_panels(on_device(1e12, 0.5, 0));

    rates.figures.threads = 2;
    rates.figures.thread_rate = 1e9;
    rates.figures.link = 1e12;
    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        rates.figures.rate[d] = 4e9;
    assert_ok(xh_settings_assign("share=0.3333333333333333"));
    for (int depth = 0; depth < 3; depth++)
        assert_near(at_depth(depth, rates, 3000, 1, 1), wanted);
    assert_ok(xh_settings_assign("share=auto"));
}

/* Also L2 is copied for the way up. */
TEST(panels_go_down_and_up_one_after_the_other)
{
    hyb_model_rates_t rates = on_device(1e12, 1e-12, 2);
    double wanted = panels_of(3000, halved) + panels_of(3000, curve_of(200));

    for (int depth = 0; depth < 3; depth++)
        assert_near(at_depth(depth, rates, 3000, 1, 1), wanted);
    rates.sweep = 1e9;
    assert_near(seconds(rates, 3000, 1, 1), wanted + 24.0 * 100 * 43500 * 1e-9);
}

/* The same, and panels by a device of so many ns a row. */
static hyb_model_rates_t factored_there(double ns, double way)
{
    hyb_model_rates_t rates = on_device(1e12, 1e-12, way);

    rates.device_panels = true;
    rates.width[0].factor = curve_of(ns);
    return rates;
}

/* All of a panel goes up to the other one's, too; only L1 comes down twice. */
TEST(of_panels_for_other_processes_all_comes_down)
{
    hyb_model_rates_t rates = factored_there(70, 0);
    double without = seconds(rates, 3000, 1, 2);

    rates.width[0].transfer = curve_of(200);
    assert_near(seconds(rates, 3000, 1, 2) - without,
                panels_of(3000, curve_of(100)) +
                    panels_of(2900, curve_of(100)) + 2900 * 100e-9 +
                    30 * 100 * 100e-9);
}

/* L2 goes to the other device from the one that factored it; by the host down
 * and up. L1 comes down in any case. */
TEST(of_panels_for_peers_l2_crosses_their_link_alone)
{
    hyb_model_rates_t rates = factored_there(70, 200);
    double wanted = panels_of(3000, curve_of(70)) + 30 * 100 * 100e-9 * 100;
    double by_host;

    rates.figures.devices = 2;
    by_host = wanted + panels_of(3000, curve_of(1e4)) +
              panels_of(2900, curve_of(1e4)) + 2900 * 1e-5;
    assert_near(at_depth(0, rates, 3000, 1, 1), by_host);
    rates.width[0].peers = curve_of(40);
    assert_near(at_depth(0, rates, 3000, 1, 1),
                wanted + panels_of(2900, curve_of(40)));
    assert_true(at_depth(0, rates, 3000, 1, 2) > by_host);
}

/* A panel by one takes half of what is left, as all threads are free. */
/* The team's products are worth 50 ns a row. */
TEST(who_is_quicker_factors_but_threads_may_try)
{
    hyb_model_rates_t slow = factored_there(1e6, 2), near = slow, quick = slow;
    double tried = 2900 * 200e-9 + hyb_model_curve_at(&halved, 2900);
    double by_device = panels_of(3000, curve_of(60)) - 2900 * 60e-9;

    slow.device_panels = near.device_panels = quick.device_panels = false;
    near.width[0].factor = curve_of(60);
    quick.width[0].factor = curve_of(1e-9);
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

    rates.width[0].subtract = curve_of(1000);
    assert_near(seconds(rates, 3000, 1, 1) - without, 30 * 1500 * 1e-6);
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

    rates.home = "host";
    assert_near(seconds(rates, 3000, 1, 1), seconds(usual(), 3000, 1, 1));
    rates.home = "auto";
    rates.figures.threads = 2;
    rates.figures.thread_rate = 1e9;
    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        rates.figures.rate[d] = 1e12;
    rates.figures.link = 1e9;
    assert_near(seconds(rates, 3000, 1, 1), there);
    rates.figures.thread_rate = 1e12;
    assert_near(seconds(rates, 3000, 1, 1), seconds(usual(), 3000, 1, 1));
}

/* What is left are panels, where MPI takes the rows from the one device. */
TEST(rows_that_mpi_takes_from_a_device_cross_no_link)
{
    hyb_model_rates_t rates = without_panels(on_device(1e12, 1e-12, 0)), stay;
    double panels;

    rates.width[0].transfer = curve_of(100);
    panels = at_depth(0, rates, 3000, 1, 1);
    stay = rates;
    stay.figures.device_mpi = 1;
    assert_true(at_depth(0, rates, 3000, 2, 1) > 1.3 * panels);
    assert_true(at_depth(0, stay, 3000, 2, 1) < 1.1 * panels);
    rates.figures.devices = stay.figures.devices = 2;
    assert_near(at_depth(0, stay, 3000, 2, 1), at_depth(0, rates, 3000, 2, 1));
}
