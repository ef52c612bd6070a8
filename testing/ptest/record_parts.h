/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_PARTS_H
#define XHPL_RECORD_PARTS_H

#include <jansson.h>
#include <stddef.h>
#include "hpl_solver.h"
#include "testing/ptest/parameters.h"

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

/* ---- the hosts: record_hosts.c ------------------------------------------- */

/*
 * "hosts", each with its ranks, without what the solver uses of them;
 * collective.
 *
 * Order: before threads are pinned: it records the launcher's binding.
 */
json_t *xhpl_record_hosts(void);

/*
 * Add to "hosts" what the solver uses: the threads and cores of each rank, the
 * topology of each host and the FMA ceiling of its cores. The ceiling is
 * measured here; of several measurements the largest stays. Collective.
 *
 * hosts  in,out  on process 0; unused on the others
 *
 * Order:  the solver is open and its threads are idle.
 * Cost:   less than a tenth of a second.
 */
void xhpl_record_workers(json_t *hosts);

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

/* ---- record_iterations.c ------------------------------------------------- */

/* "iterations": an object for each line of csv after the line of names. */
json_t *xhpl_record_iterations(const char *csv, size_t size);

#endif
