/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1; 3 surface; needs: json mpi */
#include "testing/ptest/record_parts.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>
#include "testing/unit/base/fake_root.h"
#include "testing/unit/unit_mpi.h"

static const double soon = 0.01, never = 1e6; /* s */

static int rank, processes;
static const char *root;
static _Atomic int readings;
static _Atomic int cores; /* of the last reading */
static hpl_solver_t solver;
static xhpl_phase_t *phase;
static json_t *measured; /* of the last phase */

UNIT_STEP(setup)
{
    rank = unit_rank();
    processes = unit_processes();
    root = fake_root_create();
    atomic_store(&readings, 0);
    solver = hpl_reference_solver;
    hpl_solver_install(&solver);
}

UNIT_STEP(teardown)
{
    xhpl_phase_close(phase);
    hpl_solver_install(NULL);
    fake_root_destroy();
    json_decref(measured);
    measured = NULL;
}

#define TEST_SET_UP(name) TEST_WITH(name, setup, teardown)

static void wait_for(int count)
{
    const struct timespec nap = {.tv_nsec = 1000000};

    while (rank == 0 && atomic_load(&readings) < count)
        nanosleep(&nap, NULL);
}

static void open_phase(double first, double between)
{
    assert_ok(xhpl_phase_open(root, first, between, &phase));
    xhpl_phase_begin(phase);
}

/* A phase that lasts until so many readings were made. */
static void pass_phase(int count)
{
    json_decref(measured);
    xhpl_phase_ready(phase);
    xhpl_phase_start(phase);
    wait_for(count);
    measured = xhpl_phase_stop(phase, MPI_COMM_WORLD, NULL, false);
    assert_int_equal(measured != NULL, rank == 0);
}

static bool knows(const char *name)
{
    return !json_is_null(json_object_get(measured, name));
}

/* ---- clocks -------------------------------------------------------------- */

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

static void open_rising(double first, double between)
{
    solver.clocks = rising;
    solver.workers = on_two_cores;
    open_phase(first, between);
}

/* The only host has these clocks, on process 0. */
static void assert_clocks(int samples, double least, double mean, double most,
                          double celsius)
{
    const char *const names[] = {"samples", "mhz_least", "mhz_mean", "mhz_most",
                                 "temperature_celsius"};
    const double wanted[] = {samples, least, mean, most, celsius};
    json_t *list = json_object_get(measured, "clocks"),
           *host = json_array_get(list, 0);

    assert_int_equal(json_array_size(list), 1);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_true(fabs(json_number_value(json_object_get(host, names[i])) -
                         wanted[i]) < 1e-6);
}

TEST_SET_UP(a_short_phase_is_looked_at_right_behind_it)
{
    open_rising(never, never);
    pass_phase(0);
    if (rank != 0)
        return;
    assert_int_equal(atomic_load(&readings), 1);
    assert_int_equal(atomic_load(&cores), 2);
    assert_clocks(0, 900, 950, 1000, 50);
}

TEST_SET_UP(readings_of_a_long_phase_are_joined)
{
    int n;

    open_rising(soon, soon);
    pass_phase(3);
    n = atomic_load(&readings);
    if (rank == 0)
        assert_clocks(n, 900, 500 * (n + 1) - 50, 1000 * n, 49 + n);
}

/* Two devices, of which one does not tell its clock. */
static int two_devices(int most, hpl_device_t *list_p)
{
    assert_true(most >= 2);
    list_p[0] = (hpl_device_t){
        .name = "x:0", .clock = 1500e6, .temperature = NAN, .power = 300.0};
    list_p[1] = (hpl_device_t){.name = "x:1", .clock = NAN};
    return 2;
}

static void assert_device(json_int_t process, bool within)
{
    static const char *const clocks[] = {"mhz_least", "mhz_mean", "mhz_most"};
    json_t *list = json_object_get(measured, "device_clocks");
    json_t *one = json_array_get(list, (size_t)process);

    assert_int_equal(json_array_size(list), processes);
    assert_int_equal(json_integer_value(json_object_get(one, "rank")), process);
    assert_string_equal(json_string_value(json_object_get(one, "name")), "x:0");
    assert_int_equal(json_integer_value(json_object_get(one, "samples")) > 0,
                     within);
    for (size_t i = 0; i < COUNT_OF(clocks); i++)
        assert_true(fabs(json_number_value(json_object_get(one, clocks[i])) -
                         1500.0) < 1e-6);
    assert_true(json_is_null(json_object_get(one, "temperature_celsius")));
    assert_true(json_number_value(json_object_get(one, "power_watts")) == 300);
}

/* Process 0 waits for readings of a long phase; all read behind a short one. */
TEST_SET_UP(devices_of_all_processes_are_read_in_a_phase_or_behind_it)
{
    solver.devices = two_devices;
    open_rising(soon, soon);
    pass_phase(3);
    if (rank == 0)
        assert_device(0, true);
    xhpl_phase_close(phase);
    open_phase(never, never);
    pass_phase(0);
    for (json_int_t i = 0; rank == 0 && i < processes; i++)
        assert_device(i, false);
}

/* ---- energy -------------------------------------------------------------- */

static void write_file(const char *zone, const char *file, const char *text)
{
    char path[256];

    snprintf(path, sizeof(path), "sys/class/powercap/intel-rapl:%s/%s", zone,
             file);
    fake_root_write(path, text);
}

