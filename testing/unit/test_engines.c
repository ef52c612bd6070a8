/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/engines.h"

#include <math.h>
#include "testing/unit/unit.h"

enum { ROWS = 10000, NB = 100 };

/* The panel of rows took engine so many seconds a row. */
static void learn(hyb_engines_t *e, hyb_panel_by_t engine, int64_t rows,
                  double seconds)
{
    hyb_engines_learn(e, engine, rows, NB, seconds * (double)rows);
}

TEST(both_are_tried_and_the_quicker_one_stays)
{
    for (int quicker = 0; quicker < HYB_ENGINES; quicker++) {
        hyb_engines_t e = {.rows = {0}};

        assert_int_equal(hyb_engines_choose(&e, ROWS), HYB_PANEL_BY_DEVICE);
        learn(&e, HYB_PANEL_BY_DEVICE, ROWS,
              quicker == HYB_PANEL_BY_DEVICE ? 1 : 9);
        assert_int_equal(hyb_engines_choose(&e, ROWS), HYB_PANEL_BY_TEAM);
        learn(&e, HYB_PANEL_BY_TEAM, ROWS,
              quicker == HYB_PANEL_BY_TEAM ? 1 : 9);
        for (int64_t rows = ROWS; rows > 0; rows /= 2)
            assert_int_equal(hyb_engines_choose(&e, rows), quicker);
    }
}

TEST(a_near_one_is_tried_again_when_panels_are_half_as_long)
{
    hyb_engines_t e = {.rows = {0}};

    learn(&e, HYB_PANEL_BY_DEVICE, ROWS, 1);
    learn(&e, HYB_PANEL_BY_TEAM, ROWS, 3);
    assert_int_equal(hyb_engines_choose(&e, ROWS / 2), HYB_PANEL_BY_DEVICE);
    assert_int_equal(hyb_engines_choose(&e, ROWS / 2 - 1), HYB_PANEL_BY_TEAM);
    learn(&e, HYB_PANEL_BY_TEAM, ROWS / 2 - 1, 0.5);
    assert_int_equal(hyb_engines_choose(&e, ROWS / 2 - 2), HYB_PANEL_BY_DEVICE);
    learn(&e, HYB_PANEL_BY_DEVICE, ROWS / 2 - 2, 2);
    assert_int_equal(hyb_engines_choose(&e, ROWS / 2 - 3), HYB_PANEL_BY_TEAM);
}

/* A panel has rows NB^2 flop. */
TEST(a_device_quicker_than_the_teams_products_needs_no_trial)
{
    const double pace = 1.0 / (NB * NB);
    hyb_engines_t e = {.team_rate = 0.9 / pace};

    learn(&e, HYB_PANEL_BY_DEVICE, ROWS, 1);
    assert_int_equal(hyb_engines_choose(&e, ROWS), HYB_PANEL_BY_DEVICE);
    e.team_rate = 1.1 / pace;
    assert_int_equal(hyb_engines_choose(&e, ROWS), HYB_PANEL_BY_TEAM);
}

TEST(times_that_are_none_teach_nothing)
{
    static const double bad[] = {0, -1, INFINITY, NAN};
    hyb_engines_t e = {.rows = {0}};

    for (size_t i = 0; i < COUNT_OF(bad); i++)
        learn(&e, HYB_PANEL_BY_DEVICE, ROWS, bad[i]);
    learn(&e, HYB_PANEL_BY_DEVICE, 0, 1);
    assert_int_equal(hyb_engines_choose(&e, ROWS), HYB_PANEL_BY_DEVICE);
}

TEST_MAIN()
