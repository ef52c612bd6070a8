/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "hpl.h"
#include "hpl/grid/agree.h"
#include "hpl/pauxil/abort.h"
#include "testing/json/json.h"
#include "testing/ptest/record_file.h"
#include "testing/ptest/record_findings.h"
#include "testing/ptest/record_parts.h"
#include "testing/ptest/record_phase.h"
#include "testing/ptest/report.h"
#include "testing/ptest/termination.h"

enum {
    SCHEMA_VERSION = 1,
    BY_SIGNAL = 128 /* added to its number, as shells do */
};

/* Writing must not slow down a run of many short tests. */
static const double seconds_between = 1;
static const double short_gflop = 1; /* of a process in a short test */

struct xhpl_record {
    int rank;
    double zero; /* xh_clock_now at open */
    xhpl_phase_t *phase;
    /* on process 0 */
    xhpl_record_file_t file;
    double written; /* xh_clock_wall of the last write */
    bool is_complete;
    json_t *root, *tests;
    char pmap; /* of the tags: R or C */
};

/*
 * Protects a record's root, its values and its file: any thread that meets an
 * error or a signal completes them. No one waits for other processes while
 * holding it.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* True with the lock on process 0, which alone keeps the record. */
static bool keeps(const xhpl_record_t *record)
{
    if (record == NULL || record->rank != 0)
        return false;
    pthread_mutex_lock(&lock);
    return true;
}

/* ---- the file ------------------------------------------------------------ */

static bool is_same(const char *name, const char *other)
{
    return other != NULL && strcmp(name, other) == 0;
}

static xh_status_t open_file(const xhpl_order_t *order, xhpl_record_t *record)
{
    if (is_same(order->json, order->trace) ||
        is_same(order->json, order->iterations)) {
        xh_log_error("--json and another option both name %s; allowed: a file "
                     "of its own",
                     order->json);
        return XH_ERR_INPUT;
    }
    return xhpl_record_file_open(order->json, &record->file);
}

/* Replace the file's contents by what is known so far. */
static bool write_all(xhpl_record_t *record)
{
    record->written = xh_clock_wall();
    json_object_set_new(record->root, "findings", xhpl_record_findings());
    return xhpl_record_file_write(&record->file, record->root);
}

/* A run may be killed at any time. An error recurs at close, which reports it.
 */
static void save(xhpl_record_t *record)
{
    if (!record->file.once && !record->is_complete)
        write_all(record);
}

/* Write the end of the run, once; reports errors. */
static xh_status_t complete(xhpl_record_t *record, int exit_status)
{
    bool is_written = true;

    pthread_mutex_lock(&lock);
    if (!record->is_complete) {
        XH_JSON_SET(record->root, {"end", xh_json_now()},
                    {"exit_status", json_integer(exit_status)});
        is_written = write_all(record);
    }
    record->is_complete = true;
    pthread_mutex_unlock(&lock);
    if (is_written)
        return XH_OK;
    xh_log_error("cannot write the file of --json: %s", strerror(errno));
    return XH_ERR_IO;
}

/* This process ends the job. */
static void complete_aborted(void *context)
{
    complete(context, XH_EXIT_RUNTIME);
}

/* A signal ends this process. */
static void complete_terminated(void *context, int signal)
{
    complete(context, BY_SIGNAL + signal);
}

static void save_now_and_then(xhpl_record_t *record)
{
    if (xh_clock_wall() - record->written > seconds_between)
        save(record);
}

/* ---- the run ------------------------------------------------------------- */

