/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_PARTS_H
#define XHPL_RECORD_PARTS_H

#include <jansson.h>
#include <stddef.h>
#include "hpl_solver.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/plan.h"

/*
 * The parts of a record, each as the value of one member: docs/RECORD.md says
 * what is in them. NULL where there is no memory; json_decref gives them back.
 */

/* "program": version, revision and how it was compiled. */
json_t *xhpl_record_program(void);

/* "command_line": the words, in the order in which they were typed. */
json_t *xhpl_record_command_line(void);

/*
 * "environment": the variables of this process that may change the numbers of
 * a run, but for those whose names speak of secrets.
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

/*
 * "hosts", each with the ranks on it, without what a solver takes of them;
 * collective over MPI_COMM_WORLD.
 *
 * Order:  before threads are pinned: it tells the launcher's binding.
 * Errors: NULL on all processes but 0
 */
json_t *xhpl_record_hosts(void);

/* The rank among the processes of this node; collective over MPI_COMM_WORLD. */
int xhpl_record_local_rank(void);

/*
 * A test that is skipped; what would be measured is null.
 * pmap  in  of its tag: R or C
 */
json_t *xhpl_record_test(char pmap, const xhpl_test_t *test);

/* Its "prediction": seconds, at a time when all cores reached ceiling flop/s.
 */
json_t *xhpl_record_prediction(const xhpl_test_t *test, double seconds,
                               double ceiling);

/* Its "norms" */
json_t *xhpl_record_norms(const hpl_norms_t *norms);

/* "iterations": an object for each line of csv but the first, which names. */
json_t *xhpl_record_iterations(const char *csv, size_t size);

#endif
