/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/panel_pace.h"

#include <math.h>
#include "testing/unit/unit.h"

enum { ROWS = 10000, NB = 100 };

/* The panel of rows took the device, or the team, so many seconds a row. */
static void learn(hyb_panel_pace_t *e, bool by_device, int64_t rows,
                  double seconds)
{
    hyb_panel_pace_learn(e, by_device, rows, NB, seconds * (double)rows);
}

TEST(both_are_tried_and_the_quicker_one_stays)
{
    for (int quicker = 0; quicker < 2; quicker++) {
        hyb_panel_pace_t e = {.rows = {0}};

        assert_true(hyb_panel_pace_choose_device(&e, ROWS));
        learn(&e, true, ROWS, quicker ? 1 : 9);
        assert_false(hyb_panel_pace_choose_device(&e, ROWS));
        learn(&e, false, ROWS, !quicker ? 1 : 9);
        for (int64_t rows = ROWS; rows > 0; rows /= 2)
            assert_int_equal(hyb_panel_pace_choose_device(&e, rows), quicker);
    }
}

TEST(a_near_one_is_tried_again_when_panels_are_half_as_long)
{
    hyb_panel_pace_t e = {.rows = {0}};

    learn(&e, true, ROWS, 1);
    learn(&e, false, ROWS, 3);
    assert_true(hyb_panel_pace_choose_device(&e, ROWS / 2));
    assert_false(hyb_panel_pace_choose_device(&e, ROWS / 2 - 1));
    learn(&e, false, ROWS / 2 - 1, 0.5);
    assert_true(hyb_panel_pace_choose_device(&e, ROWS / 2 - 2));
    learn(&e, true, ROWS / 2 - 2, 2);
    assert_false(hyb_panel_pace_choose_device(&e, ROWS / 2 - 3));
}

/* A panel has rows NB^2 flop. */
TEST(a_device_quicker_than_the_teams_products_needs_no_trial)
{
    const double pace = 1.0 / (NB * NB);
    hyb_panel_pace_t e = {.team_rate = 0.9 / pace};

    learn(&e, true, ROWS, 1);
    assert_true(hyb_panel_pace_choose_device(&e, ROWS));
    e.team_rate = 1.1 / pace;
    assert_false(hyb_panel_pace_choose_device(&e, ROWS));
}

TEST(times_that_are_none_teach_nothing)
{
    static const double bad[] = {0, -1, INFINITY, NAN};
    hyb_panel_pace_t e = {.rows = {0}};

    for (size_t i = 0; i < COUNT_OF(bad); i++)
        learn(&e, true, ROWS, bad[i]);
    learn(&e, true, 0, 1);
    assert_true(hyb_panel_pace_choose_device(&e, ROWS));
}
