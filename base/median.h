/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Sort `count` numbers in ascending order; none may be NaN. */
void xh_sort(double *numbers, int count);

/*
 * Sort count >= 1 numbers and return their median; of an even count the mean of
 * the two in the middle.
 */
double xh_median(double *numbers, int count);

/* The median of the count - 1 >= 1 numbers that remain if one x is removed from
 * `sorted`. */
double xh_median_without(const double *sorted, int count, double x);
