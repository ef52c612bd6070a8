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
 * The record of a run, the JSON file of --json; docs/RECORD.md describes it. It
 * is opened before the run, to refuse a bad name early, and is written again
 * and again, so that a run that is killed leaves what was known until then.
 * Process 0 writes it; the others contribute measurements.
 *
 * Every function on a record accepts NULL, no record, and then does nothing. A
 * build without a JSON library has no records: its open refuses to make one.
 */
typedef struct xhpl_record xhpl_record_t;

bool xhpl_record_is_built(void);

/*
 * From now on keep this process's warnings and errors for the record, which is
 * not open yet.
 */
void xhpl_record_listen(void);

/*
 * Open the record that command asks for; collective over MPI_COMM_WORLD.
 *
 * command     in   outlives the record
 * record_p  out  NULL: none is wanted
 *
 * Errors: XH_ERR_INPUT  the file cannot be written, or this build has no
 *                       records: reported, on all processes
 *         XH_ERR_MEMORY
 */
xh_status_t xhpl_record_open(const xhpl_command_t *command,
                             xhpl_record_t **record_p);

/* what is recorded, in this command, the moments of tests for each */
typedef enum {
    XHPL_SOLVER_OPEN,   /* ... and idle: solver, cores, devices and the BLAS;
                           measures what these cores can do. Collective over
                           MPI_COMM_WORLD */
    XHPL_TEST_READY,    /* before the barrier that starts the timed phase: a
                           test that takes some time is shown as running */
    XHPL_TEST_START,    /* after that barrier */
    XHPL_TEST_SOLVED,   /* the last process is done; collective over comm */
    XHPL_TEST_CHECKED,  /* until then it is shown as unchecked */
    XHPL_TEST_SKIPPED,  /* instead of all these: it could not be run */
    XHPL_SOLVER_CLOSING /* iterations; measures the cores again, and the higher
                           figure stays. Collective over MPI_COMM_WORLD */
} xhpl_moment_t;

/* a test, as far as it is known at a moment */
typedef struct {
    xhpl_test_t test;
    MPI_Comm comm;                   /* its processes */
    double predicted;                /* s that it should take; 0: unknown */
    const xhpl_forecast_t *forecast; /* where that is from */
    const xhpl_weights_t *weights;   /* by which columns are dealt, ... */
    const hpl_deal_t *deal;          /* ... so; NULL: in turn */
    HPL_T_ORDER order;               /* of ranks on the grid */
    hpl_system_t *system;
    double seconds;         /* from SOLVED on, like devices; */
    xhpl_device_t *devices; /* of all processes, on the first one */
    int device_count;
    double residual; /* CHECKED, like what follows */
    hpl_norms_t norms;
    bool passed;
} xhpl_trial_t;

/* trial  in  unused at the moments of the solver */
void xhpl_record_note(xhpl_record_t *record, xhpl_moment_t moment,
                      const xhpl_trial_t *trial);

/* Note what became of the self-test before the tests. */
void xhpl_record_trust(xhpl_record_t *record, const xhpl_trust_t *trust);

/* Flop/s that the cores of all hosts reached in multiply-adds alone; 0:
 * unknown. On process 0. */
double xhpl_record_ceiling(const xhpl_record_t *record);

/* A signal ends this process, the first one: write what is known. Any thread.
 */
void xhpl_record_terminated(xhpl_record_t *record, int signal);

/*
 * Write the record of a run that ends with exit_status, and free it;
 * collective.
 * Errors: XH_ERR_IO  the file is incomplete: reported, on all processes
 */
xh_status_t xhpl_record_close(xhpl_record_t *record, int exit_status);
