/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SUMS_H
#define HYB_SUMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/cpu/update/pack.h"

/*
 * Checksums of columns: pure functions. Row i has a weight w_i in [1, 2), no
 * two of a process the same, so that the ratio of what is wrong with both sums
 * tells the row of a single wrong element.
 */
enum { HYB_SUMS_UNIT = 480 }; /* rows of L2 that are summed at a time: a multiple
                                 of all tiles' heights */

typedef struct {
    double plain;    /* sum of a_i */
    double weighted; /* sum of w_i a_i */
    double squares;  /* sum of a_i^2 */
} hyb_column_sums_t;

/* Those of one column of so many rows. */
hyb_column_sums_t hyb_sums_column(const double *a, const double *weight,
                                  int64_t rows);

/*
 * Those of the columns of some whole tiles.
 *
 * from, to  in   rows; from is a multiple of the tiles' height
 * weight    in   of row 0
 * sum       out  by column
 */
void hyb_sums_tiles(const hyb_tiles_t *tiles, int64_t from, int64_t to,
                    const double *weight, hyb_column_sums_t *sum);

/*
 * What an update takes from the sums of columns: (e^T L) U.
 *
 * l    in      sums of the nb columns of L, plain and weighted
 * u    in      - U of cols columns, packed in panels of width columns
 * sum  in,out  by column; squares: of U alone
 */
typedef struct {
    int64_t nb;
    const double *plain, *weighted;
} hyb_row_sums_t;
void hyb_sums_update(const hyb_row_sums_t *l, int width, int64_t cols,
                     const double *u, hyb_column_sums_t *sum);

/* The largest magnitude of count numbers step apart; NaN counts as INFINITY. */
double hyb_sums_largest(const double *a, int64_t count, int64_t step);

/* A sum by which any change of a message's bits is told, but for one in 2^64.
 */
uint64_t hyb_sums_bits(const double *data, int64_t count);

/* What an element in row i of some rows adds to a sum of bits. In any order. */
static inline uint64_t hyb_sums_word(double element, int64_t i)
{
    uint64_t bits, low = 0x9e3779b1u + 0x85ebca76u * (uint64_t)i,
                   high = 0xc2b2ae35u + 0x27d4eb2eu * (uint64_t)i;

    memcpy(&bits, &element, sizeof(bits));
    return (bits & 0xffffffffu) * (low & 0xffffffffu) +
           (bits >> 32) * (high & 0xffffffffu);
}

/* The same of all rows of a column. */
uint64_t hyb_sums_words(const double *a, int64_t rows);

/* sum += those of cols columns of U, - U packed as above. */
void hyb_sums_packed_words(int64_t nb, int width, int64_t cols, const double *u,
                           uint64_t *sum);

/* ---- thresholds: variances that rounding is to be expected to have ------- */

/* Of the sum of rows numbers whose squares add up to squares. */
double hyb_noise_sum(int64_t rows, double squares);

/*
 * Of the difference between carried and true sum that one update adds.
 *
 * rows  in  of L
 * nb    in  its columns
 * l     in  mean square of its elements
 * u     in  squares of a column of U, summed
 */
double hyb_noise_update(int64_t rows, int64_t nb, double l, double u);

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
