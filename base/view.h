/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

typedef struct {  /* a matrix that someone else owns, column-major */
    double *data; /* host or device memory: the operation says which */
    int64_t rows, cols;
    int64_t ld; /* elements between columns, >= max(1, rows) */
} xh_view_t;

typedef enum { XH_NO_TRANS, XH_TRANS } xh_trans_t;

typedef struct { /* one product: C := beta C + alpha op(A) op(B) */
    xh_trans_t trans_a, trans_b;
    double alpha, beta;
    xh_view_t a, b; /* as stored: op(a) is m x k, op(b) is k x n */
    xh_view_t c;    /* m x n; not read if beta is 0 */
} xh_gemm_t;

typedef struct { /* a part of a matrix */
    int64_t row, rows, col, cols;
} xh_rectangle_t;

static inline double *xh_at(xh_view_t v, int64_t i, int64_t j)
{
    return v.data + i + j * v.ld;
}

/* The rows x cols part of v whose first element is element (i, j) of v. */
static inline xh_view_t xh_view_part(xh_view_t v, int64_t i, int64_t j,
                                     int64_t rows, int64_t cols)
{
    return (xh_view_t){v.data + i + j * v.ld, rows, cols, v.ld};
}

/* The rows x cols matrix at *next_p, which is advanced past it. */
static inline xh_view_t xh_view_take(double **next_p, int64_t rows,
                                     int64_t cols)
{
    xh_view_t v = {*next_p, rows, cols, rows};

    *next_p += rows * cols;
    return v;
}

/*
 * The part of v that holds the rows x cols part of op(v) whose first element
 * is op(v)'s (i, j).
 */
static inline xh_view_t xh_view_op_part(xh_view_t v, xh_trans_t op, int64_t i,
                                        int64_t j, int64_t rows, int64_t cols)
{
    return op == XH_NO_TRANS ? xh_view_part(v, i, j, rows, cols)
                             : xh_view_part(v, j, i, cols, rows);
}
