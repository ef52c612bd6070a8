/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "testing/unit/unit.h"

static double model(void *context)
{
    double *t = context;

    return *t += 0.5;
}

static void the_wall_never_runs_backwards(void **state)
{
    double before = xh_clock_now();
    int i;

    (void)state;
    for (i = 0; i < 10000; i++) {
        double now = xh_clock_now();

        assert_true(now >= before);
        before = now;
    }
}

static void an_installed_clock_answers_until_it_is_removed(void **state)
{
    double t = 1e6;
    double wall = xh_clock_wall();

    (void)state;
    xh_clock_install(model, &t);
    assert_true(xh_clock_now() == 1e6 + 0.5);
    assert_true(xh_clock_now() == 1e6 + 1.0);
    assert_true(xh_clock_wall() >= wall);
    assert_true(t == 1e6 + 1.0);
    xh_clock_install(NULL, NULL);
    assert_true(xh_clock_now() >= wall);
    assert_true(t == 1e6 + 1.0);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(the_wall_never_runs_backwards),
    cmocka_unit_test(an_installed_clock_answers_until_it_is_removed),
};
UNIT_MAIN(cases)
