/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"

/*
 * A factorization with everything that it needs besides the matrix. Its working
 * memory is backed by pages and, if devices read it, pinned, which is slow.
 */
typedef struct hyb_lu hyb_lu_t;

/* `grid`, `algo` and `mat` must outlive *lu_p. Errors: XH_ERR_MEMORY,
 * XH_ERR_INPUT */
xh_status_t hyb_factorization_prepare(const hyb_resources_t *resources,
                                      HPL_T_grid *grid, HPL_T_palg *algo,
                                      HPL_T_pmat *mat, hyb_lu_t **lu_p);
void hyb_factorization_free(hyb_lu_t *lu); /* accepts NULL */

/*
 * Factor the matrix and apply the factors to b. U and y stay in the matrix;
 * elements below U are undefined. Collective over the grid, by all threads of
 * the team. Sets mat->info. A failure ends the job. Call it once.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, IV and V.
 */
void hyb_factorization_run(hyb_lu_t *lu);

/* Has hyb_factorization_run been called? */
bool hyb_factorization_is_over(const hyb_lu_t *lu);

/* Return what this process did in the factorization, after it has run. */
hpl_work_t hyb_factorization_work(const hyb_lu_t *lu);

/* List what the first `most` devices of this process did; return the length of
 * the list. */
int hyb_factorization_device_work(const hyb_lu_t *lu, int most,
                                  hpl_device_work_t *list_p);

/* Set plan_p to where columns live and the times predicted for that. False if
 * all columns live on the host and rates of devices are not known. */
bool hyb_factorization_plan(const hyb_lu_t *lu, hpl_plan_t *plan_p);

/* Return the bytes that a factorization takes beside the matrix on this
 * process. */
uint64_t hyb_factorization_bytes(const hyb_resources_t *resources,
                                 const hpl_shape_t *shape);
