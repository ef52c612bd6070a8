/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_types.h"

/*
 * |x| as an integer: ordered as |x| is, infinity above every number and NaN
 * above infinity. The largest magnitude is thus the norm that does not lose a
 * NaN, without a branch, and whatever -ffast-math lets a compiler assume.
 */
static inline uint64_t hpl_magnitude(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits & INT64_MAX;
}

/* The double, >= 0, +infinity or NaN, that has this magnitude. */
static inline double hpl_magnitude_value(uint64_t magnitude)
{
    double x;

    memcpy(&x, &magnitude, sizeof(x));
    return x;
}

static inline bool hpl_is_nan(double x)
{
    return hpl_magnitude(x) > (uint64_t)0x7ff << 52;
}

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

/* ---- of vectors in parts on the processes of grid; collective ------------ */

/* Largest | v(i) |; count values here. */
double hpl_norm_of_all(const HPL_T_grid *grid, const double *v, int64_t count);

/*
 * The same of sums that continue on the other processes of across: they are
 * added up there first.
 */
double hpl_norm_of_sums(const HPL_T_grid *grid, double *sums, int64_t count,
                        MPI_Comm across);

/* Sum of | x(i) |, where every process row holds all of x. */
double hpl_norm_one_of_x(const HPL_T_grid *grid, const double *x,
                         int64_t count);

/* Of such an x, dealt out in blocks of nb: a sum of its bits, each with the
 * element's number, whatever the grid. */
uint64_t hpl_bits_of_x(const HPL_T_grid *grid, const double *x, int64_t count,
                       int nb);
