/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_UPDATE_H
#define HYB_UPDATE_H

#include "hybrid/lu/lu.h"

/*
 * What one member does to a run of columns in iteration k: rows swapped or
 * taken from where they arrived, U solved and stored, C updated. Waits until
 * the columns have met panel k - 1 and their rows are here.
 */

/* All of it, while the run is in cache; the run then has met panel k. */
void hyb_update_run(hyb_lu_t *lu, int k, hyb_run_t run, int member);

/* Swap, solve and store U only ... */
void hyb_update_prepare(hyb_lu_t *lu, int k, hyb_run_t run, int member);

/* ... and the update of a run that is prepared. */
void hyb_update_multiply(hyb_lu_t *lu, int k, hyb_run_t run, int member);

#endif
