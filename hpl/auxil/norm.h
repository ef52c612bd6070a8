/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_NORM_H
#define HPL_NORM_H

#include <stdint.h>

/*
 * The parts of a matrix norm. A is m x n, column-major, ld lda; n and m may be
 * 0. A NaN in A gives NaN.
 */

/* Largest | a(i, j) |, 0 for an empty matrix. */
double hpl_norm_largest(int64_t m, int64_t n, const double *a, int64_t lda);

/* sums[j] := sum over i of | a(i, j) |; n values. */
void hpl_norm_column_sums(int64_t m, int64_t n, const double *a, int64_t lda,
                          double *sums);

/* sums[i] := sum over j of | a(i, j) |; m values. */
void hpl_norm_row_sums(int64_t m, int64_t n, const double *a, int64_t lda,
                       double *sums);

#endif
