/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <string.h>
#include "base/cpu.h"
#include "base/sequence.h"

/*
 * Everything that depends on an instruction set, in one table per instruction
 * set: the register tile of the update and the innermost loops.
 *
 * A, L1 and L2 are stored in tiles of `rows` rows, column by column; B and U in
 * strips of `cols` columns, row by row: see hybrid/cpu/update/pack.h.
 */
enum {
    HYB_KERNEL_MOST_ROWS = 24,
    HYB_KERNEL_MOST_COLS = 8,
    /*
     * The update's blocks: a strip of B, this long, passes through the L1
     * cache; a block of B, this many doubles, stays in the L2 cache, where
     * tiles of A pass through.
     */
    HYB_KERNEL_DEPTH = 384,
    HYB_KERNEL_BLOCK = 1 << 16
};

/* The work on a panel's rows between two pivots. */
typedef struct {
    /* Columns of L; the last one must still be multiplied by `scale`. */
    int64_t depth;
    double scale;
    int64_t cols;    /* columns right of L to update; 0: none */
    const double *b; /* -U, depth x cols, packed like B */
} hyb_elimination_t;

typedef struct {
    double key;  /* magnitude, INFINITY for a NaN; -1: no row */
    int64_t row; /* the first row with this key */
} hyb_candidate_t;

/* A part of a matrix that residual and back-substitution read once. */
typedef struct {
    const double *a; /* rows x cols, column-major */
    int64_t rows, cols;
    int64_t ld;      /* >= rows */
    const double *x; /* cols */
} hyb_sweep_t;

/* Sums of the absolute values of a matrix, by row and by column. */
typedef struct {
    double *rows, *columns;
} hyb_sums_t;

typedef struct {
    const char *name; /* the name that xh_cpu_isa_name returns */
    xh_isa_t isa;
    int rows, cols; /* of the register tile */

    /*
     * C := C + A * B, rows x cols, k >= 1. Meanwhile prefetch 2 k doubles from
     * `ahead` on, which a later call reads, into the L2 cache.
     *
     * a      in      k columns of rows doubles, 64-byte aligned
     * b      in      k rows of cols doubles
     * c      in,out  column-major, ldc >= rows
     * ahead  in      any address
     */
    void (*multiply)(int64_t k, const double *a, const double *b, double *c,
                     int64_t ldc, const double *ahead);

    /*
     * x := - L^-1 (x + A * B), rows x cols, row by row.
     *
     * a  in      k columns of rows doubles
     * l  in      rows columns of rows doubles, L below its unit diagonal
     * b  in      k rows of cols doubles
     * x  in,out  rows rows of cols doubles
     */
    void (*solve)(int64_t k, const double *a, const double *l, const double *b,
                  double *x);

    /*
     * L := L diag(1, .., 1, scale), C := C + L * B in `count` tiles.
     *
     * first   in,out  the first tile's first column of L
     * stride  in      doubles between tiles
     *
     * Returns the largest element of C's first column; its row counts from the
     * first tile. If e->cols is 0, the result is undefined.
     */
    hyb_candidate_t (*eliminate)(const hyb_elimination_t *e, double *first,
                                 int64_t stride, int64_t count);

    /*
     * Subtract l(i, 0 .. i - 1) * rows 0 .. i - 1 of b from row i of b, for i =
     * from .. depth - 1 in order.
     *
     * l  in      depth x depth by rows, ld doubles apart
     * b  in,out  depth rows of cols doubles
     */
    void (*substitute)(const double *l, int64_t ld, int64_t from, int64_t depth,
                       double *b);

    /* r := r - A x, as fast as A can be read. */
    void (*subtract)(const hyb_sweep_t *sweep, double *r);

    /* Subtract like `subtract`, and sums.rows += |A| 1, sums.columns += |A|^T
     * 1. */
    void (*subtract_and_sum)(const hyb_sweep_t *sweep, double *r,
                             const hyb_sums_t *sums);

    xh_sequence_run_t generate; /* entries of the random matrix */
} hyb_kernel_t;

/* The kernel for `isa`; NULL if this processor lacks the instruction set. */
const hyb_kernel_t *hyb_kernel_find(xh_isa_t isa);
