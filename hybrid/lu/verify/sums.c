/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/sums.h"

#include <math.h>
#include <string.h>
#include "base/median.h"
#include "hybrid/cpu/isa/kernel.h"

double hyb_sums_largest(const double *a, int64_t count, int64_t step)
{
    double most = 0.0;

    for (int64_t i = 0; i < count; i++) {
        double size = isnan(a[i * step]) ? INFINITY : fabs(a[i * step]);

        most = fmax(most, size);
    }
    return most;
}

uint64_t hyb_sums_bits(const double *data, int64_t count)
{
    uint64_t first = 0, second = 0, bits;

    for (int64_t i = 0; i < count; i++) {
        memcpy(&bits, data + i, sizeof(bits));
        first += bits;
        second += first ^ first >> 32;
    }
    return second;
}

/* ---- thresholds ---------------------------------------------------------- */

/* Mean square of the rounding error of a result of size 1. */
static const double rounding = 0x1p-106 / 3.0;

/* Additions of blocks of rows that a number takes part in; by a device, of
 * numbers. */
static double block_additions(int64_t rows)
{
    return (double)rows / (2.0 * HYB_CHECK_ROWS);
}

static double device_additions(int64_t rows)
{
    return 1.0 + (double)rows / 2.0;
}

double hyb_noise_sum(int64_t rows, double squares)
{
    return rounding * squares *
           (HYB_CHECK_ROWS / (2.0 * HYB_CHECK_LANES) + 1.0 +
            block_additions(rows));
}

double hyb_noise_device_sum(int64_t rows, double squares)
{
    return rounding * squares * device_additions(rows);
}

static double update(double additions, int64_t rows, int64_t nb, double l,
                     double u)
{
    double products = l * u * ((double)nb + additions);
    double element = u / (double)nb;

    return rounding * (double)rows * (products + 2.0 * element);
}

double hyb_noise_update(int64_t rows, int64_t nb, double l, double u)
{
    return update(block_additions(rows), rows, nb, l, u);
}

double hyb_noise_device_update(int64_t rows, int64_t nb, double l, double u)
{
    return update(device_additions(rows), rows, nb, l, u);
}

/* The median of squares of normal numbers is 0.455 times their mean. */
double hyb_noise_square(double *values, int64_t count, int64_t length)
{
    static const double median = 0.455;

    for (int64_t i = 0; i < count; i++)
        values[i] = isnan(values[i]) ? INFINITY : values[i] * values[i];
    xh_sort(values, (int)count);
    return values[count / 2] / (median * (double)length);
}

double hyb_noise_bound(double variance)
{
    static const double deviations = 12.0;

    return deviations * sqrt(variance);
}

/* ---- location ------------------------------------------------------------ */

int64_t hyb_sums_row(const double *weight, int64_t rows, double plain,
                     double weighted, double bound)
{
    double ratio = weighted / plain, slack, nearest = INFINITY;
    int64_t row = -1;

    for (int64_t i = 0; i < rows; i++)
        if (fabs(weight[i] - ratio) < nearest) {
            nearest = fabs(weight[i] - ratio);
            row = i;
        }
    slack = 2.0 * bound + 0x1p-50 * fabs(plain);
    return nearest * fabs(plain) <= slack &&
                   slack * 4.0 * (double)rows < fabs(plain)
               ? row
               : -1;
}
