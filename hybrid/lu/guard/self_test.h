/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SELF_TEST_H
#define HYB_SELF_TEST_H

#include "hybrid/lu/means.h"

/*
 * Small systems that are solved before a test, with its NB if that leaves some
 * panels, its kernel, homes, form of the exchange and broadcast, and check
 * columns on: each process solves one alone on its cores and, with columns and
 * then tiles where the test has them, one on each of its devices. The grid
 * solves one together. Each takes some hundredths of a second.
 *
 * A wrong result is an alarm of the check columns, or a residual above 16: of
 * the solver's check, or of the plain one of hpl/, whose norms must agree. The
 * first one of this process is logged with its executor. Returns true if all
 * of this process are right. A device that has failed, or has too little
 * memory, is not tested.
 *
 * means  in  of the test; n: its order. No system is larger than the test's.
 *
 * Order: collective over the grid, with no factorization under way.
 */
bool hyb_self_test(const hyb_means_t *means, HPL_T_grid *grid,
                   const HPL_T_palg *algo, int n, int nb);

#endif
