/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 3 */
#include "testing/ptest/record.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>
#include "testing/ptest/record_parts.h"
#include "testing/unit/capture.h"
#include "testing/unit/unit_mpi.h"

enum { NAME_SIZE = 64 };

static int rank, processes;
static char name[NAME_SIZE]; /* of the file */
static xhpl_order_t order;
static xhpl_trial_t trial;

/* A run of one test whose record goes to a file of this job's own. */
static int setup(void **state)
{
    int id = (int)getpid();

    (void)state;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    memset(&order, 0, sizeof(order));
    order.run = true;
    snprintf(name, sizeof(name), "/tmp/xhpl-record-%d.json", id);
    order.json = name;
    xhpl_parameters_default(&order.parameters);
    order.parameters.list[XHPL_N].value[0] = 1000;
    trial = (xhpl_trial_t){.test = xhpl_plan_test(&order.parameters, 0),
                           .comm = MPI_COMM_WORLD,
                           .seconds = 2};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hpl_solver_install(NULL);
    if (rank == 0)
        remove(name);
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}

/* What the file holds, on process 0; json_decref gives it back. */
static json_t *written(void)
{
    json_error_t error;
    json_t *record = json_load_file(name, 0, &error);

    if (record == NULL)
        fail_msg("%s, line %d", error.text, error.line);
    return record;
}

