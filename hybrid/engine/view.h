/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_VIEW_H
#define HYB_VIEW_H

#include <stdint.h>

typedef struct {  /* a matrix that someone else owns, column-major */
    double *data; /* host or device memory: the operation says which */
    int64_t rows, cols;
    int64_t ld; /* elements between columns, >= max(1, rows) */
} hyb_view_t;

typedef enum { HYB_NO_TRANS, HYB_TRANS } hyb_trans_t;

typedef struct { /* one product: C := beta C + alpha op(A) op(B) */
    hyb_trans_t trans_a, trans_b;
    double alpha, beta;
    hyb_view_t a, b; /* as stored: op(a) is m x k, op(b) is k x n */
    hyb_view_t c;    /* m x n; with beta 0 not read */
} hyb_gemm_t;

/* The rows x cols part of v whose first element is v's (i, j). */
static inline hyb_view_t hyb_view_part(hyb_view_t v, int64_t i, int64_t j,
                                       int64_t rows, int64_t cols)
{
    return (hyb_view_t){v.data + i + j * v.ld, rows, cols, v.ld};
}

/*
 * The part of v that holds the rows x cols part of op(v) whose first element
 * is op(v)'s (i, j).
 */
static inline hyb_view_t hyb_view_op_part(hyb_view_t v, hyb_trans_t op,
                                          int64_t i, int64_t j, int64_t rows,
                                          int64_t cols)
{
    return op == HYB_NO_TRANS ? hyb_view_part(v, i, j, rows, cols)
                              : hyb_view_part(v, j, i, cols, rows);
}

#endif
