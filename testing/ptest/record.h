/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include "base/status.h"
#include "hpl_solver.h"
#include "testing/ptest/devices.h"
#include "testing/ptest/command_line.h"
#include "testing/ptest/test_list.h"
#include "testing/ptest/trust.h"
#include "testing/ptest/weights.h"

/*
 * The record of a run, the JSON file of --json; docs/RECORD.md describes it.
 * The file is opened before the run, so that a bad name is refused early, and
 * is rewritten from time to time, so that a killed run leaves what was known.
 * Process 0 writes it; the other processes contribute measurements.
 *
 * Every function accepts NULL (no record) and then does nothing. Without a JSON
 * library no record can be opened.
 */
typedef struct xhpl_record xhpl_record_t;

bool xhpl_record_is_built(void);

/*
 * From now on store the warnings and errors of this process for the record,
 * which is not open yet.
 */
void xhpl_record_listen(void);

/*
 * Open the record that command asks for; collective over MPI_COMM_WORLD.
 *
 * command     in   outlives the record
 * record_p  out  NULL: none is asked for
 *
 * Errors: XH_ERR_INPUT  the file cannot be written, or this build has no
 *                       records: reported, on all processes
 *         XH_ERR_MEMORY
 */
xh_status_t xhpl_record_open(const xhpl_command_t *command,
                             xhpl_record_t **record_p);

/* Moments at which something is recorded, in this order; the moments of a test
 * occur for each test. */
typedef enum {
    XHPL_SOLVER_OPEN,  /* the solver is open and idle: records solver, cores,
                          devices and the BLAS, and measures what the cores can
                          do. Collective over MPI_COMM_WORLD */
    XHPL_TEST_READY,   /* before the barrier that starts the timed phase: a long
                          test is shown as running */
    XHPL_TEST_START,   /* after that barrier */
    XHPL_TEST_SOLVED,  /* all processes are done; collective over comm */
    XHPL_TEST_CHECKED, /* until then the test is shown as unchecked */
    XHPL_TEST_SKIPPED, /* instead of all four: the test could not be run */
    XHPL_SOLVER_CLOSING /* records iterations; measures the cores again and
                           records the higher rate. Collective over
                           MPI_COMM_WORLD */
} xhpl_moment_t;

/* a test, as far as known at a moment */
typedef struct {
    xhpl_test_t test;
    MPI_Comm comm;                   /* processes of the test */
    double predicted;                /* in s; 0: unknown */
    const xhpl_forecast_t *forecast; /* the source of predicted */
    const xhpl_weights_t *weights;   /* rates by which columns are dealt */
    const hpl_deal_t *deal;          /* of the columns; NULL: round-robin */
    HPL_T_ORDER order;               /* of ranks on the grid */
    hpl_system_t *system;
    double seconds;         /* known from XHPL_TEST_SOLVED on, as devices */
    xhpl_device_t *devices; /* of all processes, on process 0 */
    int device_count;
    double residual; /* known from XHPL_TEST_CHECKED on, as the members below */
    hpl_norms_t norms;
    bool passed;
} xhpl_trial_t;

/* trial  in  unused at the moments of the solver */
void xhpl_record_note(xhpl_record_t *record, xhpl_moment_t moment,
                      const xhpl_trial_t *trial);

/* Record the result of the self-test before the tests. */
void xhpl_record_trust(xhpl_record_t *record, const xhpl_trust_t *trust);

/* Flop/s that the cores of all hosts reached in multiply-adds alone; 0:
 * unknown. On process 0. */
double xhpl_record_ceiling(const xhpl_record_t *record);

/* A signal ends process 0: write what is known. Any thread. */
void xhpl_record_terminated(xhpl_record_t *record, int signal);

/*
 * Write the record of a run that ends with exit_status, and free it;
 * collective.
 * Errors: XH_ERR_IO  the file is incomplete: reported, on all processes
 */
xh_status_t xhpl_record_close(xhpl_record_t *record, int exit_status);
