/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/step.h"

/* What check_columns.c computes for judge.c: c - A w of this process's rows,
 * for c1 and, mp elements behind, for c2. */

enum { HYB_SWEEPS = 2 }; /* iterations whose sweeps are kept */

/* Compute z for all rows and all columns of place, to which panels 0 .. met - 1
 * have been applied. z has room for twice the result. */
void hyb_check_columns_difference(hyb_lu_t *lu, int place, int met, double *z);

/* Add up what the team's members have swept in iteration k; NULL if rows are
 * not compared after it. Overwritten by the next call. */
const double *hyb_check_columns_swept(hyb_lu_t *lu, int k);

/* Return the row that became pivot c of panel k and, jb elements behind, the
 * top's row that took its place. P > 1. */
const double *hyb_check_columns_chosen_rows(const hyb_lu_t *lu, int k, int c);

/* Does the team factor panel k, which is here, for a device? */
bool hyb_check_columns_for_device(hyb_lu_t *lu, int k);

/* Judge the rows of this process that became pivots of panel k; if P > 1, also
 * L1, and rows that left the top as other processes found pivots. */
void hyb_check_columns_pivots(hyb_lu_t *lu, int k);
