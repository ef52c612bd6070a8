/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/sums.h"

#include <math.h>
#include <string.h>
#include "base/integers.h"

/* ---- sums ----------------------------------------------------------------
 */

enum { LANES = 8, BLOCK = 512 }; /* rows that are summed before others join */

/* At most BLOCK rows. */
static void add_block(const double *a, const double *weight, int64_t rows,
                      hyb_column_sums_t *sum)
{
    double plain[LANES] = {0.0}, weighted[LANES] = {0.0}, squares[LANES] = {0};
    int64_t whole = rows / LANES * LANES;

    for (int64_t i = 0; i < whole; i += LANES)
        for (int l = 0; l < LANES; l++) {
            plain[l] += a[i + l];
            weighted[l] += weight[i + l] * a[i + l];
            squares[l] += a[i + l] * a[i + l];
        }
    for (int64_t i = whole; i < rows; i++) {
        plain[i - whole] += a[i];
        weighted[i - whole] += weight[i] * a[i];
        squares[i - whole] += a[i] * a[i];
    }
    for (int l = 1; l < LANES; l++) {
        plain[0] += plain[l];
        weighted[0] += weighted[l];
        squares[0] += squares[l];
    }
    sum->plain += plain[0];
    sum->weighted += weighted[0];
    sum->squares += squares[0];
}

hyb_column_sums_t hyb_sums_column(const double *a, const double *weight,
                                  int64_t rows)
{
    hyb_column_sums_t sum = {0.0, 0.0, 0.0};

    for (int64_t i = 0; i < rows; i += BLOCK)
        add_block(a + i, weight + i, xh_smaller(BLOCK, rows - i), &sum);
    return sum;
}

void hyb_sums_tiles(const hyb_tiles_t *tiles, int64_t from, int64_t to,
                    const double *weight, hyb_column_sums_t *sum)
{
    memset(sum, 0, (size_t)tiles->cols * sizeof(*sum));
    for (int64_t i = from; i < to; i += tiles->height) {
        int64_t rows = xh_smaller(tiles->height, to - i);

        for (int64_t j = 0; j < tiles->cols; j++)
            add_block(hyb_tiles_at(tiles, i, j), weight + i, rows, &sum[j]);
    }
}

/* One panel of U; what stands in its last columns is of no use to anybody. */
static inline void update_panel(const hyb_row_sums_t *l, int width,
                                const double *u, hyb_column_sums_t *out)
{
    double plain[HYB_KERNEL_MOST_COLS] = {0.0}, weighted[HYB_KERNEL_MOST_COLS] = {0.0};
    double squares[HYB_KERNEL_MOST_COLS] = {0.0};

    for (int64_t p = 0; p < l->nb; p++, u += width)
        for (int j = 0; j < width; j++) {
            plain[j] += l->plain[p] * u[j];
            weighted[j] += l->weighted[p] * u[j];
            squares[j] += u[j] * u[j];
        }
    for (int j = 0; j < width; j++)
        out[j] = (hyb_column_sums_t){plain[j], weighted[j], squares[j]};
}

/* Widths that kernels have are known to the compiler. */
static void update_any(const hyb_row_sums_t *l, int width, const double *u,
                       hyb_column_sums_t *out)
{
    if (width == 8)
        update_panel(l, 8, u, out);
    else if (width == 4)
        update_panel(l, 4, u, out);
    else
        update_panel(l, width, u, out);
}

void hyb_sums_update(const hyb_row_sums_t *l, int width, int64_t cols,
                     const double *u, hyb_column_sums_t *sum)
{
    hyb_column_sums_t part[HYB_KERNEL_MOST_COLS];

    for (int64_t j = 0; j < cols; j += width, u += width * l->nb) {
        update_any(l, width, u, part);
        for (int64_t i = 0; i < width && j + i < cols; i++) {
            sum[j + i].plain += part[i].plain;
            sum[j + i].weighted += part[i].weighted;
            sum[j + i].squares = part[i].squares;
        }
    }
}

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

uint64_t hyb_sums_words(const double *a, int64_t rows)
{
    uint64_t sum = 0;

    for (int64_t i = 0; i < rows; i++)
        sum += hyb_sums_word(a[i], i);
    return sum;
}

static inline void add_words(int64_t nb, int width, const double *u,
                             uint64_t *sum)
{
    for (int64_t p = 0; p < nb; p++, u += width)
        for (int j = 0; j < width; j++)
            sum[j] += hyb_sums_word(-u[j], p);
}

void hyb_sums_packed_words(int64_t nb, int width, int64_t cols, const double *u,
                           uint64_t *sum)
{
    uint64_t part[HYB_KERNEL_MOST_COLS];

    for (int64_t j = 0; j < cols; j += width, u += width * nb) {
        memset(part, 0, sizeof(part));
        if (width == 8)
            add_words(nb, 8, u, part);
        else if (width == 4)
            add_words(nb, 4, u, part);
        else
            add_words(nb, width, u, part);
        for (int64_t i = 0; i < width && j + i < cols; i++)
            sum[j + i] += part[i];
    }
}

/* ---- thresholds ----------------------------------------------------------
 */

/* Mean square of the rounding error of a result of size 1. */
static const double rounding = 0x1p-106 / 3.0;

/* Blocks of BLOCK / LANES sums each, and these. */
double hyb_noise_sum(int64_t rows, double squares)
{
    return rounding * squares *
           (BLOCK / (2.0 * LANES) + 1.0 + (double)rows / (2.0 * BLOCK));
}

double hyb_noise_update(int64_t rows, int64_t nb, double l, double u)
{
    double products = l * u * ((double)nb + (double)rows / (2.0 * BLOCK));
    double element = u / (double)nb;

    return rounding * (double)rows * (products + 2.0 * element);
}

double hyb_noise_bound(double variance)
{
    static const double deviations = 12.0;

    return deviations * sqrt(variance);
}

/* ---- location ------------------------------------------------------------
 */

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
    return nearest * fabs(plain) <= slack && slack * 4.0 * (double)rows <
                                                 fabs(plain)
               ? row
               : -1;
}
