/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/output.h"
#include "hpl.h"
#include "hpl/grid/agree.h"
#include "hpl/pauxil/abort.h"
#include "hpl/pauxil/hang.h"
#include "testing/json/json.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/record_parts.h"
#include "testing/ptest/report.h"

enum {
    SCHEMA_VERSION = 2,
    BY_SIGNAL = 128 /* added to its number, as by shells */
};

static const char mark[] = "\"name\": \"xhpl\""; /* in each record */

/* Writing must not slow down a run of many short tests. */
static const double seconds_between = 1;
static const double short_gflop =
    1; /* of a process, below which a test is short */

/* s; reading the clocks of many cores takes one core some milliseconds */
static const double first_reading = 1, between_readings = 10;

struct xhpl_record {
    int rank;
    double zero; /* xh_clock_now at open */
    xhpl_phase_t *phase;
    /* on process 0 */
    xh_output_t file;
    double written;  /* xh_clock_wall of the last write */
    bool has_result; /* a test was solved, and checked if checks are on */
    bool is_complete;
    json_t *root, *tests;
    const xhpl_parameters_t *parameters;
};

/*
 * Protects a record's root, its values and its file: any thread that meets an
 * error or a signal completes them. A thread that holds it never waits for
 * other processes.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- findings: the warnings and errors of this process ------------------- */

enum { FINDINGS_MOST = 1000 }; /* of a process; later ones are dropped */

static pthread_mutex_t found_lock = PTHREAD_MUTEX_INITIALIZER;
static json_t *found;

static void hear(xh_log_level_t level, const char *text)
{
    const char *word = level == XH_LOG_ERROR ? "error" : "warning";
    json_t *object =
        XH_JSON_OBJECT({"time", xh_json_now()}, {"level", json_string(word)},
                       {"text", xh_json_text(text)});

    pthread_mutex_lock(&found_lock);
    if (json_array_size(found) < FINDINGS_MOST)
        json_array_append(found, object);
    pthread_mutex_unlock(&found_lock);
    json_decref(object);
}

bool xhpl_record_is_built(void)
{
    return true;
}

void xhpl_record_listen(void)
{
    if (found == NULL)
        found = json_array();
    xh_log_listen(hear);
}

static json_t *findings(void)
{
    json_t *copy;

    pthread_mutex_lock(&found_lock);
    copy = json_deep_copy(found);
    pthread_mutex_unlock(&found_lock);
    return copy;
}

static int by_time(const void *one, const void *other)
{
    json_t *const *a = one, *const *b = other;

    return strcmp(json_string_value(json_object_get(*a, "time")),
                  json_string_value(json_object_get(*b, "time")));
}

/* Sort by time; without memory the order stays. Order: under the lock. */
static void sort_findings(void)
{
    size_t i, count = json_array_size(found);
    json_t **each = malloc((count + 1) * sizeof(*each)), *value;

    if (each == NULL)
        return;
    json_array_foreach(found, i, value) each[i] = json_incref(value);
    qsort(each, count, sizeof(*each), by_time);
    for (i = 0; i < count; i++)
        json_array_set_new(found, i, each[i]);
    free(each);
}

/* Move the findings of all processes to process 0, ordered by time. */
static void gather_findings(void)
{
    bool is_first =
        xhpl_rank(MPI_COMM_WORLD) == 0; /* process 0 continues to collect */
    json_t *others = xhpl_record_gather(MPI_COMM_WORLD,
                                        is_first ? json_array() : findings());

    pthread_mutex_lock(&found_lock);
    json_array_extend(found, others);
    sort_findings();
    pthread_mutex_unlock(&found_lock);
    json_decref(others);
}

static void forget_findings(void)
{
    xh_log_listen(NULL);
    pthread_mutex_lock(&found_lock);
    json_decref(found);
    found = NULL;
    pthread_mutex_unlock(&found_lock);
}

/* ---- the file ------------------------------------------------------------ */

/* Describe the process that held up the run; NULL: none. */
static json_t *hang(void)
{
    hpl_hang_t found;

    if (!hpl_hang_found(&found))
        return json_null();
    return XH_JSON_OBJECT(
        {"rank", found.rank >= 0 ? json_integer(found.rank) : json_null()},
        {"host", found.rank >= 0 ? xh_json_text(found.host) : json_null()},
        {"text", xh_json_text(found.text)},
        {"seconds", xh_json_number(found.seconds)},
        {"ended", json_boolean(found.ended)});
}

/* Replace the contents of the file by what is known so far. */
static bool write_all(xhpl_record_t *record)
{
    FILE *out = xh_output_begin(&record->file);

    record->written = xh_clock_wall();
    json_object_set_new(record->root, "findings", findings());
    json_object_set_new(record->root, "hang", hang());
    return xh_output_end(
        &record->file, out,
        out != NULL && json_dumpf(record->root, out, JSON_INDENT(1)) == 0 &&
            fputc('\n', out) != EOF);
}

/* May an earlier run's record be replaced? Only once this run has a result. */
static bool may_replace(const xhpl_record_t *record)
{
    return record->has_result || !record->file.exists;
}

