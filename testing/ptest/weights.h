/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/pauxil/deal.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/test_list.h"

/*
 * Block columns by speed, as the setting weights says: the rates of all
 * processes, known to all of them.
 */
typedef struct {
    int processes;
    double rate[]; /* by rank, in any unit */
} xhpl_weights_t;

/* Measures the rate of this process with panels as wide as nb says; collective
 * over MPI_COMM_WORLD. */
typedef xh_status_t xhpl_rate_fn_t(const xhpl_list_t *nb, double *rate_p);

/*
 * Measure the rates, or read them from the file that weights names, or where a
 * restart finds those measured before; collective over MPI_COMM_WORLD, with a
 * solver open.
 *
 * weights_p  out  for free(); NULL: weights=off
 *
 * Cost:   a second, where they are measured
 * Errors: XH_ERR_INPUT   the file is not acceptable; what computes here cannot
 *                        be measured: said, on all processes
 *         XH_ERR_MEMORY
 */
xh_status_t xhpl_weights_open(const xhpl_parameters_t *parameters,
                              xhpl_rate_fn_t *measure,
                              xhpl_weights_t **weights_p);

/*
 * The rate of a process column of test: that of its slowest process.
 *
 * least_p  out  the rank of that one
 * most_p   out  the rank of the fastest one
 */
double xhpl_weights_column(const xhpl_weights_t *weights, HPL_T_ORDER order,
                           const xhpl_test_t *test, int column, int *least_p,
                           int *most_p);

/*
 * How the columns of test are dealt to its process columns.
 *
 * weights  in   NULL: in turn
 * deal_p   out  for hpl_deal_destroy; NULL: in turn
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_weights_deal(const xhpl_weights_t *weights, HPL_T_ORDER order,
                              const xhpl_test_t *test, hpl_deal_t **deal_p);

/* On stderr: who gets how much of test, and which processes of a column are
 * unlike. By one process; nothing where weights is NULL. */
void xhpl_weights_report(const xhpl_weights_t *weights, HPL_T_ORDER order,
                         const xhpl_test_t *test);

/* Measured rates go into the folder of checkpoints, for a restart to take; and
 * are needed no more, like the checkpoints. Process 0. */
void xhpl_weights_save(const xhpl_weights_t *weights);
void xhpl_weights_delete(void);

/*
 * Of text, whose lines are "HOST RATE" or "RANK RATE", with # before comments,
 * the rate of each process. A rank's line counts more than its host's.
 *
 * name   in   of the file, for messages
 * host   in   the name of each process's host; the first part is enough
 *
 * Errors: XH_ERR_INPUT  said
 */
xh_status_t xhpl_weights_parse(const char *name, char *text, int processes,
                               const char *const *host, double *rate_p);
