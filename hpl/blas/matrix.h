/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_types.h"

/*
 * A view of a matrix that is stored as it is or transposed, so that an
 * algorithm is written once for both forms. Local host memory, never owned.
 * Shapes are arguments of the operations, which take any mix of forms, do
 * nothing when a size is 0, and allow no overlap of output and input.
 */
typedef struct {
    double *data;
    int ld;               /* doubles between stored columns */
    enum HPL_TRANS trans; /* element (i, j) is data[i + j * ld] (HplNoTrans)
                             or data[j + i * ld] (HplTrans) */
} hpl_matrix_t;

/* The part of m that begins with element (i, j). */
hpl_matrix_t hpl_matrix_at(hpl_matrix_t m, int i, int j);

/*
 * C := C - A * B
 *
 * a  in      m x k
 * b  in      k x n
 * c  in,out  m x n
 */
void hpl_matrix_gemm(int m, int n, int k, hpl_matrix_t a, hpl_matrix_t b,
                     hpl_matrix_t c);

/*
 * B := L^-1 * B
 *
 * l  in      m x m, unit lower triangular; the rest of it is not read
 * b  in,out  m x n
 */
void hpl_matrix_trsm_unit_lower(int m, int n, hpl_matrix_t l, hpl_matrix_t b);

/* B := A, m x n each. */
void hpl_matrix_copy(int m, int n, hpl_matrix_t a, hpl_matrix_t b);
