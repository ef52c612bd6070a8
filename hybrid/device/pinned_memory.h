/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/view.h"

/*
 * Host matrices that are pinned, each in segments of whole columns, so that the
 * system can refuse one segment without the others. A vendor's copy must not
 * cross from one segment into the next.
 */
typedef struct {
    xh_view_t matrix;
    int64_t columns; /* of each segment but the last */
} hyb_pinned_matrix_t;

enum { HYB_PINNED_MATRICES = 16 }; /* matrices that one process pins at most */

typedef struct {
    hyb_pinned_matrix_t pin[HYB_PINNED_MATRICES];
    int count;
} hyb_pinned_memory_t;

/*
 * Columns of a segment of about `bytes`: as many as make up whole pages, so
 * that no two segments of a matrix that begins with a page share one; at least
 * 1.
 */
int64_t hyb_pinned_segment(xh_view_t matrix, int64_t bytes);

/* The number of segments of a pinned matrix, and the columns of segment i. */
int64_t hyb_pinned_count(const hyb_pinned_matrix_t *pin);
xh_view_t hyb_pinned_part(const hyb_pinned_matrix_t *pin, int64_t i);

/*
 * How many of v's columns, from the first on, may one copy take? At least 1 if
 * there are any. `pinned` NULL: all.
 */
int64_t hyb_pinned_together(const hyb_pinned_memory_t *pinned, xh_view_t v);
