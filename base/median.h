/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Sort count numbers, none of them NaN, the least first. */
void xh_sort(double *numbers, int count);

/*
 * Sort count >= 1 numbers and return their median; of an even count the mean of
 * the two in the middle.
 */
double xh_median(double *numbers, int count);

/* The median of count - 1 >= 1 numbers: of those sorted, but for one x. */
double xh_median_without(const double *sorted, int count, double x);
