/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_KERNEL_H
#define HYB_KERNEL_H

#include <stdint.h>
#include <string.h>
#include "base/cpu.h"
#include "base/sequence.h"

/*
 * All that depends on an instruction set, in one table for each: the register
 * tile of the update and the innermost loops.
 *
 * A, L1 and L2 lie in tiles of rows rows, column by column; B and U in strips
 * of cols columns, row by row: see hybrid/cpu/update/pack.h.
 */
enum {
    HYB_KERNEL_MOST_ROWS = 24,
    HYB_KERNEL_MOST_COLS = 8,
    /* The update's blocks: a strip of B, this long, passes through the first
     * cache; a block of B, so many doubles, stays in the second, where tiles of
     * A pass through. */
    HYB_KERNEL_DEPTH = 384,
    HYB_KERNEL_BLOCK = 1 << 16
};

/* What happens to a panel's rows between two pivots. */
typedef struct {
    int64_t depth; /* columns of L, the last still to be multiplied by scale */
    double scale;
    int64_t cols;    /* columns updated, next to those of L; 0: none */
    const double *b; /* - U, depth x cols, packed as B */
} hyb_elimination_t;

typedef struct {
    double key;  /* magnitude, INFINITY for a NaN; -1: there is no row */
    int64_t row; /* the first of those with this key */
} hyb_candidate_t;

/* Some rows of some columns, read once: by residual and back-substitution. */
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

/* Checksums of a column, whose row i has a weight w_i. */
typedef struct {
    double plain;    /* sum of a_i */
    double weighted; /* sum of w_i a_i */
    double squares;  /* sum of a_i^2 */
} hyb_check_sums_t;

enum {
    HYB_CHECK_ROWS = 512, /* that are summed before others join */
    HYB_CHECK_LANES = 8   /* partial sums of a tile's column */
};

/* From one row's factors to the next one's. */
#define HYB_CHECK_LOW 0x85ebca76u
#define HYB_CHECK_HIGH 0x27d4eb2eu

static inline uint32_t hyb_check_low(uint32_t i)
{
    return 0x9e3779b1u + HYB_CHECK_LOW * i;
}

static inline uint32_t hyb_check_high(uint32_t i)
{
    return 0xc2b2ae35u + HYB_CHECK_HIGH * i;
}

/* What an element of row i adds to an exact sum of the bits of a column, in any
 * order. */
static inline uint64_t hyb_check_word(double element, uint32_t i)
{
    uint64_t bits;

    memcpy(&bits, &element, sizeof(bits));
    return (uint64_t)(uint32_t)bits * hyb_check_low(i) +
           (bits >> 32) * hyb_check_high(i);
}

typedef struct { /* by column */
    double *plain, *weighted;
    uint64_t *words;
} hyb_check_rows_t;

typedef struct {
    const char *name; /* as xh_cpu_isa_name */
    xh_isa_t isa;
    int rows, cols; /* of the register tile */

    /*
     * C := C + A * B, rows x cols, k >= 1, while 2 k doubles from ahead on
     * come to the second cache: what a later call reads.
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
     * L := L diag(1, .., 1, scale), C := C + L * B in count tiles.
     *
     * first   in,out  the first tile's first column of L
     * stride  in      doubles between tiles
     *
     * Returns the largest element of C's first column, its row counted from
     * the first tile; where cols is 0, nothing of use.
     */
    hyb_candidate_t (*eliminate)(const hyb_elimination_t *e, double *first,
                                 int64_t stride, int64_t count);

    /*
     * Row i of b -= l(i, 0 .. i - 1) * the rows above, for i = from ..
     * depth - 1 in order.
     *
     * l  in      depth x depth by rows, ld doubles apart
     * b  in,out  depth rows of cols doubles
     */
    void (*substitute)(const double *l, int64_t ld, int64_t from, int64_t depth,
                       double *b);

    /* r := r - A x, as fast as A can be read. */
    void (*subtract)(const hyb_sweep_t *sweep, double *r);

    /* The same, and sums.rows += |A| 1, sums.columns += |A|^T 1. */
    void (*subtract_and_sum)(const hyb_sweep_t *sweep, double *r,
                             const hyb_sums_t *sums);

    /* The checksums of a column of rows. */
    void (*sum_column)(const double *a, const double *weight, int64_t rows,
                       hyb_check_sums_t *sum);

    /*
     * A tile's columns are added to partial sums: HYB_CHECK_LANES plain ones of
     * each, then as many weighted. Returns the sum of its squares.
     *
     * weight  in  rows
     */
    double (*sum_tile)(int64_t cols, const double *tile, const double *weight,
                       double *lanes);

    /* sum := plain^T u, weighted^T u, and squares of u: nb rows of cols
     * doubles, packed as B. */
    void (*sum_u)(int64_t nb, const double *plain, const double *weighted,
                  const double *u, hyb_check_sums_t *sum);

    /*
     * Sums of the columns of rows x cols numbers that stand row by row, as
     * rows travel, are added to those in sums.
     *
     * a       in  ld doubles from one row to the next
     * weight  in  rows
     * row     in  number of the first one
     */
    void (*sum_rows)(int64_t rows, int64_t cols, const double *a, int64_t ld,
                     const double *weight, uint32_t row,
                     const hyb_check_rows_t *sums);

    /* sum := exact ones of the columns of - u, from row number row on. */
    void (*sum_u_words)(int64_t nb, const double *u, uint32_t row,
                        uint64_t *sum);

    /* The exact sum of a column of rows, from row number row on. */
    uint64_t (*sum_words)(const double *a, int64_t rows, uint32_t row);

    xh_sequence_run_t generate; /* entries of the random matrix */
} hyb_kernel_t;

/* The kernel for isa; NULL where this processor does not have that. */
const hyb_kernel_t *hyb_kernel_find(xh_isa_t isa);

#endif
