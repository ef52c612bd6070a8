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
 * Parts of a record, each the value of one member as docs/RECORD.md describes
 * it, for json_decref. Where a function is collective, it is so over
 * MPI_COMM_WORLD; process 0 gets the value and the others NULL.
 */

/* ---- the program: record_program.c --------------------------------------- */

json_t *xhpl_record_program(void);
json_t *xhpl_record_command_line(void);
json_t *xhpl_record_environment(void); /* nothing that may be secret */
json_t *xhpl_record_settings(void);
json_t *xhpl_record_hpl_dat(const xhpl_parameters_t *parameters);
json_t *xhpl_record_mpi(void);
json_t *xhpl_record_blas(void);

/* The batch system's name and nodes of this job; NULL: there is none. */
json_t *xhpl_record_job(void);

/* ---- memory modules: record_modules.c ------------------------------------ */

/*
 * The modules that the firmware lists, which most systems let only root read;
 * NULL: unknown.
 * root  in  where /sys is: "", or a folder with another machine's
 */
json_t *xhpl_record_modules(const char *root);

/* ---- a test: record_test.c ----------------------------------------------- */

/* A test as if it were skipped; more is set later. */
json_t *xhpl_record_skipped(const xhpl_parameters_t *parameters,
                            const xhpl_test_t *test);

/* It was solved, and checked: set what is known from then on.
 * measured  in  given back; NULL: nothing was */
void xhpl_record_solved(const xhpl_trial_t *trial, json_t *measured,
                        json_t *test);
void xhpl_record_checked(const xhpl_trial_t *trial, json_t *test);

/* ---- the hosts: record_hosts.c ------------------------------------------- */

/*
 * One array of the elements of the arrays `mine` of all processes of comm, in
 * the order of their ranks; collective over comm. Gives mine back.
 */
json_t *xhpl_record_gather(MPI_Comm comm, json_t *mine);

/*
 * "hosts", each with its ranks, without what the solver uses of them;
 * collective.
 *
 * Order: before threads are pinned: it records the launcher's binding.
 */
json_t *xhpl_record_hosts(void);

/*
 * A copy of hosts with what the solver uses: the threads and cores of each
 * rank, the topology of each host and the FMA ceiling of its cores. The ceiling
 * is measured here; of several measurements the largest stays. Collective.
 *
 * hosts  in  on process 0; NULL on the others
 *
 * Order:  the solver is open and its threads are idle.
 * Cost:   less than a tenth of a second.
 */
json_t *xhpl_record_workers(json_t *hosts);

/* The solver's workers here; all zero: unknown. */
hpl_workers_t xhpl_record_my_workers(void);

/* a set of processors of a host; MPI can join several by MPI_BOR */
enum { XHPL_CPUS = 8192 }; /* all numbers are below */
typedef struct {
    unsigned char has[XHPL_CPUS]; /* 0 or 1 */
} xhpl_cpus_t;

/* Those of a text list; NULL: one of each core that this thread may use. */
xhpl_cpus_t xhpl_record_cpus(const char *list);

/* "devices" of all processes, by rank; collective. */
json_t *xhpl_record_devices(void);

/*
 * Joules counted by this process's devices; NAN if one does not report them,
 * 0 without devices.
 */
double xhpl_record_devices_energy(void);

/* ---- measuring it: record_phase.c ---------------------------------------- */

/*
 * What is measured around the timed phase of a test: its start and end, energy,
 * what each process did, and clock rates and temperature of the cores that the
 * solver uses, and of devices. On each process a thread reads the latter some
 * time after the phase has begun, and then at intervals; a shorter phase is
 * read once, right after it. Nothing within the phase makes other processes
 * wait.
 *
 *     begin                   the solver is open
 *     ready, start, stop      each test
 */
typedef struct xhpl_phase xhpl_phase_t;

/*
 * root     in  where /sys is: "", or a folder with another machine's
 * first    in  seconds from the start of a phase to the first reading
 * between  in  seconds between two readings
 *
 * Order:  collective over MPI_COMM_WORLD; before threads are pinned, as the
 *         thread may run on other cores.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_phase_open(const char *root, double first, double between,
                            xhpl_phase_t **phase_p);
void xhpl_phase_close(xhpl_phase_t *phase); /* accepts NULL */

/* The solver is open: which cores does it use? Collective. */
void xhpl_phase_begin(xhpl_phase_t *phase);

/* Before the barrier that starts the phase; after it. */
void xhpl_phase_ready(xhpl_phase_t *phase);
void xhpl_phase_start(xhpl_phase_t *phase);

/*
 * All processes are done: returns the measured members of the test; collective
 * over comm, its processes.
 *
 * system       in  that was solved; unused if the solver reports no work
 * has_devices  in  the energy of devices is known
 */
json_t *xhpl_phase_stop(xhpl_phase_t *phase, MPI_Comm comm,
                        const hpl_system_t *system, bool has_devices);
