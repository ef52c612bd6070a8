/* SPDX-License-Identifier: BSD-3-Clause */
/* Where columns live. */

#include <math.h>
#include "base/settings.h"
#include "testing/unit/unit.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/residence.h"

/* A device that a link of 12.8 Tflop/s for panels of 1024 bounds. */
static const hyb_residence_figures_t fast = {.devices = 1,
                                             .memory = 80e9,
                                             .link = 50e9,
                                             .rate = {4e13, 5e13, 6e13, 6e13},
                                             .threads = 64,
                                             .thread_rate = 4e10};

static hpl_shape_t shape_of(int n, int nb, int nprow, int npcol)
{
    return (hpl_shape_t){
        .n = n, .nb = nb, .nprow = nprow, .npcol = npcol, .depth = 1};
}

static bool prefers_devices(hyb_residence_figures_t figures, int n, int nb)
{
    const hpl_shape_t shape = shape_of(n, nb, 1, 1);

    return hyb_residence_is_device("auto", &figures, &shape);
}

static hyb_residence_seconds_t predict(const hyb_residence_figures_t *figures,
                                       const hpl_shape_t *shape, double host)
{
    return hyb_residence_predict(figures, shape, host, false);
}

static double seconds(hyb_residence_figures_t figures, int n, int nb,
                      double host)
{
    const hpl_shape_t shape = shape_of(n, nb, 1, 1);

    return predict(&figures, &shape, host).total;
}

/* ---- the choice ---------------------------------------------------------- */

TEST(what_is_asked_for_is_done)
{
    const hyb_residence_figures_t none = {0};
    const hpl_shape_t shape = shape_of(80000, 1024, 1, 1);

    assert_true(hyb_residence_is_device("device", &none, &shape));
    assert_false(hyb_residence_is_device("host", &fast, &shape));
}

/* Two groups of panels and seats find room, or guests could not come. */
TEST(groups_are_as_wide_as_memory_allows)
{
    const hpl_shape_t shape = shape_of(80000, 1024, 1, 1);
    hyb_residence_figures_t small = fast;
    int last = HYB_GROUP_MOST;

    assert_ok(xh_settings_assign("home=host"));
    for (small.memory = 32e9; small.memory > 8e9; small.memory /= 1.5) {
        assert_true(hyb_residence_group(&small, &shape) <= last);
        last = hyb_residence_group(&small, &shape);
    }
    assert_true(last > 1 && last < 6);
    assert_ok(xh_settings_assign("home=auto"));
}

/* All of an update by visits, if the setting visit allows it. */
TEST(columns_of_the_host_visit_devices)
{
    hpl_shape_t shape = shape_of(80000, 1024, 1, 1);
    hyb_residence_figures_t unknown = fast;
    bool guests;

    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        unknown.rate[d] = 0.0;
    assert_ok(xh_settings_assign("home=host"));
    assert_true(hyb_residence_is_device("host", &fast, &shape));
    assert_true(hyb_residence_rest(&fast, &shape, &guests) == 1.0 && guests);
    assert_false(hyb_residence_is_device("host", &unknown, &shape));
    assert_ok(xh_settings_assign("visit=product"));
    assert_false(hyb_residence_is_device("host", &fast, &shape));
    assert_ok(xh_settings_assign("visit=column"));
    shape.nprow = 2;
    assert_true(hyb_residence_is_device("host", &fast, &shape));
    assert_ok(xh_settings_assign("home=auto"));
}

TEST(columns_live_on_devices_where_that_is_clearly_faster)
{
    hyb_residence_figures_t slow = fast;

    assert_true(prefers_devices(fast, 80000, 1024));
    /* what the link brings no longer bounds, nor does the host */
    slow.link = 1e15;
    slow.threads = 4096;
    assert_false(prefers_devices(slow, 80000, 1024));
    slow = fast;
    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        slow.rate[d] = 1e10; /* the team is faster */
    assert_false(prefers_devices(slow, 80000, 1024));
}

/* ---- the team's share ---------------------------------------------------- */

static xh_status_t set_share(const char *value)
{
    char assignment[32];

    snprintf(assignment, sizeof(assignment), "share=%s", value);
    return xh_settings_assign(assignment);
}

static double share_with(const char *setting, double rate)
{
    hyb_residence_figures_t figures = fast;
    const hpl_shape_t shape = shape_of(200000, 256, 1, 1);
    double share;

    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        figures.rate[d] = rate;
    assert_ok(set_share(setting));
    assert_true(hyb_residence_share_is_valid());
    share = hyb_residence_share(&figures, &shape);
    assert_ok(set_share("auto"));
    return share;
}

/* The team swaps, solves and factors besides, so auto gives it less than its
 * part of all flop/s. */
TEST(the_team_computes_as_long_as_devices_or_as_it_is_asked)
{
    const double team = fast.threads * fast.thread_rate;
    const struct {
        const char *setting;
        double rate, least, most;
    } of[] = {{"auto", team, 0.4, 0.5},   {"auto", 3.0 * team, 0.2, 0.25},
              {"auto", 0.0, 0.0, 0.0},    {"auto", 150.0 * team, 0.0, 0.0},
              {"0.25", 5e13, 0.25, 0.25}, {"1", 0.0, 1.0, 1.0}};

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        double share = share_with(of[i].setting, of[i].rate);

        assert_true(of[i].least <= share && share <= of[i].most);
    }
}