/* Write the record now, because a run may be killed at any time. Errors recur
 * at close, which reports them. */
static void save(xhpl_record_t *record)
{
    if (!record->file.once && !record->is_complete && may_replace(record))
        write_all(record);
}

/* Is a record wanted? A refused run writes none; a run without a result
 * replaces an earlier record only if it failed within a test. */
static bool is_wanted(const xhpl_record_t *record, int exit_status)
{
    bool begun = json_array_size(record->tests) > 0;

    return may_replace(record) ? begun || exit_status != XH_EXIT_INPUT
                               : begun && exit_status == XH_EXIT_RUNTIME;
}

/* Write the end of the run, once; reports errors. */
static xh_status_t complete(xhpl_record_t *record, int exit_status)
{
    bool is_written = true;

    pthread_mutex_lock(&lock);
    if (!record->is_complete && is_wanted(record, exit_status)) {
        XH_JSON_SET(record->root, {"end", xh_json_now()},
                    {"exit_status", json_integer(exit_status)});
        is_written = write_all(record);
    } else if (!record->is_complete && json_array_size(record->tests) > 0)
        xh_log_info("%s is still the record of an earlier run",
                    record->file.name);
    record->is_complete = true;
    pthread_mutex_unlock(&lock);
    if (is_written)
        return XH_OK;
    xh_log_error("cannot write the file of --json: %s", strerror(errno));
    return XH_ERR_IO;
}

/* Called when this process ends the job. */
static void complete_aborted(void *context)
{
    complete(context, XH_EXIT_RUNTIME);
}

void xhpl_record_terminated(xhpl_record_t *record, int signal)
{
    if (record != NULL)
        complete(record, BY_SIGNAL + signal);
}

double xhpl_record_ceiling(const xhpl_record_t *record)
{
    double gflops = 0, of_host;
    json_t *host;
    size_t i;

    if (record == NULL)
        return 0;
    json_array_foreach(json_object_get(record->root, "hosts"), i, host)
    {
        of_host = json_real_value(
            json_object_get(json_object_get(host, "fma_ceiling"), "gflops"));
        if (of_host <= 0)
            return 0;
        gflops += of_host;
    }
    return 1e9 * gflops;
}

/* ---- the run ------------------------------------------------------------- */

static void fill(xhpl_record_t *record, const xhpl_command_t *command,
                 json_t *hosts)
{
    const xhpl_parameters_t *parameters = &command->parameters;
    json_t *tests = json_array();

    record->root = XH_JSON_OBJECT(
        {"schema_version", json_integer(SCHEMA_VERSION)},
        {"program", xhpl_record_program()},
        {"command_line", xhpl_record_command_line()}, {"start", xh_json_now()},
        {"end", NULL}, {"exit_status", NULL},
        {"environment", xhpl_record_environment()},
        {"settings", xhpl_record_settings()},
        {"hpl_dat", command->run ? xhpl_record_hpl_dat(parameters) : NULL},
        {"job", xhpl_record_job()}, {"mpi", xhpl_record_mpi()}, {"blas", NULL},
        {"solver", NULL}, {"kernel", NULL}, {"hosts", hosts}, {"devices", NULL},
        {"trust", NULL}, {"findings", json_array()}, {"hang", NULL},
        {"tests", tests}, {"iterations", json_array()});
    record->tests = tests;
    record->parameters = parameters;
}

static void forget(xhpl_record_t *record)
{
    if (record->rank == 0) {
        hpl_at_abort(NULL, NULL);
    }
    xhpl_phase_close(record->phase);
    json_decref(record->root);
    free(record);
}

/* The record stays NULL unless all processes succeed. */
static xh_status_t open_record(const xhpl_command_t *command,
                               xhpl_record_t **record_p)
{
    xhpl_record_t *record = calloc(1, sizeof(*record));
    xh_status_t status = XH_OK;
    json_t *hosts;

    if (record == NULL)
        HPL_pabort(__LINE__, "xhpl_record_open", "out of memory");
    record->rank = xhpl_rank(MPI_COMM_WORLD);
    record->zero = xh_clock_now();
    if (record->rank == 0)
        status = xh_output_open("--json", command->json,
                                command->force ? NULL : mark, &record->file);
    status = hpl_agree(MPI_COMM_WORLD, status);
    if (status != XH_OK) {
        free(record);
        return status;
    }
    xhpl_record_listen();
    hosts = xhpl_record_hosts();
    if (record->rank == 0) {
        fill(record, command, hosts);
        hpl_at_abort(complete_aborted, record);
    }
    status = hpl_agree(
        MPI_COMM_WORLD,
        xhpl_phase_open("", first_reading, between_readings, &record->phase));
    if (status == XH_OK)
        *record_p = record;
    else
        forget(record);
    return status;
}

xh_status_t xhpl_record_open(const xhpl_command_t *command,
                             xhpl_record_t **record_p)
{
    xh_status_t status = XH_OK;

    *record_p = NULL;
    if (command->json != NULL)
        status = open_record(command, record_p);
    if (*record_p == NULL)
        forget_findings();
    return status;
}

