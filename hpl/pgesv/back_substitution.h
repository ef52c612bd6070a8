/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_types.h"

/* what the products of a back-substitution work on: y := y - A x */
typedef struct {
    int m, n;        /* >= 1 */
    const double *a; /* m x n, column-major */
    int lda;
    const double *x; /* n */
    double *y;       /* m; overlaps neither a nor x */
} hpl_product_t;

/* How to compute them: nearly all the work. */
typedef struct {
    void (*subtract)(void *context, const hpl_product_t *product);
    void *context;
} hpl_subtract_t;

/* HPL_pdtrsv with products of the caller's. */
void hpl_back_substitution(HPL_T_grid *grid, HPL_T_pmat *mat,
                           const hpl_subtract_t *how);
