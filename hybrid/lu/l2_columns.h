/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_L2_COLUMNS_H
#define HYB_L2_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "hybrid/cpu/update/pack.h"
#include "base/view.h"

/*
 * L2 in columns, for devices and the BLAS library, which cannot read tiles:
 * the team copies it together. There is memory for two iterations, k and
 * k + 1.
 */
typedef struct hyb_l2_columns hyb_l2_columns_t;

/* An L2 of at most rows x nb. Errors: XH_ERR_MEMORY */
xh_status_t hyb_l2_columns_create(int64_t rows, int64_t nb,
                                  hyb_l2_columns_t **flat_p);
void hyb_l2_columns_destroy(hyb_l2_columns_t *flat); /* accepts NULL */

/* Bytes that it takes, without what is constant. */
uint64_t hyb_l2_columns_bytes(int64_t rows, int64_t nb);

/* All of its memory, in one piece, to be pinned. */
double *hyb_l2_columns_memory(const hyb_l2_columns_t *flat, size_t *bytes_p);

/*
 * Iteration k's L2 is to be copied from l2. One thread; nobody uses k - 2's
 * any more.
 */
void hyb_l2_columns_begin(hyb_l2_columns_t *flat, int k, const hyb_tiles_t *l2);

/* Where it comes to stand. */
xh_view_t hyb_l2_columns_view(const hyb_l2_columns_t *flat, int k);

/*
 * Copy rows until none is left to take; any number of threads at once. Others
 * may be at work on the last ones still.
 */
void hyb_l2_columns_fill(hyb_l2_columns_t *flat, int k);

/* Is all of iteration k's L2 in its place? */
bool hyb_l2_columns_complete(const hyb_l2_columns_t *flat, int k);

#endif
