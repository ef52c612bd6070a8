/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"

/* Small systems that a solver solves before a test. */
typedef struct {
    int n, nb;
} hpl_self_test_size_t;

/*
 * A system that members of the processes of an n x n test solve with about so
 * many flop each, and with no more memory than the test takes there. NB is the
 * test's, or a third of N.
 */
hpl_self_test_size_t hpl_self_test_size(int n, int nb, int processes,
                                        int members, double flop);

/* Is the scaled residual of an n x n system at most 16, and a number? */
bool hpl_self_test_is_small(const hpl_norms_t *norms, int n);

/*
 * The norms of the solved system of HPL_ISEED, by plain code of hpl/ alone;
 * collective over its grid.
 *
 * why_p  out  what is wrong with x; "": nothing
 */
enum { HPL_SELF_TEST_WHY = 256 };
void hpl_self_test_judge(hpl_system_t *system, hpl_norms_t *norms_p,
                         char *why_p);

/* That of the reference solver, as hpl_solver_t describes it. */
bool hpl_self_test(HPL_T_grid *grid, const HPL_T_palg *algo, int n, int nb);
