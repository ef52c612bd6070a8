/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 3 */
#include "testing/ptest/record_clocks.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>
#include "hpl_solver.h"
#include "testing/unit/unit_mpi.h"

static const double soon = 0.01, never = 1e6; /* s */

static int rank;
static _Atomic int readings;
static _Atomic int cores; /* of the last reading */

/* 1000, 2000, ... MHz, each with a core that is 100 slower; 50, 51, ... C. */
static hpl_clocks_t rising(const int *cpus, int count)
{
    int n = atomic_fetch_add(&readings, 1);
    double mhz = 1000.0 * (n + 1);

    assert_non_null(cpus);
    atomic_store(&cores, count);
    return (hpl_clocks_t){
        .least = mhz - 100, .mean = mhz - 50, .most = mhz, .celsius = 50.0 + n};
}

static hpl_workers_t on_two_cores(void)
{
    return (hpl_workers_t){.threads = 2, .cpus = "0-1"};
}

/* Install a solver that reads clocks so, and open; this process is the first of
 * its host if it is that of the job. */
static xhpl_clocks_t *opened(hpl_clocks_t (*read)(const int *, int),
                             double first, double between)
{
    static hpl_solver_t solver;
    xhpl_clocks_t *clocks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    atomic_store(&readings, 0);
    solver = hpl_reference_solver;
    solver.clocks = read;
    solver.workers = on_two_cores;
    hpl_solver_install(&solver);
    assert_ok(xhpl_clocks_open(rank, first, between, NULL, &clocks));
    xhpl_clocks_begin(clocks);
    return clocks;
}

static json_t *closed(xhpl_clocks_t *clocks)
{
    json_t *list = xhpl_clocks_gather(clocks, MPI_COMM_WORLD);

    xhpl_clocks_close(clocks);
    hpl_solver_install(NULL);
    assert_int_equal(list != NULL, rank == 0);
    return list;
}

/* Of the only host. */
static double number(json_t *list, const char *key)
{
    assert_int_equal(json_array_size(list), 1);
    return json_number_value(json_object_get(json_array_get(list, 0), key));
}

static void wait_for(int count)
{
    const struct timespec nap = {.tv_nsec = 1000000};

    while (rank == 0 && atomic_load(&readings) < count)
        nanosleep(&nap, NULL);
}

TEST(a_short_phase_is_looked_at_right_behind_it)
{
    xhpl_clocks_t *clocks = opened(rising, never, never);
    json_t *list;

    xhpl_clocks_start(clocks);
    assert_int_equal(atomic_load(&readings), 0);
    xhpl_clocks_stop(clocks);
    list = closed(clocks);
    if (rank != 0)
        return;
    assert_int_equal(atomic_load(&readings), 1);
    assert_int_equal(atomic_load(&cores), 2);
    assert_true(number(list, "samples") == 0.0);
    assert_true(number(list, "mhz_least") == 900.0);
    assert_true(number(list, "mhz_mean") == 950.0);
    assert_true(number(list, "mhz_most") == 1000.0);
    assert_true(number(list, "temperature_celsius") == 50.0);
    json_decref(list);
}

TEST(readings_of_a_long_phase_are_joined)
{
    xhpl_clocks_t *clocks = opened(rising, soon, soon);
    json_t *list;
    int n;

    xhpl_clocks_start(clocks);
    wait_for(3);
    xhpl_clocks_stop(clocks);
    list = closed(clocks);
    if (rank != 0)
        return;
    n = atomic_load(&readings);
    assert_true(number(list, "samples") == n);
    assert_true(number(list, "mhz_least") == 900.0);
    assert_true(fabs(number(list, "mhz_mean") - (500.0 * (n + 1) - 50)) < 1e-6);
    assert_true(number(list, "mhz_most") == 1000.0 * n);
    assert_true(number(list, "temperature_celsius") == 49.0 + n);
    json_decref(list);
}

TEST(each_phase_has_readings_of_its_own)
{
    xhpl_clocks_t *clocks = opened(rising, soon, never);
    json_t *list;

    xhpl_clocks_start(clocks);
    wait_for(1);
    xhpl_clocks_stop(clocks);
    xhpl_clocks_start(clocks);
    wait_for(2);
    xhpl_clocks_stop(clocks);
    list = closed(clocks);
    if (rank != 0)
        return;
    assert_true(number(list, "samples") == 1.0);
    assert_true(number(list, "mhz_least") == 1900.0);
    json_decref(list);
}

TEST(a_solver_that_does_not_look_has_none)
{
    xhpl_clocks_t *clocks = opened(NULL, soon, soon);
    json_t *list;

    xhpl_clocks_start(clocks);
    xhpl_clocks_stop(clocks);
    list = closed(clocks);
    assert_int_equal(json_is_null(list), rank == 0);
}

TEST_MPI_MAIN()
