/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"
#include "hpl_solver.h"
#include "testing/ptest/command_line.h"
#include "testing/ptest/record.h"

/*
 * Parts of a record, each the value of one member that docs/RECORD.md
 * describes, for json_decref. A collective function is collective over
 * MPI_COMM_WORLD; process 0 gets the value and the other processes NULL.
 */

/* ---- the program: record_program.c --------------------------------------- */

json_t *xhpl_record_program(void);
json_t *xhpl_record_command_line(void);
json_t *
xhpl_record_environment(void); /* without variables that may be secret */
json_t *xhpl_record_settings(void);
json_t *xhpl_record_hpl_dat(const xhpl_parameters_t *parameters);
json_t *xhpl_record_mpi(void);
json_t *xhpl_record_blas(void);

/* The name of the batch system and the nodes of this job; NULL: none. */
json_t *xhpl_record_job(void);

/* ---- memory modules: record_modules.c ------------------------------------ */

/*
 * The memory modules that the firmware lists, which most systems let only root
 * read; NULL: unknown.
 * root  in  "", or a folder with a copy of /sys
 */
json_t *xhpl_record_modules(const char *root);

/* ---- a test: record_test.c ----------------------------------------------- */

/* A test as if it were skipped; other members are set later. */
json_t *xhpl_record_skipped(const xhpl_parameters_t *parameters,
                            const xhpl_test_t *test);

/*
 * Add what is known once a test is solved, and once it is checked.
 * measured  in  its reference is taken; NULL: nothing was measured
 */
void xhpl_record_solved(const xhpl_trial_t *trial, json_t *measured,
                        json_t *test);
void xhpl_record_checked(const xhpl_trial_t *trial, json_t *test);

/* ---- the hosts: record_hosts.c ------------------------------------------- */

/*
 * Join the arrays `mine` of all processes of comm in the order of ranks;
 * collective over comm. Takes the reference of mine.
 */
json_t *xhpl_record_gather(MPI_Comm comm, json_t *mine);

/*
 * "hosts", each with its ranks, without what the solver uses; collective.
 *
 * Order: before threads are pinned: the binding by the launcher is recorded.
 */
json_t *xhpl_record_hosts(void);

/*
 * A copy of hosts with what the solver uses: the threads and cores of each
 * rank, the topology of each host and the FMA ceiling of its cores. The ceiling
 * is measured here; of several measurements the largest stays. Collective.
 *
 * hosts  in  on process 0; NULL on the other processes
 *
 * Order:  the solver is open and its threads are idle.
 * Cost:   less than a tenth of a second.
 */
json_t *xhpl_record_workers(json_t *hosts);

/* The solver's workers on this process; all zero: unknown. */
hpl_workers_t xhpl_record_my_workers(void);

/* "devices" of all processes, by rank; collective. */
json_t *xhpl_record_devices(void);

/*
 * Joules counted by this process's devices; NAN if one does not report them,
 * 0 without devices.
 */
double xhpl_record_devices_energy(void);

/* ---- measuring it: record_phase.c ---------------------------------------- */

/*
 * Measurements around the timed phase of a test: start and end, energy, what
 * each process did, and clocks and temperatures of the solver's cores and
 * devices. On each process a thread reads clocks some time after the phase has
 * begun, and then at intervals; in a shorter phase they are read once, right
 * after it. Nothing within the phase makes other processes wait.
 *
 *     begin                   the solver is open
 *     ready, start, stop      each test
 */
typedef struct xhpl_phase xhpl_phase_t;

/*
 * root     in  "", or a folder with a copy of /sys
 * first    in  seconds from the start of a phase to the first reading
 * between  in  seconds between two readings
 *
 * Order:  collective over MPI_COMM_WORLD; before threads are pinned, since the
 *         thread may run on other cores.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_phase_open(const char *root, double first, double between,
                            xhpl_phase_t **phase_p);
void xhpl_phase_close(xhpl_phase_t *phase); /* accepts NULL */

/* Find the cores that the solver uses, once it is open. Collective. */
void xhpl_phase_begin(xhpl_phase_t *phase);

/* Call ready before the barrier that starts the phase, start after it. */
void xhpl_phase_ready(xhpl_phase_t *phase);
void xhpl_phase_start(xhpl_phase_t *phase);

/*
 * Once all processes are done, return the measured members of the test;
 * collective over comm, the processes of the test.
 *
 * system       in  the solved system; unused if the solver reports no work
 * has_devices  in  the energy of devices is known
 */
json_t *xhpl_phase_stop(xhpl_phase_t *phase, MPI_Comm comm,
                        const hpl_system_t *system, bool has_devices);