static void fill(xhpl_record_t *record, const xhpl_order_t *order,
                 json_t *hosts)
{
    const xhpl_parameters_t *parameters = &order->parameters;
    bool by_columns =
        order->run && xhpl_parameters_value(parameters, XHPL_PMAP) != 0;
    json_t *tests = json_array();

    record->root = XH_JSON_OBJECT(
        {"schema_version", json_integer(SCHEMA_VERSION)},
        {"program", xhpl_record_program()},
        {"command_line", xhpl_record_command_line()}, {"start", xh_json_now()},
        {"end", NULL}, {"exit_status", NULL},
        {"environment", xhpl_record_environment()},
        {"settings", xhpl_record_settings()},
        {"hpl_dat", order->run ? xhpl_record_hpl_dat(parameters) : NULL},
        {"mpi", xhpl_record_mpi()}, {"blas", NULL}, {"solver", NULL},
        {"kernel", NULL}, {"hosts", hosts}, {"devices", NULL},
        {"findings", json_array()}, {"tests", tests},
        {"iterations", json_array()});
    record->tests = tests;
    record->pmap = by_columns ? 'C' : 'R';
}

static void forget(xhpl_record_t *record)
{
    if (record->rank == 0) {
        xhpl_at_termination_end();
        hpl_at_abort(NULL, NULL);
    }
    xhpl_phase_close(record->phase);
    xhpl_record_findings_close();
    json_decref(record->root);
    free(record);
}

void xhpl_record_listen(void)
{
    xhpl_record_findings_open();
}

/* No record is opened: drop the messages kept for it. */
static xh_status_t stop_listening(xh_status_t status)
{
    xhpl_record_findings_close();
    return status;
}

xh_status_t xhpl_record_open(const xhpl_order_t *order,
                             xhpl_record_t **record_p)
{
    xhpl_record_t *record;
    xh_status_t status = XH_OK;
    json_t *hosts;

    *record_p = NULL;
    if (order->json == NULL)
        return stop_listening(XH_OK);
    record = calloc(1, sizeof(*record));
    if (record == NULL)
        HPL_pabort(__LINE__, "xhpl_record_open", "out of memory");
    MPI_Comm_rank(MPI_COMM_WORLD, &record->rank);
    record->zero = xh_clock_now();
    if (record->rank == 0)
        status = open_file(order, record);
    status = hpl_agree(MPI_COMM_WORLD, status);
    if (status != XH_OK) {
        free(record);
        return stop_listening(status);
    }
    xhpl_record_findings_open();
    hosts = xhpl_record_hosts();
    if (record->rank == 0) {
        fill(record, order, hosts);
        save(record);
        hpl_at_abort(complete_aborted, record);
        xhpl_at_termination(complete_terminated, record);
    }
    status = hpl_agree(MPI_COMM_WORLD, xhpl_phase_open(&record->phase));
    if (status == XH_OK)
        *record_p = record;
    else
        forget(record);
    return status;
}

/*
 * The hosts with what the solver uses of them, which all processes measure;
 * NULL on processes other than 0.
 */
static json_t *hosts_with_workers(const xhpl_record_t *record)
{
    json_t *hosts = json_deep_copy(json_object_get(record->root, "hosts"));

    xhpl_record_workers(hosts);
    return hosts;
}

void xhpl_record_begin(xhpl_record_t *record)
{
    json_t *devices, *hosts;

    if (record == NULL)
        return;
    xhpl_phase_begin(record->phase);
    devices = xhpl_record_devices();
    hosts = hosts_with_workers(record);
    if (!keeps(record))
        return;
    XH_JSON_SET(record->root, {"solver", xh_json_text(hpl_solver()->name)},
                {"kernel", xhpl_record_kernel()}, {"hosts", hosts},
                {"devices", devices}, {"blas", xhpl_record_blas()});
    save(record);
    pthread_mutex_unlock(&lock);
}

/* NULL if the solver keeps none. */
static json_t *iterations_of(const xhpl_record_t *record)
{
    json_t *iterations;
    char *csv;
    size_t size;

    if (hpl_solver()->iterations == NULL ||
        hpl_solver()->iterations(0, record->zero, &csv, &size) != XH_OK)
        return NULL;
    iterations = xhpl_record_iterations(csv, size);
    free(csv);
    return iterations;
}

