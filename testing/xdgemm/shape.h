/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_SHAPE_H
#define XDG_SHAPE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

/* C := beta C + alpha op(A) op(B), op(A) m x k, op(B) k x n, without data */
typedef struct {
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    bool transa, transb;
    double alpha, beta;
} xdg_shape_t;

/* Rows and columns of A and B as they are stored. */
static inline int64_t xdg_a_rows(const xdg_shape_t *s)
{
    return s->transa ? s->k : s->m;
}

static inline int64_t xdg_a_cols(const xdg_shape_t *s)
{
    return s->transa ? s->m : s->k;
}

static inline int64_t xdg_b_rows(const xdg_shape_t *s)
{
    return s->transb ? s->n : s->k;
}

static inline int64_t xdg_b_cols(const xdg_shape_t *s)
{
    return s->transb ? s->k : s->n;
}

/* Bytes of A, B and C; a double, as they may exceed 2^64. */
double xdg_shape_bytes(const xdg_shape_t *shape);

/*
 * The largest shape with m, n and k in proportion, none below 1, and the least
 * leading dimensions, whose matrices fit in bytes; all 1 if none does.
 */
xdg_shape_t xdg_shape_fitting(const xdg_shape_t *shape, double bytes);

/*
 * Check that the matrices fit in the memory that is available now, less the
 * setting memory_reserve; memory_check=off skips the check.
 * Errors: XH_ERR_MEMORY  they do not: reported with the largest that would
 */
xh_status_t xdg_shape_check_memory(const xdg_shape_t *shape);

#endif
