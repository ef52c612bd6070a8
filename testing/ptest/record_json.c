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
#include "testing/ptest/record_devices.h"
#include "testing/ptest/record_file.h"
#include "testing/ptest/record_findings.h"
#include "testing/ptest/record_parts.h"
#include "testing/ptest/record_phase.h"
#include "testing/ptest/record_value.h"
#include "testing/ptest/record_workers.h"
#include "testing/ptest/report.h"
#include "testing/ptest/termination.h"

enum {
    SCHEMA_VERSION = 1,
    BY_SIGNAL = 128 /* added to its number, as shells do */
};

/* A run of many short tests is not held up by writing. */
static const double seconds_between = 1;
static const double short_gflop = 1; /* of a process, in such a test */

struct xhpl_record {
    int rank;
    double zero; /* xh_clock_now at open */
    xhpl_phase_t *phase;
    /* on process 0 */
    xhpl_record_file_t file;
    double written; /* xh_clock_wall of the last time */
    bool is_complete;
    json_t *root, *tests;
    char pmap; /* of the tags: R or C */
};

/* Of a record's root, with what hangs on it, and its file: a thread that meets
 * an error, or a signal, completes them. Nobody waits for others with it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct timespec now(void)
{
    struct timespec moment;

    clock_gettime(CLOCK_REALTIME, &moment);
    return moment;
}

/* ---- the file ------------------------------------------------------------ */

static xh_status_t open_file(const xhpl_order_t *order, xhpl_record_t *record)
{
    if (strcmp(order->json, order->trace) == 0 ||
        strcmp(order->json, order->iterations) == 0) {
        xh_log_error("--json and another option both name %s; allowed: a file "
                     "of its own",
                     order->json);
        return XH_ERR_INPUT;
    }
    return xhpl_record_file_open(order->json, &record->file);
}

/* What is known so far, in place of what the file held. */
static bool write_all(xhpl_record_t *record)
{
    record->written = xh_clock_wall();
    json_object_set_new(record->root, "findings", xhpl_record_findings());
    return xhpl_record_file_write(&record->file, record->root);
}

/* A run may be killed at any time. An error is met again, and said, at close */
static void save(xhpl_record_t *record)
{
    if (!record->file.once && !record->is_complete)
        write_all(record);
}

