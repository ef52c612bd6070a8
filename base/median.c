/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/median.h"

#include <stdlib.h>

static int by_size(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;

    return (a > b) - (a < b);
}

void xh_sort(double *numbers, int count)
{
    qsort(numbers, (size_t)count, sizeof(*numbers), by_size);
}

double xh_median(double *numbers, int count)
{
    xh_sort(numbers, count);
    return 0.5 * (numbers[(count - 1) / 2] + numbers[count / 2]);
}

/* The result is the median of all numbers, or next to it. */
double xh_median_without(const double *sorted, int count, double x)
{
    int middle = (count - 1) / 2;

    if (count % 2 == 0)
        return sorted[x <= sorted[middle] ? middle + 1 : middle];
    return 0.5 * (sorted[x > sorted[middle] ? middle : middle + 1] +
                  sorted[x < sorted[middle] ? middle : middle - 1]);
}
