/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 3; needs: mpi */
#include "testing/unit/unit_mpi.h"
#include "base/clock.h"
#include "hpl.h"

/* time passes only when a case says so */
static double now;

static double fake_clock(void *context)
{
    return *(double *)context;
}

UNIT_STEP(boot)
{
    now = 100.0;
    xh_clock_install(fake_clock, &now);
    HPL_timer_boot();
    HPL_ptimer_boot();
}

UNIT_STEP(restore)
{
    xh_clock_install(NULL, NULL);
}

/* Let timer i run for some seconds. */
static void run(void (*timer)(const int), int i, double seconds)
{
    timer(i);
    now += seconds;
    timer(i);
}

#define TEST_SET_UP(name) TEST_WITH(name, boot, restore)

TEST_SET_UP(a_timer_adds_up_the_times_it_ran)
{
    run(HPL_timer, 3, 2.0);
    now += 50.0;
    run(HPL_timer, 3, 0.5);
    run(HPL_timer, 63, 4.0);
    assert_true(HPL_timer_inquire(HPL_WALL_TIME, 3) == 2.5);
    assert_true(HPL_timer_inquire(HPL_WALL_TIME, 63) == 4.0);
    assert_true(HPL_timer_inquire(HPL_WALL_TIME, 0) == 0.0);
    assert_true(HPL_ptimer_inquire(HPL_WALL_PTIME, 3) == 0.0);
}

TEST_SET_UP(timers_may_run_inside_each_other_and_booting_forgets_them)
{
    HPL_ptimer(1);
    run(HPL_ptimer, 2, 3.0);
    now += 1.0;
    HPL_ptimer(1);
    assert_true(HPL_ptimer_inquire(HPL_WALL_PTIME, 1) == 4.0);
    assert_true(HPL_ptimer_inquire(HPL_WALL_PTIME, 2) == 3.0);
    run(HPL_timer, 1, 1.0);
    HPL_timer(2);
    HPL_timer_boot();
    assert_true(HPL_timer_inquire(HPL_WALL_TIME, 1) == 0.0);
    run(HPL_timer, 2, 1.0);
    assert_true(HPL_timer_inquire(HPL_WALL_TIME, 2) == 1.0);
}

TEST_SET_UP(disabled_timers_do_nothing_and_tell_nothing)
{
    run(HPL_timer, 1, 1.0);
    run(HPL_ptimer, 1, 1.0);
    HPL_timer_disable();
    HPL_ptimer_disable();
    run(HPL_timer, 1, 10.0);
    run(HPL_ptimer, 1, 10.0);
    assert_true(HPL_timer_inquire(HPL_WALL_TIME, 1) == HPL_TIMER_ERROR);
    assert_true(HPL_ptimer_inquire(HPL_CPU_PTIME, 1) == HPL_PTIMER_ERROR);
    HPL_timer_enable();
    HPL_ptimer_enable();
    assert_true(HPL_timer_inquire(HPL_WALL_TIME, 1) == 1.0);
    assert_true(HPL_ptimer_inquire(HPL_WALL_PTIME, 1) == 1.0);
}

TEST_SET_UP(a_slot_that_does_not_exist_is_an_error_to_read)
{
    HPL_timer(-1);
    HPL_timer(HPL_NTIMER);
    assert_true(HPL_timer_inquire(HPL_WALL_TIME, -1) == HPL_TIMER_ERROR);
    assert_true(HPL_ptimer_inquire(HPL_WALL_PTIME, HPL_NPTIMER) ==
                HPL_PTIMER_ERROR);
}

TEST_SET_UP(cpu_time_grows_with_work_alone)
{
    volatile double sink = 0.0;
    double before = HPL_timer_cputime();

    HPL_ptimer(5);
    while (HPL_ptimer_cputime() == before)
        sink = sink + 1.0;
    HPL_ptimer(5);
    assert_true(HPL_ptimer_inquire(HPL_CPU_PTIME, 5) > 0.0);
    assert_true(HPL_ptimer_inquire(HPL_WALL_PTIME, 5) == 0.0);
}

/* Timer 10 runs rank + 1 seconds, timer 11 twice that. */
TEST_SET_UP(readings_combine_to_the_same_on_all_processes)
{
    int rank = unit_rank(), size = unit_processes();
    double t[2];

    run(HPL_ptimer, 10, rank + 1.0);
    run(HPL_ptimer, 11, 2.0 * (rank + 1.0));
    HPL_ptimer_combine(MPI_COMM_WORLD, HPL_AMAX_PTIME, HPL_WALL_PTIME, 2, 10,
                       t);
    assert_true(t[0] == size && t[1] == 2 * size);
    HPL_ptimer_combine(MPI_COMM_WORLD, HPL_AMIN_PTIME, HPL_WALL_PTIME, 2, 10,
                       t);
    assert_true(t[0] == 1.0 && t[1] == 2.0);
    HPL_ptimer_combine(MPI_COMM_WORLD, HPL_SUM_PTIME, HPL_WALL_PTIME, 2, 10, t);
    assert_true(t[0] == size * (size + 1) / 2 && t[1] == 2 * t[0]);
    HPL_ptimer_disable();
    HPL_ptimer_combine(MPI_COMM_WORLD, HPL_SUM_PTIME, HPL_WALL_PTIME, 2, 0, t);
    assert_true(t[0] == HPL_PTIMER_ERROR && t[1] == HPL_PTIMER_ERROR);
}
