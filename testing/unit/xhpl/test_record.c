/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 3; needs: json mpi */
#include "testing/ptest/record.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>
#include "testing/ptest/record_parts.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit_mpi.h"

enum { NAME_SIZE = 64 };

static int rank, processes;
static char name[NAME_SIZE]; /* of the file */
static xhpl_command_t command;
static xhpl_trial_t trial;
static hpl_solver_t solver; /* may be changed before a record is opened */
static xhpl_record_t *record;
static json_t *found; /* the file, on process 0 */

/* A run of one test whose record goes to a file of this job's own. */
UNIT_STEP(setup)
{
    int id = (int)getpid();

    rank = unit_rank();
    processes = unit_processes();
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    memset(&command, 0, sizeof(command));
    command.run = true;
    snprintf(name, sizeof(name), "/tmp/xhpl-record-%d.json", id);
    command.json = name;
    xhpl_parameters_default(&command.parameters);
    command.parameters.list[XHPL_N].value[0] = 1000;
    trial = (xhpl_trial_t){.test = xhpl_test_at(&command.parameters, 0),
                           .comm = MPI_COMM_WORLD,
                           .seconds = 2};
    solver = hpl_reference_solver;
    hpl_solver_install(&solver);
}

UNIT_STEP(teardown)
{
    hpl_solver_install(NULL);
    json_decref(found);
    found = NULL;
    if (rank == 0)
        remove(name);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void read_file(void)
{
    json_error_t error;

    if (rank != 0)
        return;
    json_decref(found);
    found = json_load_file(name, 0, &error);
    if (found == NULL)
        fail_msg("%s, line %d", error.text, error.line);
}

/* The value in the file at a path like "tests/0/n". */
static json_t *at(const char *path)
{
    json_t *value = found;
    char text[128], *rest;

    snprintf(text, sizeof(text), "%s", path);
    for (char *key = strtok_r(text, "/", &rest); key != NULL;
         key = strtok_r(NULL, "/", &rest))
        value = json_is_array(value)
                    ? json_array_get(value, strtoul(key, NULL, 10))
                    : json_object_get(value, key);
    return value;
}

/* On process 0 the file has this JSON at path. */
static void assert_at(const char *path, const char *json)
{
    char *text;

    if (rank != 0)
        return;
    text = json_dumps(at(path), JSON_ENCODE_ANY | JSON_COMPACT);
    assert_non_null(text);
    assert_string_equal(text, json);
    free(text);
}

static void assert_size(const char *path, size_t size)
{
    if (rank == 0)
        assert_int_equal(json_array_size(at(path)), size);
}

static void begin(void)
{
    if (rank == 0)
        remove(name); /* an earlier record stays until there is a result */
    assert_ok(xhpl_record_open(&command, &record));
    xhpl_record_note(record, XHPL_SOLVER_OPEN, NULL);
}

static void end(int exit_status)
{
    assert_ok(xhpl_record_close(record, exit_status));
    read_file();
}

/* Solve a test that takes 2 s. */
static void solve(void)
{
    for (int moment = XHPL_TEST_READY; moment <= XHPL_TEST_SOLVED; moment++)
        xhpl_record_note(record, moment, &trial);
}

static void check(double residual, bool passed)
{
    trial.residual = residual;
    trial.norms = (hpl_norms_t){1, 2, 3, 4, 5, 6, 7};
    trial.passed = passed;
    xhpl_record_note(record, XHPL_TEST_CHECKED, &trial);
}

#define TEST_SET_UP(name) TEST_WITH(name, setup, teardown)

TEST_SET_UP(a_test_is_in_it_with_what_became_of_it)
{
    begin();
    solve();
    check(0.25, true);
    solve();
    check(INFINITY, false);
    xhpl_record_note(record, XHPL_TEST_SKIPPED, &trial);
    solve();
    end(XH_EXIT_FAILED);
    assert_at("exit_status", "1");
    assert_size("tests", 4);
    assert_at("tests/0/tag", "\"WR21R2C8\"");
    assert_at("tests/0/status", "\"PASSED\"");
    assert_at("tests/0/residual", "0.25");
    assert_at("tests/0/norms/x_one", "5.0");
    assert_at("tests/1/status", "\"FAILED\"");
    assert_at("tests/1/residual", "null");
    assert_at("tests/2/status", "\"SKIPPED\"");
    assert_at("tests/2/seconds", "null");
    assert_at("tests/3/status", "\"UNCHECKED\"");
    if (rank == 0)
        assert_true(fabs(json_real_value(at("tests/0/gflops")) -
                         (2.0 / 3 * 1000 + 1.5) * 1e6 / 2 / 1e9) < 1e-12);
}

static int asked; /* for its workers */

static hpl_workers_t two_threads(void)
{
    asked++;
    return (hpl_workers_t){
        .threads = 2, .cpus = "0", .kernel = "avx2", .machine = "core:2 pu:1"};
}

TEST_SET_UP(the_ceiling_is_measured_again_at_the_end)
{
    solver.workers = two_threads;
    begin();
    asked = 0;
    xhpl_record_note(record, XHPL_SOLVER_CLOSING, NULL);
    assert_int_equal(asked, 1);
    end(XH_EXIT_PASSED);
    assert_at("hosts/0/fma_ceiling/cores", "1");
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

/* A solver with this function has so many iterations in its record. */
static void assert_iterations(xh_status_t (*iterations)(int, double, char **,
                                                        size_t *),
                              size_t count)
{
    solver.iterations = iterations;
    begin();
    xhpl_record_note(record, XHPL_SOLVER_CLOSING, NULL);
    end(XH_EXIT_PASSED);
    assert_size("iterations", count);
}

TEST_SET_UP(iterations_are_those_of_process_0)
{
    assert_iterations(two_rows, 2);
    assert_iterations(no_rows, 0);
    assert_iterations(NULL, 0);
}

TEST_SET_UP(a_file_that_cannot_be_written_is_refused_by_all)
{
    xh_status_t status;

    command.json = "/no/such/folder/r";
    assert_int_equal(strstr(heard(status = xhpl_record_open(&command, &record)),
                            "cannot write /no/such/folder/r") != NULL,
                     rank == 0);
    assert_int_equal(status, XH_ERR_INPUT);
    assert_null(record);
}