/* A counter that begins again at 1000 J. */
static void write_zone(const char *zone, const char *name, const char *counter)
{
    write_file(zone, "name", name);
    write_file(zone, "max_energy_range_uj", "1000000000\n");
    write_file(zone, "energy_uj", counter);
}

/* Process 0 measured these; NAN: null. */
static void assert_joules(double package, double dram)
{
    json_t *energy = json_object_get(measured, "energy");
    const double wanted[] = {package, dram};

    for (int i = 0; rank == 0 && i < 2; i++) {
        json_t *found =
            json_object_get(energy, i == 0 ? "package_joules" : "dram_joules");

        assert_int_equal(json_is_null(found), isnan(wanted[i]));
        assert_true(json_is_null(found) ||
                    fabs(json_real_value(found) - wanted[i]) < 1e-6);
    }
}

TEST_SET_UP(what_is_not_known_is_null)
{
    open_phase(soon, soon);
    pass_phase(0);
    assert_true(rank != 0 || (!knows("clocks") && !knows("ranks")));
    assert_joules(NAN, NAN);
}

/* A phase in which the counter of a zone reaches a number. */
static void count_to(const char *zone, const char *counter)
{
    xhpl_phase_ready(phase);
    write_file(zone, "energy_uj", counter);
    xhpl_phase_start(phase);
    json_decref(measured);
    measured = xhpl_phase_stop(phase, MPI_COMM_WORLD, NULL, false);
}

/* Packages and memory add up; parts and sums of packages do not count. */
TEST_SET_UP(the_joules_of_a_node_are_those_of_its_packages_and_its_memory)
{
    static const char *const zones[][4] = {
        {"0", "package-0\n", "5000000\n", "15000000\n"},
        {"1", "package-1\n", "0\n", "2500000\n"},
        {"0:1", "dram\n", "7000000\n", "8000000\n"},
        {"1:0", "dram\n", "7000000\n", "8500000\n"},
        {"0:0", "core\n", "0\n", "2000000\n"},
        {"2", "psys\n", "0\n", "9000000\n"}};

    for (size_t i = 0; i < COUNT_OF(zones); i++)
        write_zone(zones[i][0], zones[i][1], zones[i][2]);
    open_phase(never, never);
    xhpl_phase_ready(phase);
    for (size_t i = 0; i < COUNT_OF(zones); i++)
        write_file(zones[i][0], "energy_uj", zones[i][3]);
    xhpl_phase_start(phase);
    measured = xhpl_phase_stop(phase, MPI_COMM_WORLD, NULL, false);
    assert_joules(12.5, 2.5);
}

TEST_SET_UP(a_counter_that_starts_again_is_followed)
{
    write_zone("0", "package-0\n", "900000000\n");
    open_phase(never, never);
    for (int lap = 0; lap < 3; lap++) {
        count_to("0", "100000000\n");
        assert_joules(200, NAN);
        count_to("0", "900000000\n");
        assert_joules(800, NAN);
    }
}

TEST_SET_UP(a_counter_that_cannot_be_read_hides_its_kind)
{
    write_zone("0", "package-0\n", "0\n");
    write_file("1", "name", "package-1\n");
    write_zone("0:0", "dram\n", "0\n");
    open_phase(never, never);
    count_to("0:0", "1000000\n");
    assert_joules(NAN, 1);
    count_to("0:0", "\n");
    assert_joules(NAN, NAN);
}

/* ---- work ---------------------------------------------------------------- */

/* Each process multiplied for as many seconds as it has ranks before it. */
static bool work_by_rank(const hpl_system_t *system, hpl_work_t *work_p)
{
    (void)system;
    *work_p = (hpl_work_t){.update = rank, .flop = 1e9, .rate = NAN};
    return true;
}

static bool work_forgotten(const hpl_system_t *system, hpl_work_t *work_p)
{
    (void)system;
    (void)work_p;
    return false;
}

static void assert_work(void)
{
    json_t *ranks = json_object_get(measured, "ranks"), *at;
    size_t i;

    assert_int_equal(json_array_size(ranks), processes);
    json_array_foreach(ranks, i, at)
    {
        assert_int_equal(json_integer_value(json_object_get(at, "rank")), i);
        assert_true(json_real_value(json_object_get(at, "update")) ==
                    (double)i);
        assert_true(json_real_value(json_object_get(at, "gflop")) == 1.0);
        assert_true(json_is_null(json_object_get(at, "thread_gflops")));
    }
}

TEST_SET_UP(each_process_tells_what_it_did)
{
    solver.work = work_by_rank;
    open_phase(never, never);
    pass_phase(0);
    if (rank == 0)
        assert_work();
    solver.work = work_forgotten;
    pass_phase(0);
    assert_true(rank != 0 || !knows("ranks"));
}

/* Earlier tests keep theirs. */
TEST_SET_UP(after_thousands_of_tests_lists_are_left_out)
{
    const int most = 16384;

    solver.work = work_by_rank;
    open_phase(never, never);
    for (int i = 0; i * processes < most; i++) {
        pass_phase(0);
        assert_true(rank != 0 || knows("ranks"));
    }
    pass_phase(0);
    assert_true(rank != 0 || !knows("ranks"));
}
