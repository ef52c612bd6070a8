/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_CHECK_H
#define HPL_CHECK_H

#include "hpl_solver.h"

/*
 * The norms of the system that mat holds, of x = mat->X and of the residual
 * A x - b; collective, equal on every process. A NaN is never lost.
 */
void hpl_check_solution(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                        hpl_norms_t *norms_p);

/* All n values of mat->X, in x on every process; collective. */
void hpl_gather_solution(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                         double *x);

#endif
