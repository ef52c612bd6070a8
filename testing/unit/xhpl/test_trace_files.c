/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 2 3; needs: mpi */
#include "testing/ptest/trace_files.h"
#include <unistd.h>
#include "base/clock.h"
#include "base/trace.h"
#include "hpl_solver.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit_mpi.h"

enum { ROWS = 60000, SPANS = 20000, NAME_SIZE = 64 };

static int rank, processes;
static char trace[NAME_SIZE], iterations[NAME_SIZE]; /* of files, this job's */
static hpl_solver_t solver;
static double zero_seen;
static xhpl_trace_files_t files;

/* More than a message of every process: "rank,number" lines. */
static xh_status_t many_rows(int process, double zero, char **csv_p,
                             size_t *size_p)
{
    FILE *out = open_memstream(csv_p, size_p);

    zero_seen = zero;
    if (process == 0)
        fprintf(out, "rank,number\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(out, "%d,%020d\n", process, i);
    return fclose(out) == 0 ? XH_OK : XH_ERR_MEMORY;
}

/* One process has no text to give. */
static xh_status_t no_memory_on_the_last(int process, double zero, char **csv_p,
                                         size_t *size_p)
{
    if (process == processes - 1)
        return XH_ERR_MEMORY;
    return many_rows(process, zero, csv_p, size_p);
}

/* The reference solver, with iterations. */
UNIT_STEP(setup)
{
    int id = (int)getpid();

    rank = unit_rank();
    processes = unit_processes();
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(trace, NAME_SIZE, "/tmp/xhpl-unit-%d.json", id);
    snprintf(iterations, NAME_SIZE, "/tmp/xhpl-unit-%d.csv", id);
    solver = hpl_reference_solver;
    solver.iterations = many_rows;
    hpl_solver_install(&solver);
}

UNIT_STEP(teardown)
{
    hpl_solver_install(NULL);
    if (rank == 0) {
        remove(trace);
        remove(iterations);
    }
}

#define TEST_SET_UP(name) TEST_WITH(name, setup, teardown)

/* The whole file, the caller's to free(). */
static char *read_file(const char *name)
{
    FILE *in = fopen(name, "r");
    char *text = NULL;
    size_t size = 0;

    assert_non_null(in);
    assert_true(getdelim(&text, &size, '\0', in) >= 0);
    fclose(in);
    return text;
}

/* Without strstr(): a sanitizer measures the whole text at each call. */
static int count(const char *text, const char *word)
{
    size_t length = strlen(word);
    int found = 0;

    for (; *text != '\0'; text++)
        found += strncmp(text, word, length) == 0;
    return found;
}

/* call returns status on all processes, and process 0 says words. */
#define assert_first_said(call, status, words)                                 \
    do {                                                                       \
        xh_status_t found_;                                                    \
                                                                               \
        capture_begin();                                                       \
        found_ = (call);                                                       \
        assert_int_equal(count(capture_end(NULL), words), rank == 0 ? 1 : 0);  \
        assert_int_equal(found_, status);                                      \
    } while (0)

static xh_status_t open_files(const char *trace_name,
                              const char *iterations_name)
{
    const xhpl_command_t command = {.trace = trace_name,
                                    .iterations = iterations_name};

    return xhpl_trace_files_open(&command, &files);
}

TEST_SET_UP(files_of_a_run_without_tests_stay_as_they_are)
{
    static const char earlier[] = "rank,run,n,nb,earlier\n";
    FILE *out = rank == 0 ? fopen(iterations, "w") : NULL;
    char *text;

    if (out != NULL) {
        fputs(earlier, out);
        fclose(out);
    }
    assert_ok(open_files(NULL, iterations));
    assert_ok(xhpl_trace_files_close(&files, false));
    if (rank != 0)
        return;
    text = read_file(iterations);
    assert_string_equal(text, earlier);
    free(text);
}

TEST_SET_UP(rows_of_all_processes_follow_one_another)
{
    double before = xh_clock_now();
    char *text, *at;

    assert_ok(open_files(NULL, iterations));
    assert_false(xh_trace_on());
    assert_ok(xhpl_trace_files_close(&files, true));
    assert_true(zero_seen >= before && zero_seen <= xh_clock_now());
    if (rank != 0)
        return;
    text = read_file(iterations);
    assert_int_equal(strncmp(text, "rank,number\n", 12), 0);
    at = text + 12;
    for (int row = 0; row < processes * ROWS; row++) {
        assert_int_equal(strtol(at, &at, 10), row / ROWS);
        assert_int_equal(*at++, ',');
        assert_int_equal(strtol(at, &at, 10), row % ROWS);
        assert_int_equal(*at++, '\n');
    }
    assert_int_equal(*at, '\0');
    free(text);
}

TEST_SET_UP(spans_of_all_processes_make_one_list)
{
    char *text;

    assert_ok(open_files(trace, NULL));
    assert_true(xh_trace_on());
    for (int i = 0; i < SPANS; i++)
        xh_trace_span(0, "update", i, files.zero + i, files.zero + i + 0.5);
    assert_ok(xhpl_trace_files_close(&files, true));
    assert_false(xh_trace_on());
    if (rank != 0)
        return;
    text = read_file(trace);
    assert_int_equal(strncmp(text, "{\"traceEvents\":[\n{", 18), 0);
    assert_string_equal(text + strlen(text) - 5, "}\n]}\n");
    assert_int_equal(count(text, "\"update\""), processes * SPANS);
    assert_int_equal(count(text, "\"dur\":500000.000"), processes * SPANS);
    assert_int_equal(count(text, "\n{"), count(text, "},\n") + 1);
    free(text);
}

TEST_SET_UP(a_solver_without_iterations_and_an_empty_trace_are_warned_of)
{
    solver.iterations = NULL;
    assert_first_said(open_files(NULL, iterations), XH_OK, "keeps no record");
    assert_ok(xhpl_trace_files_close(&files, true));
    assert_int_not_equal(access(iterations, F_OK), 0);
    assert_ok(open_files(trace, NULL));
    assert_first_said(xhpl_trace_files_close(&files, true), XH_OK,
                      "the trace is empty");
    assert_true(rank != 0 || access(trace, F_OK) == 0);
}

TEST_SET_UP(a_process_without_memory_fails_all)
{
    solver.iterations = no_memory_on_the_last;
    assert_ok(open_files(NULL, iterations));
    assert_int_equal(xhpl_trace_files_close(&files, true), XH_ERR_MEMORY);
}

TEST_SET_UP(a_full_disk_fails_all)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_ok(open_files(NULL, "/dev/full"));
    assert_first_said(xhpl_trace_files_close(&files, true), XH_ERR_IO,
                      "cannot write the file of --iterations");
}
