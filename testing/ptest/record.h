/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_H
#define XHPL_RECORD_H

#include <mpi.h>
#include <stdbool.h>
#include "base/status.h"
#include "hpl_solver.h"
#include "testing/ptest/order.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/plan.h"

/*
 * The record of a run, the JSON file of --json; docs/RECORD.md describes it. It
 * is opened before the run, to refuse a bad name early, and is written again
 * and again, so that a run that is killed leaves what was known until then.
 * Process 0 writes it; the others contribute measurements.
 *
 * Every function on a record accepts NULL, no record, and then does nothing. A
 * build without a JSON library has no records: its open refuses to make one.
 *
 *     listen
 *     open
 *         begin                 the solver is open
 *             ready, start, stop, solved, checked      each test
 *         end                   the solver is still open
 *     close
 */
typedef struct xhpl_record xhpl_record_t;

/*
 * From now on keep this process's warnings and errors for the record, which is
 * not open yet; without this call they are kept from open on.
 */
void xhpl_record_listen(void);

/*
 * Open the record that order asks for; collective over MPI_COMM_WORLD.
 *
 * record_p  out  NULL: none is wanted
 *
 * Errors: XH_ERR_INPUT  the file cannot be written, is also that of --trace or
 *                       --iterations, or this build has no records: reported,
 *                       on all processes
 *         XH_ERR_MEMORY
 */
xh_status_t xhpl_record_open(const xhpl_order_t *order,
                             xhpl_record_t **record_p);

/*
 * Record the solver, its threads, cores and devices, and the BLAS library, and
 * measure what these cores can do. Collective over MPI_COMM_WORLD, while the
 * solver's threads are idle.
 */
void xhpl_record_begin(xhpl_record_t *record);

/*
 * Around the timed phase of a test. ready: before the barrier that starts it;
 * the file then shows the test as running, unless it is a short one. start:
 * after that barrier. stop: after the last process is done; collective over
 * comm, the processes of the test, and asks the solver what each did to solve
 * system.
 */
void xhpl_record_ready(xhpl_record_t *record, const xhpl_test_t *test);
void xhpl_record_start(xhpl_record_t *record);
void xhpl_record_stop(xhpl_record_t *record, MPI_Comm comm,
                      const hpl_system_t *system);

/*
 * The test was solved in seconds; it is unchecked until it is checked.
 *
 * predicted  in  seconds that it should have taken; 0: unknown
 * ceiling    in  flop/s of FMA on all cores that the prediction is based on
 */
void xhpl_record_solved(xhpl_record_t *record, const xhpl_test_t *test,
                        double seconds, double predicted, double ceiling);

/* The residual and the norms of the test that was solved last. */
void xhpl_record_checked(xhpl_record_t *record, double residual,
                         const hpl_norms_t *norms, bool passed);

/* A test could not be run. */
void xhpl_record_skipped(xhpl_record_t *record, const xhpl_test_t *test);

/*
 * All tests are over: add the iterations that process 0 recorded, and measure
 * again what the cores can do; the higher figure stays. Collective over
 * MPI_COMM_WORLD.
 */
void xhpl_record_end(xhpl_record_t *record);

/*
 * Write the record of a run that ends with exit_status, and free it;
 * collective.
 * Errors: XH_ERR_IO  the file is incomplete: reported, on all processes
 */
xh_status_t xhpl_record_close(xhpl_record_t *record, int exit_status);

#endif
