/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_types.h"

/*
 * |x| as an integer: ordered like |x|, infinity above every number and NaN
 * above infinity. So a maximum of magnitudes keeps a NaN, without a branch, and
 * whatever -ffast-math lets a compiler assume.
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

/* ---- distributed vectors; collective over the grid ----------------------- */

/* Largest | v(i) | on all processes; `count` values are local. */
double hpl_norm_of_all(const HPL_T_grid *grid, const double *v, int64_t count);

/*
 * Largest sum on all processes. Each sum is first added up over the processes
 * of `across`.
 */
double hpl_norm_of_sums(const HPL_T_grid *grid, double *sums, int64_t count,
                        MPI_Comm across);

/* Sum of | x(i) |; every process row holds all of x. */
double hpl_norm_one_of_x(const HPL_T_grid *grid, const double *x,
                         int64_t count);

/* A sum of the bits of x, weighted by element numbers, so that it is the same
 * on any grid. x is dealt out in blocks of nb, and every process row holds all
 * of it. */
uint64_t hpl_bits_of_x(const HPL_T_grid *grid, const double *x, int64_t count,
                       int nb);
