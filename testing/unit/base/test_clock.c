/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "testing/unit/unit.h"

static double model(void *context)
{
    double *t = context;

    return *t += 0.5;
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

TEST(seconds_have_a_whole_part_and_nanoseconds)
{
    struct timespec t = xh_clock_timespec(3.25);

    assert_true(t.tv_sec == 3 && t.tv_nsec == 250000000);
    t = xh_clock_timespec(0.0);
    assert_true(t.tv_sec == 0 && t.tv_nsec == 0);
    t = xh_clock_timespec(1.7e9 - 0x1p-20);
    assert_true(t.tv_sec == 1699999999 && t.tv_nsec < 1000000000);
}
