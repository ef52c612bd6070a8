/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"

/*
 * A factorization with all that it needs beside the matrix: working memory that
 * is backed and, where devices read it, pinned, which is slow.
 */
typedef struct hyb_lu hyb_lu_t;

/* grid, algo and mat must outlive it. Errors: XH_ERR_MEMORY, XH_ERR_INPUT */
xh_status_t hyb_factorization_prepare(const hyb_resources_t *resources,
                                      HPL_T_grid *grid, HPL_T_palg *algo,
                                      HPL_T_pmat *mat, hyb_lu_t **lu_p);
void hyb_factorization_free(hyb_lu_t *lu); /* accepts NULL */

/*
 * Factor the matrix and apply the factors to b; U and y stay in the matrix,
 * what is below U is left undefined. Collective over the grid, by all threads
 * of the team. Sets mat->info. A failure ends the job. Once.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, IV and V.
 */
void hyb_factorization_run(hyb_lu_t *lu);

/* Has it run? */
bool hyb_factorization_is_over(const hyb_lu_t *lu);

/* What this process did in it, once it has run. */
hpl_work_t hyb_factorization_work(const hyb_lu_t *lu);

/* What its first `most` devices did in it; returns how many these are. */
int hyb_factorization_device_work(const hyb_lu_t *lu, int most,
                                  hpl_device_work_t *list_p);

/* Where columns live, and what is expected of that; false: all live on the
 * host, and rates of devices are not known. */
bool hyb_factorization_plan(const hyb_lu_t *lu, hpl_plan_t *plan_p);

/* Bytes that it takes beside the matrix on this process. */
uint64_t hyb_factorization_bytes(const hyb_resources_t *resources,
                                 const hpl_shape_t *shape);
