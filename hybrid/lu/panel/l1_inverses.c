/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/panel/l1_inverses.h"

#include <math.h>
#include <string.h>
#include "base/integers.h"

/* Y := L^-1, column by column: L y = e by substitution. */
static void invert(xh_view_t l, xh_view_t y)
{
    for (int64_t j = 0; j < y.cols; j++) {
        double *column = xh_at(y, 0, j);

        memset(column, 0, (size_t)y.rows * sizeof(double));
        column[j] = 1.0;
        for (int64_t k = j; k + 1 < y.rows; k++)
            for (int64_t i = k + 1; i < y.rows; i++)
                column[i] -= column[k] * *xh_at(l, i, k);
    }
}

/* NaN counts as larger than any number. */
static double larger(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

/* The largest row sum of |L| |Y|. */
static double growth(xh_view_t l, xh_view_t y)
{
    double row[HYB_L1_BLOCK] = {0.0}, sum[HYB_L1_BLOCK], most = 0.0;

    for (int64_t j = 0; j < y.cols; j++)
        for (int64_t i = j; i < y.rows; i++)
            row[i] += fabs(*xh_at(y, i, j));
    memcpy(sum, row, sizeof(sum));
    for (int64_t j = 0; j < l.cols; j++)
        for (int64_t i = j + 1; i < l.rows; i++)
            sum[i] += fabs(*xh_at(l, i, j)) * row[j];
    for (int64_t i = 0; i < l.rows; i++)
        most = larger(most, sum[i]);
    return most;
}

/* The largest element of x, L x = (+-1, ..., +-1)', where each sign lets x
 * grow. */
static double growth_of_all(xh_view_t l, double *x)
{
    double most = 0.0;

    memset(x, 0, (size_t)l.rows * sizeof(double));
    for (int64_t j = 0; j < l.cols; j++) {
        x[j] += x[j] > 0.0 ? 1.0 : -1.0;
        most = larger(most, fabs(x[j]));
        for (int64_t i = j + 1; i < l.rows; i++)
            x[i] -= x[j] * *xh_at(l, i, j);
    }
    return most;
}

double hyb_l1_invert(xh_view_t l1, xh_view_t to)
{
    double most =
        l1.cols > 0 ? growth_of_all(l1, xh_at(to, 0, l1.cols - 1)) : 0.0;

    for (int64_t j = 0; j < l1.cols; j += HYB_L1_BLOCK) {
        int64_t width = xh_smaller(HYB_L1_BLOCK, l1.cols - j);
        int64_t below = j + width;
        xh_view_t l = xh_view_part(l1, j, j, width, width);
        xh_view_t y = xh_view_part(to, j, j, width, width);

        invert(l, y);
        most = larger(most, growth(l, y));
        for (int64_t i = j; i < below; i++)
            memcpy(xh_at(to, below, i), xh_at(l1, below, i),
                   (size_t)(l1.rows - below) * sizeof(double));
    }
    return most;
}
