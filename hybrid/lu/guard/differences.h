/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/step.h"

/* Functions that compute c - A w of this process's rows for judge.c: for c1
 * and, at an offset of mp elements, for c2. */

enum { HYB_SWEEPS = 2 }; /* iterations whose sweeps are stored */

/* Compute `z` for all rows and all columns of `place`, to which the first
 * `panels` panels have been applied. `z` has room for twice the result. */
void hyb_check_columns_difference(hyb_lu_t *lu, int place, int panels,
                                  double *z);

/* Return the sum of the sweeps of all members in iteration k, or NULL if rows
 * are not compared after iteration k. The next call overwrites the result. */
const double *hyb_check_columns_swept(hyb_lu_t *lu, int k);

/* Return the row of pivot c of panel k and, at an offset of jb elements, the
 * row of the top that the pivot displaced. P > 1. */
const double *hyb_check_columns_chosen_rows(const hyb_lu_t *lu, int k, int c);

/* Does the team factor panel k, which is on this process, for a device? */
bool hyb_check_columns_for_device(hyb_lu_t *lu, int k);

/* Judge the rows of this process that became pivots of panel k; if P > 1, also
 * L1 and the top's rows that were sent when other processes found pivots. */
void hyb_check_columns_pivots(hyb_lu_t *lu, int k);