TEST(a_share_is_a_part)
{
    const char *const wrong[] = {"", "half", "-0.1", "1.01", "0.5x", "nan"};

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_ok(set_share(wrong[i]));
        assert_false(hyb_residence_share_is_valid());
    }
    assert_ok(set_share("auto"));
}

/* Device and team as fast as each other: in half of the time, and a bit. */
TEST(a_shared_matrix_is_predicted)
{
    hyb_residence_figures_t figures = fast;
    const hpl_shape_t shape = shape_of(20000, 256, 1, 1);
    double alone, shared;

    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        figures.rate[d] = fast.threads * fast.thread_rate;
    assert_ok(set_share("0"));
    alone = predict(&figures, &shape, 0.0).total;
    assert_ok(set_share("0.5"));
    shared = predict(&figures, &shape, 0.0).total;
    assert_ok(set_share("auto"));
    assert_true(shared > 0.5 * alone && shared < 0.6 * alone);
}

TEST(without_room_or_rates_columns_live_on_the_host)
{
    hyb_residence_figures_t poor[] = {fast, fast, fast};

    poor[0].memory = 1e6;
    poor[1].devices = 0;
    memset(poor[2].rate, 0, sizeof(poor[2].rate));
    for (size_t i = 0; i < COUNT_OF(poor); i++)
        assert_false(prefers_devices(poor[i], 80000, 1024));
    assert_false(prefers_devices(fast, 0, 1024));
}

TEST(all_processes_choose_alike)
{
    for (int n = 1000; n < 200000; n *= 3)
        for (int row = 0; row < 3; row++) {
            hpl_shape_t one = shape_of(n, 512, 3, 2), other = one;

            other.myrow = row;
            other.mycol = row % 2;
            assert_int_equal(hyb_residence_is_device("auto", &fast, &one),
                             hyb_residence_is_device("auto", &fast, &other));
        }
}

static double guests_of(const hyb_residence_figures_t *figures,
                        const hpl_shape_t *shape)
{
    bool guests;
    double rest = hyb_residence_rest(figures, shape, &guests);

    return guests ? rest : 0.0;
}

static double on_host(const hyb_residence_figures_t *figures,
                      const hpl_shape_t *shape)
{
    bool guests;
    double rest = hyb_residence_rest(figures, shape, &guests);

    return guests ? 0.0 : rest;
}

TEST(what_has_no_room_comes_from_host_memory)
{
    hpl_shape_t shape = shape_of(90000, 1024, 1, 1); /* 65 GB */
    hyb_residence_figures_t two = fast;
    double rest;

    assert_true(guests_of(&fast, &shape) + on_host(&fast, &shape) == 0.0);
    assert_ok(xh_settings_assign("group=6"));
    shape.n = 180000; /* four times as much, of which some 49 GB stay there */
    rest = guests_of(&fast, &shape);
    assert_true(rest > 1.0 - 54.0 / 259.2 && rest < 1.0 - 44.0 / 259.2);
    two.devices = 2;
    assert_true(fabs((1.0 - guests_of(&two, &shape)) / (1.0 - rest) - 2.0) <
                0.1);
    shape.nprow = 2; /* as much each, of a matrix twice as large */
    shape.n = 255000;
    assert_true(fabs((1.0 - guests_of(&fast, &shape)) / (1.0 - rest) - 1.0) <
                0.1);
    assert_ok(xh_settings_assign("group=auto"));
    shape = shape_of(180000, 1024, 1, 4);
    assert_true(guests_of(&fast, &shape) + on_host(&fast, &shape) == 0.0);
}

/* Then fewer columns of devices have no room, but the team's lie between. Where
 * guests find none either the host computes. */
TEST(the_team_has_its_share_among_guests)
{
    const hpl_shape_t shape = shape_of(150000, 1024, 1, 1);
    hyb_residence_figures_t small = fast;
    double alone, shared;

    assert_ok(set_share("0"));
    alone = guests_of(&fast, &shape);
    assert_ok(set_share("0.2"));
    shared = guests_of(&fast, &shape);
    assert_true(fabs((1.0 - shared) * (1.0 - 0.2) / (1.0 - alone) - 1.0) <
                0.03);
    assert_ok(set_share("auto"));
    small.memory = 8e9;
    assert_true(on_host(&small, &shape) > 0.9);
}

