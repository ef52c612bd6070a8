/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "testing/unit/unit.h"
#include "testing/xdgemm/pace.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b))

/* Feed a torture of `seconds` with products of one flop each; rate says the
 * rate at a time. */
static xdg_pace_t paced(double seconds, double (*rate)(double time))
{
    xdg_pace_t pace;
    double time = 0.0;

    xdg_pace_begin(&pace, seconds);
    for (int i = 1; time < seconds; i++) {
        time += 1.0 / rate(time);
        xdg_pace_add(&pace, time, i);
    }
    return pace;
}

static double steady(double time)
{
    (void)time;
    return 50.0;
}

/* A cold second, then 100, then ever slower from the half on. */
static double throttled(double time)
{
    return time < 1.0 ? 400.0 : time < 50.0 ? 100.0 : 40.0;
}

TEST(a_steady_rate_is_kept)
{
    const double seconds[] = {0.1, 2.0, 100.0, 3600.0};

    for (size_t i = 0; i < COUNT_OF(seconds); i++) {
        xdg_pace_t pace = paced(seconds[i], steady);

        assert_near(xdg_pace_start(&pace), 50.0);
        assert_near(xdg_pace_end(&pace), 50.0);
    }
}

/* What warms up does not count, and a window is a second. */
TEST(a_rate_that_falls_shows_in_the_end_beside_the_start)
{
    xdg_pace_t pace = paced(100.0, throttled);

    assert_near(xdg_pace_start(&pace), 100.0);
    assert_near(xdg_pace_end(&pace), 40.0);
}

TEST(the_best_window_counts_and_only_of_the_first_ten)
{
    xdg_pace_t pace;
    double total = 0.0;

    xdg_pace_begin(&pace, 40.0);
    for (int i = 1; i <= 40; i++) {
        total += i == 1 || i == 15 ? 900.0 : i == 5 ? 80.0 : 60.0;
        xdg_pace_add(&pace, i, total);
    }
    assert_near(xdg_pace_start(&pace), 80.0);
    assert_near(xdg_pace_end(&pace), 60.0);
}

TEST(slow_products_make_longer_windows)
{
    xdg_pace_t pace;

    xdg_pace_begin(&pace, 10.0);
    assert_true(isnan(xdg_pace_end(&pace)));
    xdg_pace_add(&pace, 4.0, 8.0);
    assert_true(isnan(xdg_pace_start(&pace)));
    assert_near(xdg_pace_end(&pace), 2.0);
    xdg_pace_add(&pace, 9.0, 16.0);
    assert_near(xdg_pace_start(&pace), 1.6);
    xdg_pace_add(&pace, 14.0, 20.0);
    assert_near(xdg_pace_start(&pace), 1.6);
    assert_near(xdg_pace_end(&pace), 0.8);
}

/* More marks than there is room for: then the last part is longer. */
TEST(a_torture_that_does_not_end_in_time_has_an_end_rate)
{
    xdg_pace_t pace;

    xdg_pace_begin(&pace, 1.0);
    for (int i = 1; i <= 1000; i++)
        xdg_pace_add(&pace, 0.02 * i, i <= 127 ? 0.0 : i - 127);
    assert_int_equal(pace.marks, XDG_PACE_MARKS);
    assert_near(xdg_pace_end(&pace), 50.0);
}