/* ---- the solver ---------------------------------------------------------- */

static void solver_open(xhpl_record_t *record)
{
    json_t *devices = xhpl_record_devices();
    json_t *hosts = xhpl_record_workers(json_object_get(record->root, "hosts"));
    const char *kernel = xhpl_record_my_workers().kernel;

    xhpl_phase_begin(record->phase);
    if (record->rank != 0)
        return;
    pthread_mutex_lock(&lock);
    XH_JSON_SET(record->root, {"solver", xh_json_text(hpl_solver()->name)},
                {"kernel", xh_json_text(kernel)}, {"hosts", hosts},
                {"devices", devices}, {"blas", xhpl_record_blas()});
    pthread_mutex_unlock(&lock);
}

static void solver_closing(xhpl_record_t *record)
{
    json_t *hosts = xhpl_record_workers(json_object_get(record->root, "hosts"));
    char *csv;
    size_t size;

    if (record->rank != 0)
        return;
    pthread_mutex_lock(&lock);
    json_object_set_new(record->root, "hosts", hosts);
    if (hpl_solver()->iterations != NULL &&
        hpl_solver()->iterations(0, record->zero, &csv, &size) == XH_OK) {
        json_object_set_new(record->root, "iterations",
                            xh_json_table(csv, size));
        free(csv);
    }
    pthread_mutex_unlock(&lock);
}

void xhpl_record_trust(xhpl_record_t *record, const xhpl_trust_t *trust)
{
    json_t *value;

    if (record == NULL || record->rank != 0)
        return;
    value =
        XH_JSON_OBJECT({"result", json_string(trust->wrong > 0    ? "wrong"
                                              : trust->tried == 0 ? "off"
                                                                  : "right")},
                       {"seconds", xh_json_number(trust->seconds)},
                       {"shapes", json_integer(trust->shapes)},
                       {"tried", json_integer(trust->tried)},
                       {"wrong_processes", json_integer(trust->wrong)});
    pthread_mutex_lock(&lock);
    json_object_set_new(record->root, "trust", value);
    pthread_mutex_unlock(&lock);
}

/* ---- a test -------------------------------------------------------------- */

/* On process 0. */
static void write_test(xhpl_record_t *record, xhpl_moment_t moment,
                       const xhpl_trial_t *trial, json_t *measured)
{
    const xhpl_test_t *of = &trial->test;
    bool is_long =
        xhpl_report_rate(of->n, 1.0) > short_gflop * of->nprow * of->npcol;
    json_t *test;

    pthread_mutex_lock(&lock);
    if (moment == XHPL_TEST_READY || moment == XHPL_TEST_SKIPPED)
        json_array_append_new(record->tests,
                              xhpl_record_skipped(record->parameters, of));
    test = json_array_get(record->tests, json_array_size(record->tests) - 1);
    if (moment == XHPL_TEST_READY)
        XH_JSON_SET(test, {"status", json_string("RUNNING")},
                    {"start", xh_json_now()});
    else if (moment == XHPL_TEST_SOLVED)
        xhpl_record_solved(trial, measured, test);
    else if (moment == XHPL_TEST_CHECKED)
        xhpl_record_checked(trial, test);
    record->has_result =
        record->has_result || moment == XHPL_TEST_CHECKED ||
        (moment == XHPL_TEST_SOLVED && record->parameters->threshold <= 0);
    if ((moment == XHPL_TEST_READY && is_long) ||
        xh_clock_wall() - record->written > seconds_between)
        save(record);
    pthread_mutex_unlock(&lock);
}

void xhpl_record_note(xhpl_record_t *record, xhpl_moment_t moment,
                      const xhpl_trial_t *trial)
{
    json_t *measured = NULL;

    if (record == NULL)
        return;
    if (moment == XHPL_SOLVER_OPEN)
        solver_open(record);
    else if (moment == XHPL_SOLVER_CLOSING)
        solver_closing(record);
    else if (moment == XHPL_TEST_START)
        xhpl_phase_start(record->phase);
    else if (moment == XHPL_TEST_SOLVED)
        measured = xhpl_phase_stop(
            record->phase, trial->comm, trial->system,
            json_array_size(json_object_get(record->root, "devices")) > 0);
    if (trial == NULL || moment == XHPL_TEST_START)
        return;
    if (record->rank == 0)
        write_test(record, moment, trial, measured);
    if (moment == XHPL_TEST_READY)
        xhpl_phase_ready(record->phase);
}

/* ---- the end ------------------------------------------------------------- */

xh_status_t xhpl_record_close(xhpl_record_t *record, int exit_status)
{
    xh_status_t status = XH_OK;

    if (record == NULL)
        return XH_OK;
    gather_findings();
    if (record->rank == 0) {
        status = complete(record, exit_status);
        if (!xh_output_close(&record->file) && status == XH_OK) {
            xh_log_error("cannot close the file of --json: %s",
                         strerror(errno));
            status = XH_ERR_IO;
        }
    }
    forget(record);
    forget_findings();
    return hpl_agree(MPI_COMM_WORLD, status);
}