TEST(groups_are_as_wide_as_that_pays)
{
    const hpl_shape_t shape = shape_of(90000, 512, 1, 1);
    const hpl_shape_t large = shape_of(180000, 1024, 1, 1);
    const hpl_shape_t rows = shape_of(90000, 512, 2, 1);
    hyb_residence_figures_t slow = fast;

    assert_int_equal(hyb_residence_group(&fast, &shape),
                     2); /* of 1024 columns */
    assert_int_equal(hyb_residence_group(&fast, &rows), 2);
    assert_int_equal(hyb_residence_group(&fast, &large), 6); /* guests come */
    slow.link /= 2;
    assert_int_equal(hyb_residence_group(&slow, &large), 12);
    assert_ok(xh_settings_assign("group=3"));
    assert_int_equal(hyb_residence_group(&fast, &shape), 3);
    assert_ok(xh_settings_assign("group=auto"));
}

/* ---- the prediction ------------------------------------------------------ */

/* 2/3 n^3 by the device, where the team's panels hide. */
TEST(a_device_does_all_the_work_on_its_columns)
{
    hyb_residence_figures_t figures = fast;

    figures.threads = 4096;
    assert_ok(set_share("0"));
    assert_true(fabs(seconds(figures, 200000, 1024, 0.0) /
                         (2.0 / 3.0 * pow(200000, 3) / 6e13) -
                     1.0) < 0.05);
    assert_ok(set_share("auto"));
    /* however many panels there are */
    assert_true(isfinite(seconds(fast, 1000000000, 1, 0.0)));
}

/* They cross the link far less often than tiles; once it bounds them, they take
 * longer. */
TEST(guests_are_as_fast_as_their_link)
{
    const hpl_shape_t shape = shape_of(160000, 1024, 1, 1);
    hyb_residence_figures_t slow = fast;
    double all = predict(&fast, &shape, 0.0).total;

    assert_true(hyb_residence_predict(&fast, &shape, 0.5, true).total <
                1.05 * all);
    assert_true(predict(&fast, &shape, 0.5).total > 1.5 * all);
    slow.link /= 64;
    assert_true(hyb_residence_predict(&slow, &shape, 0.5, true).total >
                1.5 * hyb_residence_predict(&fast, &shape, 0.5, true).total);
}

TEST(without_look_ahead_phases_add_up)
{
    hpl_shape_t shape = shape_of(60000, 1024, 1, 1);
    hyb_residence_seconds_t s;

    shape.depth = 0;
    for (int host = 0; host < 2; host++) {
        s = predict(&fast, &shape, host);
        assert_true(s.total >= fmax(s.host, s.devices) + s.panel + s.link -
                                   1e-9 * s.total);
        assert_int_equal(s.link > 0.0, host == 0);
    }
}

static hyb_residence_figures_t with_panels(double devices, double peers)
{
    hyb_residence_figures_t figures = fast;

    figures.panel_rows = HUGE_VAL;
    figures.devices = devices;
    figures.peers = peers;
    return figures;
}

/* Else the team does. L1 alone moves then: no way counts. */
TEST(a_device_factors_where_it_is_quicker)
{
    const hpl_shape_t shape = shape_of(80000, 1024, 1, 1);
    hyb_residence_figures_t figures = with_panels(1, 0);
    hyb_residence_seconds_t there = predict(&figures, &shape, 0.0);

    assert_true(there.link == 0.0);
    assert_true(there.total < predict(&fast, &shape, 0.0).total);
    assert_true(predict(&figures, &shape, 0.5).link > 0.0); /* the host's */
    figures.threads = 4096;
    figures.link = 1e12;
    assert_true(predict(&figures, &shape, 0.0).link > 0.0);
    figures = with_panels(1, 0);
    figures.panel_rows = 1;
    assert_true(predict(&figures, &shape, 0.0).total == there.total);
}

/* Three of four devices take a panel from the fourth, by its link; by the host
 * it goes down and up. */
TEST(peers_take_panels_by_the_link_of_one)
{
    hpl_shape_t shape = shape_of(80000, 1024, 1, 1);
    hyb_residence_figures_t two = with_panels(2, 1), four = with_panels(4, 1);
    hyb_residence_figures_t by_host = with_panels(2, 0);
    double one = predict(&two, &shape, 0.0).link;

    assert_true(one > 0.0);
    assert_true(fabs(predict(&four, &shape, 0.0).link / one - 3.0) < 1e-9);
    assert_true(fabs(predict(&by_host, &shape, 0.0).link / one - 2.0) < 1e-9);
    shape.npcol = 2; /* other processes read it from the host */
    assert_true(fabs(predict(&two, &shape, 0.0).link / one - 3.0) < 1e-9);
}

TEST(rows_that_mpi_takes_from_a_device_cross_no_link)
{
    const hpl_shape_t shape = shape_of(80000, 1024, 2, 1);
    hyb_residence_figures_t figures = with_panels(1, 0), direct = figures;

    direct.device_mpi = 1;
    assert_true(predict(&figures, &shape, 0.0).link >
                0.9 * 8.0 * 80000.0 * 80000.0 / figures.link);
    assert_true(predict(&direct, &shape, 0.0).link == 0.0);
    assert_true(predict(&direct, &shape, 0.0).total <=
                predict(&figures, &shape, 0.0).total);
    figures.devices = direct.devices = 2;
    assert_true(predict(&direct, &shape, 0.0).link ==
                predict(&figures, &shape, 0.0).link);
}