void xhpl_record_end(xhpl_record_t *record)
{
    json_t *hosts, *iterations;

    if (record == NULL)
        return;
    hosts = hosts_with_workers(record);
    if (!keeps(record))
        return;
    iterations = iterations_of(record);
    json_object_set_new(record->root, "hosts", hosts);
    if (iterations != NULL)
        json_object_set_new(record->root, "iterations", iterations);
    pthread_mutex_unlock(&lock);
}

static xh_status_t finish(xhpl_record_t *record, int exit_status)
{
    xh_status_t status = complete(record, exit_status);

    if (xhpl_record_file_close(&record->file) || status != XH_OK)
        return status;
    xh_log_error("cannot close the file of --json: %s", strerror(errno));
    return XH_ERR_IO;
}

xh_status_t xhpl_record_close(xhpl_record_t *record, int exit_status)
{
    xh_status_t status = XH_OK;

    if (record == NULL)
        return XH_OK;
    xhpl_record_findings_gather();
    if (record->rank == 0)
        status = finish(record, exit_status);
    forget(record);
    return hpl_agree(MPI_COMM_WORLD, status);
}

/* ---- a test -------------------------------------------------------------- */

/* A test as if it were skipped; more is set later. */
static json_t *add_test(xhpl_record_t *record, const xhpl_test_t *test)
{
    json_t *object = xhpl_record_test(record->pmap, test);

    json_array_append_new(record->tests, object);
    return object;
}

/* The test that was added last. */
static json_t *last_test(const xhpl_record_t *record)
{
    return json_array_get(record->tests, json_array_size(record->tests) - 1);
}

void xhpl_record_ready(xhpl_record_t *record, const xhpl_test_t *test)
{
    double gflop = xhpl_report_rate(test->n, 1.0);

    if (keeps(record)) {
        XH_JSON_SET(add_test(record, test), {"status", json_string("RUNNING")},
                    {"start", xh_json_now()});
        if (gflop > short_gflop * test->nprow * test->npcol)
            save(record);
        else
            save_now_and_then(record);
        pthread_mutex_unlock(&lock);
    }
    if (record != NULL)
        xhpl_phase_ready(record->phase);
}

void xhpl_record_start(xhpl_record_t *record)
{
    if (record != NULL)
        xhpl_phase_start(record->phase);
}

void xhpl_record_stop(xhpl_record_t *record, MPI_Comm comm,
                      const hpl_system_t *system)
{
    if (record != NULL)
        xhpl_phase_stop(record->phase, comm, system);
}

void xhpl_record_solved(xhpl_record_t *record, const xhpl_test_t *test,
                        double seconds, double predicted, double ceiling)
{
    double rate = xhpl_report_rate(test->n, seconds);
    json_t *object;

    if (!keeps(record))
        return;
    object = last_test(record);
    XH_JSON_SET(object, {"status", json_string("UNCHECKED")},
                {"seconds", xh_json_number(seconds)},
                {"gflops", xh_json_number(rate)});
    xhpl_phase_add(record->phase, record->root, object);
    if (predicted > 0.0)
        json_object_set_new(object, "prediction",
                            xhpl_record_prediction(test, predicted, ceiling));
    save_now_and_then(record);
    pthread_mutex_unlock(&lock);
}

void xhpl_record_checked(xhpl_record_t *record, double residual,
                         const hpl_norms_t *norms, bool passed)
{
    if (!keeps(record))
        return;
    XH_JSON_SET(last_test(record),
                {"status", json_string(passed ? "PASSED" : "FAILED")},
                {"residual", xh_json_number(residual)},
                {"norms", xhpl_record_norms(norms)});
    save_now_and_then(record);
    pthread_mutex_unlock(&lock);
}

void xhpl_record_skipped(xhpl_record_t *record, const xhpl_test_t *test)
{
    if (!keeps(record))
        return;
    add_test(record, test);
    save_now_and_then(record);
    pthread_mutex_unlock(&lock);
}
