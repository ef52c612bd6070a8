/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PROGRESS_H
#define HPL_PROGRESS_H

#include "hpl_types.h"

/* Lines on stderr during a factorization, where the setting progress is on. */
typedef struct {
    int n;
    double started, reported; /* s; share of the work */
    int speaks;               /* on process 0 of the grid, if it is on */
} hpl_progress_t;

/* A factorization of order n begins now. */
hpl_progress_t hpl_progress_begin(const HPL_T_grid *grid, int n);

/* `left` columns are left: a line whenever another 2% of the work is done. */
void hpl_progress_say(hpl_progress_t *progress, int64_t left);

#endif
