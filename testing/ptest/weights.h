/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/pauxil/deal.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/test_list.h"

/*
 * Weights of processes: their rates, by which block columns are dealt, as the
 * setting weights says; known to all processes.
 */
typedef struct {
    int processes;
    double rate[]; /* by rank, in any unit */
} xhpl_weights_t;

/* Measure the rate of this process with panels as wide as nb says; collective
 * over MPI_COMM_WORLD. */
typedef xh_status_t xhpl_rate_fn_t(const xhpl_list_t *nb, double *rate_p);

/*
 * Measure the rates, or read them from the file that the setting weights names,
 * or, in a restart, from the folder of checkpoints; collective over
 * MPI_COMM_WORLD, with a solver open.
 *
 * weights_p  out  for free(); NULL: weights=off
 *
 * Cost:   a second, if they are measured
 * Errors: XH_ERR_INPUT   the file is not acceptable, or the solver's processors
 *                        or devices cannot be measured: reported, on all
 *                        processes
 *         XH_ERR_MEMORY
 */
xh_status_t xhpl_weights_open(const xhpl_parameters_t *parameters,
                              xhpl_rate_fn_t *measure,
                              xhpl_weights_t **weights_p);

/*
 * The rate of a process column in test, which is that of its slowest process.
 *
 * least_p  out  the rank of the slowest process
 * most_p   out  the rank of the fastest one
 */
double xhpl_weights_column(const xhpl_weights_t *weights, HPL_T_ORDER order,
                           const xhpl_test_t *test, int column, int *least_p,
                           int *most_p);

/*
 * Deal the columns of test to its process columns.
 *
 * weights  in   NULL: round-robin
 * deal_p   out  for hpl_deal_destroy; NULL: round-robin
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_weights_deal(const xhpl_weights_t *weights, HPL_T_ORDER order,
                              const xhpl_test_t *test, hpl_deal_t **deal_p);

/* Report on stderr each process column's part of test, and processes of a
 * column that differ. Called by one process; does nothing if weights is NULL.
 */
void xhpl_weights_report(const xhpl_weights_t *weights, HPL_T_ORDER order,
                         const xhpl_test_t *test);

/* Save measured rates in the folder of checkpoints, for a restart; delete them
 * with the checkpoints. Process 0. */
void xhpl_weights_save(const xhpl_weights_t *weights);
void xhpl_weights_delete(void);

/*
 * Read the rate of each process from text, whose lines are "HOST RATE" or "RANK
 * RATE", with # before comments. The line of a rank overrides that of its host.
 *
 * name   in   of the file, for messages
 * host   in   the host name of each process; its first part is enough
 *
 * Errors: XH_ERR_INPUT  reported
 */
xh_status_t xhpl_weights_parse(const char *name, char *text, int processes,
                               const char *const *host, double *rate_p);