static const char *text_at(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_int_t number_at(json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static double real_at(json_t *object, const char *key)
{
    return json_real_value(json_object_get(object, key));
}

static bool null_at(json_t *object, const char *key)
{
    return json_is_null(json_object_get(object, key));
}

static json_t *first_of(json_t *object, const char *key)
{
    return json_array_get(json_object_get(object, key), 0);
}

static xhpl_record_t *begun(void)
{
    xhpl_record_t *record;

    assert_ok(xhpl_record_open(&order, &record));
    xhpl_record_note(record, XHPL_SOLVER_OPEN, NULL);
    return record;
}

/* What the file holds, on process 0. */
static json_t *closed(xhpl_record_t *record, int exit_status)
{
    assert_ok(xhpl_record_close(record, exit_status));
    return rank == 0 ? written() : NULL;
}

/* Solve a test that takes 2 s. */
static void solve(xhpl_record_t *record)
{
    for (int moment = XHPL_TEST_READY; moment <= XHPL_TEST_SOLVED; moment++)
        xhpl_record_note(record, moment, &trial);
}

static void check(xhpl_record_t *record, double residual, bool passed)
{
    trial.residual = residual;
    trial.norms = (hpl_norms_t){1, 2, 3, 4, 5, 6};
    trial.passed = passed;
    xhpl_record_note(record, XHPL_TEST_CHECKED, &trial);
}

#define TEST_SET_UP(name) TEST_WITH(name, setup, teardown)

TEST_SET_UP(nothing_wanted_is_nothing_done)
{
    xhpl_record_t *record = (xhpl_record_t *)&order;

    order.json = NULL;
    assert_ok(xhpl_record_open(&order, &record));
    assert_null(record);
    xhpl_record_note(record, XHPL_SOLVER_OPEN, NULL);
    solve(record);
    check(record, 1, true);
    xhpl_record_note(record, XHPL_TEST_SKIPPED, &trial);
    xhpl_record_note(record, XHPL_SOLVER_CLOSING, NULL);
    assert_ok(xhpl_record_close(record, XH_EXIT_PASSED));
}

static void assert_tests(json_t *tests)
{
    json_t *first = json_array_get(tests, 0);

    assert_int_equal(json_array_size(tests), 4);
    assert_string_equal(text_at(first, "tag"), "WR21R2C8");
    assert_string_equal(text_at(first, "status"), "PASSED");
    assert_true(real_at(first, "residual") == 0.25);
    assert_true(fabs(real_at(first, "gflops") -
                     (2.0 / 3 * 1000 + 1.5) * 1e6 / 2 / 1e9) < 1e-12);
    assert_true(json_real_value(json_object_get(json_object_get(first, "norms"),
                                                "x_one")) == 5);
    first = json_array_get(tests, 1);
    assert_string_equal(text_at(first, "status"), "FAILED");
    assert_true(null_at(first, "residual"));
    first = json_array_get(tests, 2);
    assert_string_equal(text_at(first, "status"), "SKIPPED");
    assert_true(null_at(first, "seconds"));
    assert_string_equal(text_at(json_array_get(tests, 3), "status"),
                        "UNCHECKED");
}

TEST_SET_UP(a_test_is_in_it_with_what_became_of_it)
{
    xhpl_record_t *record = begun();
    json_t *found;

    solve(record);
    check(record, 0.25, true);
    solve(record);
    check(record, INFINITY, false);
    xhpl_record_note(record, XHPL_TEST_SKIPPED, &trial);
    solve(record);
    found = closed(record, XH_EXIT_FAILED);
    if (rank != 0)
        return;
    assert_int_equal(number_at(found, "exit_status"), XH_EXIT_FAILED);
    assert_tests(json_object_get(found, "tests"));
    json_decref(found);
}

TEST_SET_UP(a_run_under_way_has_a_record_without_an_end)
{
    xhpl_record_t *record = begun();
    json_t *found;

    if (rank == 0) {
        found = written();
        assert_string_equal(text_at(found, "solver"), "reference");
        assert_true(null_at(found, "exit_status"));
        assert_true(null_at(found, "end"));
        json_decref(found);
    }
    assert_ok(xhpl_record_close(record, XH_EXIT_PASSED));
}

TEST_SET_UP(a_test_under_way_is_in_the_file)
{
    xhpl_record_t *record;
    json_t *found, *first;

    trial.test.n = 5000;
    record = begun();
    xhpl_record_note(record, XHPL_TEST_READY, &trial);
    if (rank == 0) {
        found = written();
        first = first_of(found, "tests");
        assert_string_equal(text_at(first, "status"), "RUNNING");
        assert_int_equal(number_at(first, "n"), 5000);
        assert_non_null(text_at(first, "start"));
        assert_true(null_at(first, "end"));
        json_decref(found);
    }
    for (int moment = XHPL_TEST_START; moment <= XHPL_TEST_SOLVED; moment++)
        xhpl_record_note(record, moment, &trial);
    found = closed(record, XH_EXIT_PASSED);
    if (rank != 0)
        return;
    assert_int_equal(json_array_size(json_object_get(found, "tests")), 1);
    assert_string_equal(text_at(first_of(found, "tests"), "status"),
                        "UNCHECKED");
    json_decref(found);
}

TEST_SET_UP(every_process_is_on_a_host)
{
    json_t *found = closed(begun(), XH_EXIT_PASSED), *host;
    size_t index, ranks = 0;

    if (rank != 0)
        return;
    json_array_foreach(json_object_get(found, "hosts"), index, host)
    {
        json_t *ceiling = json_object_get(host, "fma_ceiling");

        ranks += json_array_size(json_object_get(host, "ranks"));
        assert_true(number_at(ceiling, "cores") > 0);
        assert_true(real_at(ceiling, "gflops") > 0);
    }
    assert_int_equal(ranks, processes);
    json_decref(found);
}

static hpl_workers_t two_threads(void)
{
    return (hpl_workers_t){
        .threads = 2, .cpus = "0", .kernel = "avx2", .machine = "core:2 pu:1"};
}

/* The record of the first host with a solver that has these workers. */
static json_t *record_of(hpl_workers_t (*workers)(void))
{
    hpl_solver_t solver = hpl_reference_solver;
    json_t *found;

    solver.workers = workers;
    hpl_solver_install(&solver);
    found = closed(begun(), XH_EXIT_PASSED);
    hpl_solver_install(NULL);
    return found;
}

TEST_SET_UP(a_core_that_all_took_counts_once)
{
    json_t *found = record_of(two_threads), *host, *at;

    if (rank != 0)
        return;
    host = first_of(found, "hosts");
    at = first_of(host, "ranks");
    assert_string_equal(text_at(found, "kernel"), "avx2");
    assert_string_equal(text_at(at, "cpus_taken"), "0");
    assert_int_equal(number_at(at, "threads"), 2);
    assert_string_equal(text_at(json_object_get(host, "machine"), "topology"),
                        "core:2 pu:1");
    at = json_object_get(host, "fma_ceiling");
    assert_int_equal(number_at(at, "cores"), 1);
    json_decref(found);
}

static int asked; /* for its workers */

static hpl_workers_t counted(void)
{
    asked++;
    return two_threads();
}

TEST_SET_UP(the_ceiling_is_measured_again_at_the_end)
{
    hpl_solver_t solver = hpl_reference_solver;
    xhpl_record_t *record;
    json_t *found, *at;
    int before;

    solver.workers = counted;
    hpl_solver_install(&solver);
    record = begun();
    before = asked;
    xhpl_record_note(record, XHPL_SOLVER_CLOSING, NULL);
    assert_int_equal(asked, before + 1);
    found = closed(record, XH_EXIT_PASSED);
    if (rank != 0)
        return;
    at = json_object_get(first_of(found, "hosts"), "fma_ceiling");
    assert_int_equal(number_at(at, "cores"), 1);
    json_decref(found);
}

/* A host with the one process 0, for which a ceiling was measured before. */
static double ceiling_beside(double before)
{
    json_t *hosts = json_pack("[{s:[{s:i}],s:{s:i,s:f}}]", "ranks", "rank", 0,
                              "fma_ceiling", "cores", 1, "gflops", before);
    json_t *after = xhpl_record_workers(hosts);
    double gflops = json_real_value(json_object_get(
        json_object_get(json_array_get(after, 0), "fma_ceiling"), "gflops"));

    json_decref(hosts);
    json_decref(after);
    return gflops;
}

TEST_SET_UP(of_two_ceilings_the_larger_is_kept)
{
    double never = 1e12, slow = 1e-9, kept[2];

    kept[0] = ceiling_beside(never);
    kept[1] = ceiling_beside(slow);
    if (rank != 0)
        return;
    assert_true(kept[0] == never);
    assert_true(kept[1] > slow && kept[1] < never);
}

TEST_SET_UP(a_solver_may_not_tell)
{
    json_t *found = record_of(NULL), *at;

    if (rank != 0)
        return;
    at = first_of(first_of(found, "hosts"), "ranks");
    assert_true(null_at(found, "kernel"));
    assert_true(null_at(at, "threads"));
    assert_true(null_at(at, "cpus_taken"));
    json_decref(found);
}

/* A solver that notes two iterations on process 0. */
static xh_status_t two_rows(int process, double zero, char **csv_p,
                            size_t *size_p)
{
    (void)zero;
    assert_int_equal(process, 0);
    *csv_p = strdup("rank,iteration\n0,0\n0,1\n");
    *size_p = strlen(*csv_p);
    return XH_OK;
}

static xh_status_t no_rows(int process, double zero, char **csv_p,
                           size_t *size_p)
{
    (void)process, (void)zero, (void)csv_p, (void)size_p;
    return XH_ERR_MEMORY;
}

/* How many iterations are in the record of a solver. */
static size_t iterations_of(xh_status_t (*iterations)(int, double, char **,
                                                      size_t *))
{
    hpl_solver_t solver = hpl_reference_solver;
    xhpl_record_t *record;
    json_t *found;
    size_t count;

    solver.iterations = iterations;
    hpl_solver_install(&solver);
    record = begun();
    xhpl_record_note(record, XHPL_SOLVER_CLOSING, NULL);
    found = closed(record, XH_EXIT_PASSED);
    hpl_solver_install(NULL);
    count = json_array_size(json_object_get(found, "iterations"));
    json_decref(found);
    return count;
}

TEST_SET_UP(iterations_are_those_of_process_0)
{
    assert_int_equal(iterations_of(two_rows), rank == 0 ? 2 : 0);
    assert_int_equal(iterations_of(no_rows), 0);
    assert_int_equal(iterations_of(NULL), 0);
}

TEST_SET_UP(a_file_that_cannot_be_written_is_refused_by_all)
{
    xhpl_record_t *record;
    xh_status_t status;
    const char *said;

    order.json = "/no/such/folder/r";
    capture_begin();
    status = xhpl_record_open(&order, &record);
    said = capture_end(NULL);
    assert_int_equal(status, XH_ERR_INPUT);
    assert_null(record);
    assert_int_equal(strstr(said, "cannot write /no/such/folder/r") != NULL,
                     rank == 0);
}

TEST_SET_UP(a_full_disk_fails_all)
{
    xhpl_record_t *record;
    xh_status_t status;
    const char *said;

    if (access("/dev/full", W_OK) != 0)
        skip();
    order.json = "/dev/full";
    assert_ok(xhpl_record_open(&order, &record));
    capture_begin();
    status = xhpl_record_close(record, XH_EXIT_PASSED);
    said = capture_end(NULL);
    assert_int_equal(status, XH_ERR_IO);
    assert_int_equal(strstr(said, "cannot write the file of --json") != NULL,
                     rank == 0);
}

TEST_MPI_MAIN()
