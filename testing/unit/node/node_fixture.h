/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <limits.h>
#include "testing/xdgemm/gemm.h"

/* What the tests of products on emulated devices have in common. */

typedef struct {
    int64_t m, n, k;
    xh_trans_t trans_a, trans_b;
    double alpha, beta;
    int64_t pad; /* ld beyond rows */
} shape_t;

/* A product of random matrices and its result by three loops. */
typedef struct {
    xh_gemm_t product;
    double *before, *want; /* C as it was, and as it is to be, with padding */
    size_t c_size;         /* doubles of each */
} problem_t;

/* A shape with 1 <= m, n, k <= most, at random, as all else. */
shape_t problem_shape(int64_t most);

/* C is NaN where beta is 0 and must not be read, unless keeps_c. */
problem_t problem_create(shape_t shape, bool keeps_c);
void problem_destroy(problem_t *problem);

/* C as before. */
void problem_restore(problem_t *problem);

/* Is C's element at index, padding counted, as before; is it the result? */
bool problem_untouched(const problem_t *problem, size_t index);
bool problem_right(const problem_t *problem, size_t index);

/* Elements of C, and of its padding, that are not as they are to be. */
size_t problem_wrong(const problem_t *problem);

/*
 * A node of threads with settings, "name=value" each, up to a NULL or count;
 * all others have their defaults.
 */
hyb_machine_t *node_open(int threads, const char *const *settings, int count);

/* The same, for products by all of it. */
xdg_gemm_t *gemm_open(int threads, const char *const *settings, int count);
void gemm_shut(xdg_gemm_t *gemm);

/* On one thread. */
#define GEMM(...)                                                              \
    gemm_open(1, (const char *const[]){__VA_ARGS__, NULL}, INT_MAX)

/* A case with gemm open, on one thread with these settings. */
#define TEST_OF_GEMM(name, ...)                                                \
    UNIT_STEP(name##_begin)                                                    \
    {                                                                          \
        gemm = GEMM(__VA_ARGS__);                                              \
    }                                                                          \
    TEST_WITH(name, name##_begin, gemm_end)

extern xdg_gemm_t *gemm;
int gemm_end(void **state);

/* C := beta C + alpha op(A) op(B) by three loops, for any C of that shape. */
void three_loops(const xh_gemm_t *product, xh_view_t c);

typedef struct { /* bytes over the link, of C each way */
    uint64_t a_in, b_in, c;
} traffic_t;

/* What one device that does all tiles in order fetches, and returns: its
 * buffers hold the pieces that it used last. */
traffic_t traffic_of(const hyb_tiling_t *tiling);

/* The executor, as in owner, of the tile that element (i, j) of C is in. */
int node_owner(const hyb_report_t *report, int64_t i, int64_t j);
