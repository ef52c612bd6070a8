/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/view.h"

/*
 * Host matrices that are pinned, each in segments of whole columns, so that the
 * system can refuse one segment and pin the rest. A copy by a vendor's library
 * must not cross from one segment into the next.
 */
typedef struct {
    xh_view_t matrix;
    int64_t columns; /* in each segment except the last */
} hyb_pinned_matrix_t;

enum { HYB_PINNED_MATRICES = 16 }; /* pinned by one process, at most */

typedef struct {
    hyb_pinned_matrix_t pin[HYB_PINNED_MATRICES];
    int count;
} hyb_pinned_memory_t;

/*
 * Number of columns, at least 1, in a segment of about `bytes`. Segments are
 * whole pages, so if the matrix begins on a page, no two segments share one.
 */
int64_t hyb_pinned_segment(xh_view_t matrix, int64_t bytes);

/* The number of segments of a pinned matrix, and the view of segment i. */
int64_t hyb_pinned_count(const hyb_pinned_matrix_t *pin);
xh_view_t hyb_pinned_part(const hyb_pinned_matrix_t *pin, int64_t i);

/*
 * How many of the first columns of `v` may one copy take? At least 1 if `v` has
 * any; all if `pinned` is NULL.
 */
int64_t hyb_pinned_together(const hyb_pinned_memory_t *pinned, xh_view_t v);
