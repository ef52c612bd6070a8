/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */

#include <math.h>
#include "base/clock.h"
#include "hybrid/device/machine_private.h"
#include "testing/unit/node/small_team.h"
#include "testing/unit/unit.h"
#include "hybrid/lu/solver/factorization.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"

static double now;

static double model_clock(void *context)
{
    (void)context;
    return now;
}

UNIT_STEP(begin)
{
    xh_clock_install(model_clock, NULL);
}

UNIT_STEP(end)
{
    xh_clock_install(NULL, NULL);
}

static const char *where(const hyb_worker_t *me)
{
    static char text[128];

    hyb_timer_where(me, 40, text, sizeof(text));
    return text;
}

TEST_WITH(each_second_counts_once_where_activities_are_nested, begin, end)
{
    hyb_worker_t me = {.member = 0};
    hyb_lap_t before, lap;

    now = 10.0;
    hyb_timer_begin(&me, HYB_WAIT_COLUMNS, 3);
    now = 11.0;
    hyb_timer_begin(&me, HYB_SOLVE, 3);
    now = 12.0;
    hyb_timer_begin(&me, HYB_BROADCAST, 3);
    now = 12.5;
    hyb_timer_end(&me);
    before = hyb_timer_lap(&me, 1);
    now = 14.0;
    assert_true(hyb_timer_end(&me) == 3.0);
    now = 15.0;
    hyb_timer_end(&me);
    lap = hyb_timer_lap(&me, 1);
    assert_true(lap.team[HYB_BROADCAST] == 0.5);
    assert_true(lap.team[HYB_SOLVE] == 2.5);
    assert_true(lap.leader[HYB_WAIT_COLUMNS] == 2.0);
    lap = hyb_lap_between(&before, &lap);
    assert_true(lap.time == 2.5 && lap.team[HYB_SOLVE] == 2.5);
    assert_true(lap.team[HYB_BROADCAST] == 0.0);
}

/* Those that ended are steps, but a poll may move nothing. */
TEST_WITH(what_is_done_is_the_innermost_activity, begin, end)
{
    hyb_worker_t me = {.member = 0};

    hyb_timer_begin(&me, HYB_WAIT_PANEL, 5);
    hyb_timer_begin(&me, HYB_BROADCAST, 5);
    hyb_timer_end(&me);
    assert_int_equal(hyb_timer_steps(&me, 1), 0);
    hyb_timer_begin(&me, HYB_SOLVE, 4);
    assert_string_equal(where(&me), "iteration 4 of 40, in the update: "
                                    "solving");
    hyb_timer_end(&me);
    assert_int_equal(hyb_timer_steps(&me, 1), 1);
    assert_string_equal(where(&me), "iteration 5 of 40, in the broadcast: "
                                    "waiting for a panel");
}

TEST(only_large_products_are_paced)
{
    hyb_worker_t me = {.member = 0};

    hyb_timer_begin_product(&me, 0, 1e3);
    hyb_timer_end_product(&me, 1e3);
    assert_true(me.flop == 1e3 && me.paced_flop == 0.0 && me.paced_cpu == 0.0);
    hyb_timer_begin_product(&me, 0, 1e9);
    hyb_timer_end_product(&me, 1e9);
    assert_true(me.flop == 1e9 + 1e3 && me.paced_flop == 1e9);
    assert_true(me.paced_cpu > 0.0);
    hyb_timer_close(&me);
}

/* Two threads: what each spent, and how fast they were while they had their
 * cores. */
TEST(work_is_the_mean_of_threads)
{
    hyb_worker_t worker[2] = {
        {.flop = 3e9, .paced_flop = 3e9, .paced_seconds = 1.5, .paced_cpu = 1.},
        {.flop = 1e9, .paced_flop = 1e9, .paced_seconds = .1, .paced_cpu = 1.}};
    hyb_machine_t machine = {.devices = 0};
    hyb_lu_t lu = {.worker = worker,
                   .resources = {.machine = &machine},
                   .homes = {.devices = {.flop = 5e9}}};
    hpl_work_t work;

    lu.resources.team = small_team(2);
    worker[0].seconds[HYB_PANEL] = 1.0;
    worker[0].seconds[HYB_MULTIPLY] = 2.0;
    worker[1].seconds[HYB_MULTIPLY] = 2.0;
    worker[0].seconds[HYB_WAIT_ROWS] = 4.0;
    worker[1].seconds[HYB_WAIT_COLUMNS] = 3.0;
    work = hyb_factorization_work(&lu);
    assert_true(work.panel == 0.5 && work.update == 2.0 && work.wait == 3.5);
    assert_true(work.swap == 0.0 && work.exchange == 0.0);
    assert_true(work.flop == 9e9);
    assert_true(work.rate == 2e9);
    worker[0].paced_seconds = worker[0].paced_cpu = 0.0;
    worker[1].paced_seconds = worker[1].paced_cpu = 0.0;
    assert_true(isnan(hyb_factorization_work(&lu).rate));
    hyb_team_destroy(lu.resources.team);
}
