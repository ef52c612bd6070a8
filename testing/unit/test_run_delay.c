/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run_delay.h"

#include <unistd.h>
#include "base/clock.h"
#include "testing/unit/unit.h"

static void work(double seconds)
{
    double end = xh_clock_wall() + seconds;

    while (xh_clock_wall() < end)
        ;
}

TEST(others_have_their_part_of_the_time)
{
    const xh_run_delay_t from = {1.0, 2.0}, to = {2.0, 5.0}, back = {2.0, 1.0};

    assert_true(xh_run_delay_of_others(&from, &to) == 0.75);
    assert_true(xh_run_delay_of_others(&from, &from) == 0.0);
    assert_true(xh_run_delay_of_others(&from, &back) == 0.0);
}

TEST(a_thread_that_works_runs_or_waits)
{
    xh_run_delay_t before, after, all = xh_run_delay_of_process();
    int file = 0;
    double start = xh_clock_wall(), sum;

    if (!xh_run_delay_read(&file, &before))
        skip(); /* this system does not tell */
    work(0.2);
    xh_run_delay_read(&file, &after);
    sum = after.ran - before.ran + after.waited - before.waited;
    assert_true(sum > 0.0 && sum < xh_clock_wall() - start + 0.1);
    after = xh_run_delay_of_process();
    assert_true(after.ran > all.ran);
    close(file);
}

TEST(a_system_that_does_not_tell_gives_zeros)
{
    xh_run_delay_t run_delay = {1.0, 1.0};
    int file = -1;

    assert_false(xh_run_delay_read(&file, &run_delay));
    assert_true(run_delay.ran == 0.0 && run_delay.waited == 0.0 && file == -1);
}
