/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/resources.h"

/*
 * Compute the norms of the system of `seed`, of x = mat->X and of the residual
 * A x - b; collective, equal on every process. This is hpl_system_norms, except
 * that [ A | b ] is generated a few columns at a time and mat->A is not read. A
 * NaN is never lost.
 *
 * Cost: about the time to generate mp x nq entries in cache; 3 mp doubles, and
 *       nq + 16512 per member.
 */
void hyb_check_solution(const hyb_resources_t *resources,
                        const HPL_T_grid *grid, const HPL_T_pmat *mat, int seed,
                        hpl_norms_t *norms_p);

/* Return the bytes that hyb_check_solution allocates on a process of `shape`.
 */
uint64_t hyb_check_bytes(const hpl_shape_t *shape, int members);
