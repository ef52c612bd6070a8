/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SUMS_H
#define HYB_SUMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Pure functions beside the checksums of kernels. Row i of a column has a
 * weight w_i in [1, 2), no two of a process the same, so that the ratio of what
 * is wrong with both sums tells the row of a single wrong element.
 */
enum {
    HYB_SUMS_UNIT = 480
}; /* rows of L2 that are summed at a time: a multiple
      of all tiles' heights */

/* The largest magnitude of count numbers step apart; NaN counts as INFINITY. */
double hyb_sums_largest(const double *a, int64_t count, int64_t step);

/* A sum by which any change of a message's bits is told, but for one in 2^64.
 */
uint64_t hyb_sums_bits(const double *data, int64_t count);

/* ---- thresholds: variances that rounding is to be expected to have ------- */

/* Of the sum of rows numbers whose squares add up to squares: by the host's
 * kernels, in lanes and blocks; by a device, of which only the worst is known:
 * one element after the other. */
double hyb_noise_sum(int64_t rows, double squares);
double hyb_noise_device_sum(int64_t rows, double squares);

/*
 * Of the difference between carried and true sum that one update adds.
 *
 * rows  in  of L
 * nb    in  its columns
 * l     in  mean square of its elements
 * u     in  squares of a column of U, summed
 */
double hyb_noise_update(int64_t rows, int64_t nb, double l, double u);
double hyb_noise_device_update(int64_t rows, int64_t nb, double l, double u);

/* The mean square of elements of vectors, of which values are scalar products
 * with vectors of random signs, so many elements long: by the median, so that
 * a few that are wrong change nothing. Reorders values; INFINITY if most are
 * no numbers. */
double hyb_noise_square(double *values, int64_t count, int64_t length);

/* What a difference of sums does not exceed by rounding; of weighted ones it is
 * twice that. */
double hyb_noise_bound(double variance);

/* ---- location ------------------------------------------------------------ */

/*
 * The row whose element alone can be wrong by `plain`, where the weighted sum
 * is wrong by `weighted`; -1: there is none, or the rounding hides it.
 */
int64_t hyb_sums_row(const double *weight, int64_t rows, double plain,
                     double weighted, double bound);

#endif
