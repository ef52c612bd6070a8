/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; long */
/*
 * Threads and messages are late at random: what is right must not depend on
 * who comes first, and nobody may wait for ever. Threads are late where they
 * read the clock, that is around all they do, and messages where MPI is asked
 * for them.
 */
#include "testing/unit/unit_mpi.h"

#include <stdatomic.h>
#include <time.h>
#include "base/clock.h"
#include "testing/unit/combinations.h"
#include "testing/unit/driver_fixture.h"
#include "testing/unit/small_system.h"

enum { LONGEST = 200, MOST_OFTEN = 1 << 30 }; /* us; turns between delays */

static atomic_int turns_between = MOST_OFTEN; /* on average */

/* Another sequence for each thread of each process. */
static uint64_t *my_random(void)
{
    static atomic_int threads;
    static _Thread_local uint64_t random;
    int rank;

    if (random == 0) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        random =
            1 + (uint64_t)rank * 1000 + (uint64_t)atomic_fetch_add(&threads, 1);
    }
    return &random;
}

static void be_late_sometimes(void)
{
    uint64_t *random = my_random();
    struct timespec delay = {0, 0};

    if (small_random(random, atomic_load(&turns_between)) > 0)
        return;
    delay.tv_nsec = 1000L * small_random(random, LONGEST + 1);
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

/* Solve runs small systems on 2 x 2 processes of two threads. */
static void solve_late(const char *settings, int runs)
{
    static const range_t small[] = {
        {N, 64, 64, 1}, {NB, 8, 8, 1}, {P, 2, 2, 1}, {Q, 2, 2, 1}};
    uint64_t random = 77;
    int i, failures = 0;

    driver_open("threads=2");
    driver_set(settings);
    xh_clock_install(late_clock, NULL);
    atomic_store(&turns_between, 8);
    for (i = 0; i < runs; i++) {
        combination_t c = combination_next(small, 4, &random);
        const char *wrong = combination_solve(&c);

        if (wrong != NULL)
            combination_print(&c, wrong, settings);
        failures += wrong != NULL;
    }
    atomic_store(&turns_between, MOST_OFTEN);
    driver_close();
    xh_clock_install(NULL, NULL);
    combinations_end(failures);
}

static void delays_do_not_hold_up_look_ahead_of_swaps(void **state)
{
    (void)state;
    solve_late("lookahead=2", 500);
}

static void delays_do_not_hold_up_look_ahead_of_a_panel(void **state)
{
    (void)state;
    solve_late("lookahead=1", 100);
}

static void delays_do_not_hold_up_runs_without_look_ahead(void **state)
{
    (void)state;
    solve_late("lookahead=0", 50);
}

static void delays_do_not_hold_up_mixed_look_ahead(void **state)
{
    (void)state;
    solve_late("lookahead=mixed", 200);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(delays_do_not_hold_up_look_ahead_of_swaps),
    cmocka_unit_test(delays_do_not_hold_up_look_ahead_of_a_panel),
    cmocka_unit_test(delays_do_not_hold_up_runs_without_look_ahead),
    cmocka_unit_test(delays_do_not_hold_up_mixed_look_ahead),
};

UNIT_MPI_MAIN(cases)
