/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHOST_TIMING_H
#define XHOST_TIMING_H

#include <stdint.h>
#include "base/view.h"

/* What is measured; prepare is not timed, NULL: nothing to prepare. */
typedef struct {
    void (*prepare)(void *context);
    void (*run)(void *context);
    void *context;
} xhost_timed_t;

/* Of the seconds of calls runs, 1 <= calls <= 16: the median, and the least. */
double xhost_median_seconds(const xhost_timed_t *timed, int calls);
double xhost_least_seconds(const xhost_timed_t *timed, int calls);

/* Element (i, j) of a random matrix, uniform in -0.5 .. 0.5. */
double xhost_value(int64_t i, int64_t j);

/* Columns first, first + step, ... of v as that matrix has them, its rows from
 * row from on. */
void xhost_fill(xh_view_t v, int64_t from, int64_t first, int64_t step);

#endif
