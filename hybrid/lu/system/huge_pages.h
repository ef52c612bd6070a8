/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/lu.h"

/*
 * Huge pages for the matrix. With small pages swaps of rows take several times
 * as long: each element of a row is on a page of its own.
 */

/* Use huge pages for the blocks in host memory of a matrix on devices. The
 * memory for the other blocks is reserved, but most of it is never touched. */
void hyb_huge_pages_prefer(const hyb_lu_t *lu);

/*
 * Warn if huge pages back less than 90% of the matrix on some process, and say
 * what to change. Collective over the grid.
 *
 * mat  in  the matrix, which has been generated
 * lu   in  its blocks' homes; NULL: all columns are in host memory
 *
 * Nothing is said of less than 256 MiB, or where the system does not tell. A
 * second call for no more memory than before does nothing.
 */
void hyb_huge_pages_verify(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                           const hyb_lu_t *lu);
