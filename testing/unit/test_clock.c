/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "testing/unit/unit.h"

static double model(void *context)
{
    double *t = context;

    return *t += 0.5;
}

TEST(the_wall_never_runs_backwards)
{
    double before = xh_clock_now();

    for (int i = 0; i < 10000; i++) {
        double now = xh_clock_now();

        assert_true(now >= before);
        before = now;
    }
}

TEST(an_installed_clock_answers_until_it_is_removed)
{
    double t = 1e6;
    double wall = xh_clock_wall();

    xh_clock_install(model, &t);
    assert_true(xh_clock_now() == 1e6 + 0.5);
    assert_true(xh_clock_now() == 1e6 + 1.0);
    assert_true(xh_clock_wall() >= wall);
    assert_true(t == 1e6 + 1.0);
    xh_clock_install(NULL, NULL);
    assert_true(xh_clock_now() >= wall);
    assert_true(t == 1e6 + 1.0);
}

TEST_MAIN()
