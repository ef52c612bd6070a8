/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PACK_H
#define HYB_PACK_H

#include "base/view.h"

/*
 * An operand of a product laid out for the kernel: panels of height rows, each
 * stored column by column, the last filled up with zeros. A's rows and the
 * columns of B (as rows of B^T) are packed alike.
 */

/* Doubles that rows x depth take when packed in panels of height. */
int64_t hyb_pack_size(int64_t rows, int64_t depth, int height);

/*
 * packed := scale * S, with S = op(v): v itself or its transpose.
 *
 * packed  out  hyb_pack_size(rows of S, columns of S, height)
 */
void hyb_pack(xh_view_t v, xh_trans_t op, double scale, int height,
              double *packed);

#endif
