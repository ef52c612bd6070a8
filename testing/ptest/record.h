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
 * The record of a run, the JSON file of --json: docs/RECORD.md says what is in
 * it. It is opened before the run, so that a bad name costs nothing, and holds
 * what is known so far whenever the run ends, however that is. What process 0
 * knows is written; the others only add what they measure.
 *
 * Every function on a record accepts NULL, a record that nobody wants, and then
 * does nothing. A build without a JSON library has no records: its open
 * refuses a run that wants one.
 *
 *     listen
 *     open
 *         begin                 the solver is open
 *             ready, start, stop, solved, predicted, checked      each test
 *         end                   the solver is still open
 *     close
 */
typedef struct xhpl_record xhpl_record_t;

/*
 * Keep what this process says as warnings and errors from now on for the
 * record, which is not open yet: what is wrong with the order, say. A process
 * that does not call it keeps what it says from open on.
 */
void xhpl_record_listen(void);

/*
 * Open the record that order wants; collective over MPI_COMM_WORLD.
 *
 * record_p  out  NULL if none is wanted
 *
 * Errors: XH_ERR_INPUT  the file cannot be written, is that of --trace or
 *                       --iterations too, or this build has no records: said;
 *                       on all processes
 *         XH_ERR_MEMORY
 */
xh_status_t xhpl_record_open(const xhpl_order_t *order,
                             xhpl_record_t **record_p);

/*
 * Note the solver, its threads, cores and devices and the BLAS library that the
 * tests will use, and measure what these cores can do; collective over
 * MPI_COMM_WORLD, while the solver's threads have no work.
 */
void xhpl_record_begin(xhpl_record_t *record);

/*
 * Around the timed phase of a test: ready before the barrier that starts it,
 * which counts the test as running in the file, too, unless it is a short one;
 * start behind that barrier, stop when the last process is done. stop is
 * collective over comm, the processes of the test, and asks the solver what
 * each did to solve system.
 */
void xhpl_record_ready(xhpl_record_t *record, const xhpl_test_t *test);
void xhpl_record_start(xhpl_record_t *record);
void xhpl_record_stop(xhpl_record_t *record, MPI_Comm comm,
                      const hpl_system_t *system);

/* The test that was ready was solved in seconds; it counts as unchecked until
 * it is checked. */
void xhpl_record_solved(xhpl_record_t *record, const xhpl_test_t *test,
                        double seconds);

/*
 * The test that was solved last should have taken seconds, 0: nobody knows,
 * at a time when all cores reached ceiling, flop/s of FMA.
 */
void xhpl_record_predicted(xhpl_record_t *record, const xhpl_test_t *test,
                           double seconds, double ceiling);

/* The residual and the norms of the test that was solved last. */
void xhpl_record_checked(xhpl_record_t *record, double residual,
                         const hpl_norms_t *norms, bool passed);

/* A test could not be run. */
void xhpl_record_skipped(xhpl_record_t *record, const xhpl_test_t *test);

/*
 * All tests are over: add the iterations that process 0 noted, and what the
 * cores can do now, if that is more than before. Collective over
 * MPI_COMM_WORLD.
 */
void xhpl_record_end(xhpl_record_t *record);

/*
 * Write the record of a run that ends with exit_status, and free it;
 * collective.
 * Errors: XH_ERR_IO  the file is not complete: said; on all processes
 */
xh_status_t xhpl_record_close(xhpl_record_t *record, int exit_status);

#endif
