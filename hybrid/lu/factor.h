/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_FACTOR_H
#define HYB_FACTOR_H

#include <stdbool.h>
#include "hpl_solver.h"
#include "hybrid/lu/tuner/multiplier.h"
#include "hybrid/observe/iterations.h"
#include "hybrid/device/machine.h"

/* what a factorization computes with; borrowed */
typedef struct {
    hyb_machine_t *node;
    const hyb_kernel_t *kernel; /* the same on all processes */
    hyb_multiplier_t multiplier;
    bool offloads;            /* some process has devices */
    hyb_iterations_t *record; /* gets a row an iteration */
} hyb_means_t;

/*
 * A factorization with all that it needs beside the matrix: working memory that
 * is backed and, where devices read it, pinned, which is slow.
 */
typedef struct hyb_lu hyb_factorization_t;

/* grid, algo and mat must outlive it. Errors: XH_ERR_MEMORY */
xh_status_t hyb_factor_prepare(const hyb_means_t *means, HPL_T_grid *grid,
                               HPL_T_palg *algo, HPL_T_pmat *mat,
                               hyb_factorization_t **factorization_p);
void hyb_factor_free(hyb_factorization_t *factorization); /* accepts NULL */

/*
 * Factor the matrix and apply the factors to b; U and y stay in the matrix,
 * what is below U is left undefined. Collective over the grid, by all threads
 * of the node's team. Sets mat->info. A failure ends the job. Once.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, IV and V.
 */
void hyb_factor_run(hyb_factorization_t *factorization);

/* Has it run? */
bool hyb_factor_is_over(const hyb_factorization_t *factorization);

/* What this process did in it, once it has run. */
hpl_work_t hyb_factor_work(const hyb_factorization_t *factorization);

/* Bytes that it takes beside the matrix on this process. */
uint64_t hyb_factor_bytes(const hyb_means_t *means, const hpl_shape_t *shape);

#endif
