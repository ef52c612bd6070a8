/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4 long */
/*
 * Threads and messages are late at random: what is right must not depend on
 * who comes first, and nobody may wait for ever. Threads are late where they
 * read the clock, that is around all they do, and messages where MPI is asked
 * for them. In each run every thread of every process has another way of being
 * late, so that some are far ahead of others.
 */
#include "testing/unit/unit_mpi.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include "base/clock.h"
#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"
#include "testing/unit/hpl/small_system.h"

/* How a thread is late in one run: a delay every so many turns, on average. */
typedef struct {
    int turns, longest; /* us */
} habit_t;

static const habit_t habits[] = {
    {1 << 30, 1}, {100, 2000}, {30, 500}, {8, 200}, {3, 60}};

typedef struct {
    uint64_t random;
    int run; /* the habit's */
    habit_t habit;
} thread_t;

static atomic_int current_run; /* from 1; 0: nobody is late */

/* Another sequence for each thread of each process. */
static thread_t *my_thread(void)
{
    static atomic_int threads;
    static _Thread_local thread_t me;

    if (me.random == 0)
        me.random = 1 + (uint64_t)unit_rank() * 1000 +
                    (uint64_t)atomic_fetch_add(&threads, 1);
    return &me;
}

static void be_late_sometimes(void)
{
    int run = atomic_load(&current_run);
    struct timespec delay = {0, 0};
    thread_t *me;

    if (run == 0)
        return;
    me = my_thread();
    if (me->run != run) {
        me->run = run;
        me->habit = habits[small_random(&me->random, COUNT_OF(habits))];
    }
    if (small_random(&me->random, me->habit.turns) > 0)
        return;
    delay.tv_nsec = 1000L * small_random(&me->random, me->habit.longest + 1);
    nanosleep(&delay, NULL);
}

static double late_clock(void *context)
{
    (void)context;
    be_late_sometimes();
    return xh_clock_wall();
}

/* What the solver asks MPI for what is under way, in place of MPI's own. */
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    be_late_sometimes();
    return PMPI_Test(request, flag, status);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag,
                MPI_Status statuses[])
{
    be_late_sometimes();
    return PMPI_Testall(count, requests, flag, statuses);
}

/* What waits sleeps: those who are on time get the cores. */
int sched_yield(void)
{
    return nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static const char *begin_run(int i)
{
    atomic_store(&current_run, i + 1);
    return "";
}

/* Solve with so many devices a process; all threads are late. */
static void solve_late(int devices, const combinations_t *of)
{
    int failures;

    solver_open_with_devices(devices, of->settings);
    xh_clock_install(late_clock, NULL);
    failures = combinations_solve(of);
    atomic_store(&current_run, 0);
    solver_close();
    xh_clock_install(NULL, NULL);
    combinations_end(failures);
}

/* A case; all in all there are 200 runs. */
#define TEST_LATE(sentence, devices, with, runs, ...)                          \
    TEST(sentence)                                                             \
    {                                                                          \
        solve_late(devices, &(combinations_t){.seed = 77,                      \
                                              .prepare = begin_run,            \
                                              .settings = with,                \
                                              .count = runs,                   \
                                              NARROWED(__VA_ARGS__)});         \
    }

#define SMALL                                                                  \
    {N, 40, 80, 1},                                                            \
    {                                                                          \
        NB, 6, 12, 1                                                           \
    }

TEST_LATE(delays_do_not_hold_up_look_ahead_of_swaps, 0, "threads=2 lookahead=2",
          30, SMALL, {P, 2, 2, 1}, {Q, 2, 2, 1})
TEST_LATE(delays_do_not_hold_up_rows_of_processes, 0, "threads=3 lookahead=2",
          40, SMALL, {P, 1, 1, 1}, {Q, 1, 4, 1})
TEST_LATE(delays_do_not_hold_up_columns_of_processes, 0,
          "threads=2 lookahead=2", 30, SMALL, {P, 2, 4, 1}, {Q, 1, 1, 1})
TEST_LATE(delays_do_not_hold_up_many_exchanges, 0, "threads=2 lookahead=2", 10,
          {N, 700, 700, 1}, {NB, 40, 60, 1}, {P, 2, 4, 1}, {Q, 1, 1, 1})
TEST_LATE(delays_do_not_hold_up_look_ahead_of_a_panel, 0,
          "threads=2 lookahead=1", 30, SMALL, {P, 1, 4, 1}, {Q, 1, 4, 1})
TEST_LATE(delays_do_not_hold_up_mixed_look_ahead, 0,
          "threads=2 lookahead=mixed", 35, SMALL, {P, 1, 4, 1}, {Q, 1, 4, 1})
TEST_LATE(delays_do_not_hold_up_devices, 1,
          "threads=2 lookahead=mixed tile=16 split=fixed:0.6", 30, SMALL,
          {P, 1, 4, 1}, {Q, 1, 4, 1})
