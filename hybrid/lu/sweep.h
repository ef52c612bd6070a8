/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SWEEP_H
#define HYB_SWEEP_H

#include <stdint.h>
#include "base/cpu.h"

/*
 * One sweep over a run of rows of some columns, by the calling thread, as fast
 * as they can be read: what residual, norms and back-substitution consist of.
 */
typedef struct {
    const double *a; /* rows x cols, column-major */
    int64_t rows, cols;
    int64_t ld;      /* >= rows */
    const double *x; /* cols */
} hyb_sweep_t;

/* What the absolute values of a matrix are added to. */
typedef struct {
    double *rows, *columns;
} hyb_sums_t;

typedef struct {
    /* r := r - A x */
    void (*subtract)(const hyb_sweep_t *c, double *r);

    /* The same, and sums.rows += |A| 1, sums.columns += |A|^T 1. */
    void (*subtract_and_sum)(const hyb_sweep_t *c, double *r,
                             const hyb_sums_t *sums);
} hyb_sweep_ops_t;

/* The sweeps for processors that have isa. */
const hyb_sweep_ops_t *hyb_sweep_ops(xh_isa_t isa);

#endif
