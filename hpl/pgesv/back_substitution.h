/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_types.h"

/* One product of a back-substitution: y := y - A x. */
typedef struct {
    int m, n;        /* >= 1 */
    const double *a; /* m x n, column-major */
    int lda;
    const double *x; /* n */
    double *y;       /* m; overlaps neither a nor x */
} hpl_product_t;

/* How to compute the products, which are nearly all of the work. */
typedef struct {
    void (*subtract)(void *context, const hpl_product_t *product);
    void *context;
} hpl_subtract_t;

/* The same as HPL_pdtrsv, with the caller's function for products. */
void hpl_back_substitution(HPL_T_grid *grid, HPL_T_pmat *mat,
                           const hpl_subtract_t *how);
