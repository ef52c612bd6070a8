/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_PARTS_H
#define XHPL_RECORD_PARTS_H

#include <jansson.h>
#include <mpi.h>
#include <stddef.h>
#include "hpl_solver.h"
#include "testing/ptest/plan.h"

/*
 * Parts of a record, each the value of one member as docs/RECORD.md describes
 * it, for json_decref. NULL without memory. Where a function is collective,
 * process 0 gets the value and the others NULL.
 */

/* ---- before the tests: record_program.c ---------------------------------- */

/* "program": version, revision and how it was compiled. */
json_t *xhpl_record_program(void);

/* "command_line": the words in the order typed. */
json_t *xhpl_record_command_line(void);

/*
 * "environment": the variables of this process that may change the results,
 * except those whose names suggest a secret.
 */
json_t *xhpl_record_environment(void);

/* "settings" */
json_t *xhpl_record_settings(void);

/* "hpl_dat": the values that the tests combine, whoever gave them. */
json_t *xhpl_record_hpl_dat(const xhpl_parameters_t *parameters);

/* "mpi" */
json_t *xhpl_record_mpi(void);

/* "blas" */
json_t *xhpl_record_blas(void);

/* ---- the hosts: record_hosts.c, record_devices.c ------------------------- */

/*
 * "hosts", each with its ranks, without what the solver uses of them;
 * collective over MPI_COMM_WORLD.
 *
 * Order: before threads are pinned: it records the launcher's binding.
 */
json_t *xhpl_record_hosts(void);

/*
 * Add to "hosts" what the solver uses: the threads and cores of each rank, the
 * topology of each host and the FMA ceiling of its cores. The ceiling is
 * measured here; of several measurements the largest stays. Collective over
 * MPI_COMM_WORLD.
 *
 * hosts  in,out  on process 0; unused on the others
 *
 * Order:  the solver is open and its threads are idle.
 * Cost:   less than a tenth of a second.
 */
void xhpl_record_workers(json_t *hosts);

/* a set of processors of a host; MPI can join several by MPI_BOR */
enum { XHPL_CPUS = 8192 }; /* all numbers are below */
typedef struct {
    unsigned char has[XHPL_CPUS]; /* 0 or 1 */
} xhpl_cpus_t;

/* Those of a text list; NULL: one of each core that this thread may use. */
xhpl_cpus_t xhpl_record_cpus(const char *list);

/* "kernel": of this process's updates, as the solver reports it. */
json_t *xhpl_record_kernel(void);

/* "devices" of all processes, by rank; collective over MPI_COMM_WORLD. */
json_t *xhpl_record_devices(void);

/*
 * Joules counted by this process's devices; NAN if one does not report them,
 * 0 without devices.
 */
double xhpl_record_devices_energy(void);

/* ---- a test: record_test.c, record_iterations.c -------------------------- */

/*
 * A skipped test: measured values are null.
 * pmap  in  of its tag: R or C
 */
json_t *xhpl_record_test(char pmap, const xhpl_test_t *test);

/* "prediction": seconds, and the FMA ceiling of all cores (flop/s) it is based
 * on. */
json_t *xhpl_record_prediction(const xhpl_test_t *test, double seconds,
                               double ceiling);

/* "norms" */
json_t *xhpl_record_norms(const hpl_norms_t *norms);

/*
 * "ranks": what each process of comm, those of the test, did in it; null if
 * the solver does not report this. Collective over comm.
 *
 * system  in  that was solved; unused if the solver does not report
 */
json_t *xhpl_record_ranks(MPI_Comm comm, const hpl_system_t *system);

/* "iterations": an object for each line of csv after the line of names. */
json_t *xhpl_record_iterations(const char *csv, size_t size);

#endif
