/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_PHASE_H
#define XHPL_RECORD_PHASE_H

#include <jansson.h>
#include <mpi.h>
#include "base/status.h"
#include "hpl_solver.h"

/*
 * What is measured around the timed phase of a test: its start and end, energy,
 * what each process did, and clock rates and temperature of the cores that the
 * solver uses. On the first process of each host a thread reads the latter some
 * time after the phase has begun, and then at intervals; a shorter phase is
 * read once, right after it. Nothing within the phase makes other processes
 * wait.
 *
 *     begin                           the solver is open
 *     ready, start, stop, add         each test
 */
typedef struct xhpl_phase xhpl_phase_t;

/*
 * first    in  seconds from the start of a phase to the first reading
 * between  in  seconds between two readings
 *
 * Order:  collective over MPI_COMM_WORLD; before threads are pinned, as the
 *         thread may run on other cores.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_phase_open(double first, double between,
                            xhpl_phase_t **phase_p);
void xhpl_phase_close(xhpl_phase_t *phase); /* accepts NULL */

/* The solver is open: which cores does it use? Collective over MPI_COMM_WORLD.
 */
void xhpl_phase_begin(xhpl_phase_t *phase);

/* Before the barrier that starts the phase; after it. */
void xhpl_phase_ready(xhpl_phase_t *phase);
void xhpl_phase_start(xhpl_phase_t *phase);

/*
 * All processes are done; collective over comm, the processes of the test.
 * system  in  that was solved; unused if the solver reports no work
 */
void xhpl_phase_stop(xhpl_phase_t *phase, MPI_Comm comm,
                     const hpl_system_t *system);

/*
 * Add the measurements of the last phase to its test, on process 0.
 * has_devices  in  the energy of devices is known
 */
void xhpl_phase_add(xhpl_phase_t *phase, bool has_devices, json_t *test);

#endif