/* With the end of the run, once. An error is said. */
static xh_status_t complete(xhpl_record_t *record, int exit_status)
{
    struct timespec moment = now();
    bool is_written = true;

    pthread_mutex_lock(&lock);
    if (!record->is_complete) {
        json_object_set_new(record->root, "end", xhpl_json_moment(&moment));
        xhpl_json_set_count(record->root, "exit_status", exit_status);
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

/* This process is ended from outside. */
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

static void fill(xhpl_record_t *record, const xhpl_order_t *order)
{
    struct timespec moment = now();
    json_t *root = record->root = json_object();

    xhpl_json_set_count(root, "schema_version", SCHEMA_VERSION);
    json_object_set_new(root, "program", xhpl_record_program());
    json_object_set_new(root, "command_line", xhpl_record_command_line());
    json_object_set_new(root, "start", xhpl_json_moment(&moment));
    json_object_set_new(root, "end", json_null());
    json_object_set_new(root, "exit_status", json_null());
    json_object_set_new(root, "environment", xhpl_record_environment());
    json_object_set_new(root, "settings", xhpl_record_settings());
    json_object_set_new(root, "hpl_dat",
                        order->run ? xhpl_record_hpl_dat(&order->parameters)
                                   : json_null());
    json_object_set_new(root, "mpi", xhpl_record_mpi());
    json_object_set_new(root, "blas", json_null());
    json_object_set_new(root, "solver", json_null());
    json_object_set_new(root, "kernel", json_null());
    json_object_set_new(root, "hosts", json_null());
    json_object_set_new(root, "devices", json_null());
    json_object_set_new(root, "findings", json_array());
    json_object_set_new(root, "tests", json_array());
    json_object_set_new(root, "iterations", json_array());
    record->tests = json_object_get(root, "tests");
    record->pmap =
        order->run && xhpl_parameters_value(&order->parameters, XHPL_PMAP) != 0
            ? 'C'
            : 'R';
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

/* What was heard, for a record that there is not. */
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
    if (order->json[0] == '\0')
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
        fill(record, order);
        json_object_set_new(record->root, "hosts", hosts);
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

/* What processes took, measured by all of them, added to what is known of their
 * hosts; NULL but on process 0. */
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
    if (record->rank != 0)
        return;
    pthread_mutex_lock(&lock);
    xhpl_json_set_text(record->root, "solver", hpl_solver()->name);
    json_object_set_new(record->root, "kernel", xhpl_record_kernel());
    json_object_set_new(record->root, "hosts", hosts);
    json_object_set_new(record->root, "devices", devices);
    json_object_set_new(record->root, "blas", xhpl_record_blas());
    save(record);
    pthread_mutex_unlock(&lock);
}

/* NULL if nobody noted them. */
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
    if (record->rank != 0)
        return;
    iterations = iterations_of(record);
    pthread_mutex_lock(&lock);
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

/* A test as if it were skipped, to be completed. */
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

/* It begins: said at once, unless it is over before anyone looks. */
static void announce(xhpl_record_t *record, const xhpl_test_t *test)
{
    struct timespec moment = now();
    double gflop = xhpl_report_rate(test->n, 1.0);
    json_t *object;

    pthread_mutex_lock(&lock);
    object = add_test(record, test);
    xhpl_json_set_text(object, "status", "RUNNING");
    json_object_set_new(object, "start", xhpl_json_moment(&moment));
    if (gflop > short_gflop * test->nprow * test->npcol)
        save(record);
    else
        save_now_and_then(record);
    pthread_mutex_unlock(&lock);
}

void xhpl_record_ready(xhpl_record_t *record, const xhpl_test_t *test)
{
    if (record == NULL)
        return;
    if (record->rank == 0)
        announce(record, test);
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
                        double seconds)
{
    json_t *object;

    if (record == NULL || record->rank != 0)
        return;
    pthread_mutex_lock(&lock);
    object = last_test(record);
    xhpl_json_set_text(object, "status", "UNCHECKED");
    xhpl_json_set_number(object, "seconds", seconds);
    xhpl_json_set_number(object, "gflops", xhpl_report_rate(test->n, seconds));
    xhpl_phase_add(record->phase, record->root, object);
    save_now_and_then(record);
    pthread_mutex_unlock(&lock);
}

void xhpl_record_predicted(xhpl_record_t *record, const xhpl_test_t *test,
                           double seconds, double ceiling)
{
    if (record == NULL || record->rank != 0 || !(seconds > 0.0))
        return;
    pthread_mutex_lock(&lock);
    json_object_set_new(last_test(record), "prediction",
                        xhpl_record_prediction(test, seconds, ceiling));
    pthread_mutex_unlock(&lock);
}

void xhpl_record_checked(xhpl_record_t *record, double residual,
                         const hpl_norms_t *norms, bool passed)
{
    json_t *object;

    if (record == NULL || record->rank != 0)
        return;
    pthread_mutex_lock(&lock);
    object = last_test(record);
    xhpl_json_set_text(object, "status", passed ? "PASSED" : "FAILED");
    xhpl_json_set_number(object, "residual", residual);
    json_object_set_new(object, "norms", xhpl_record_norms(norms));
    save_now_and_then(record);
    pthread_mutex_unlock(&lock);
}

void xhpl_record_skipped(xhpl_record_t *record, const xhpl_test_t *test)
{
    if (record == NULL || record->rank != 0)
        return;
    pthread_mutex_lock(&lock);
    add_test(record, test);
    save_now_and_then(record);
    pthread_mutex_unlock(&lock);
}
