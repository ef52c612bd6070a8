/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PRODUCT_H
#define HYB_PRODUCT_H

#include <stdbool.h>
#include "hybrid/engine/tiling.h"
#include "hybrid/engine/view.h"

/* Questions to a product, wherever its operands are. */

/* k: columns of op(A), which are rows of op(B). */
int64_t hyb_gemm_depth(const hyb_gemm_t *product);

/* 2 m n k */
double hyb_gemm_flop(const hyb_gemm_t *product);

/* Do the shapes fit together, and is every ld >= rows and >= 1? */
bool hyb_gemm_conforms(const hyb_gemm_t *product);

/* What product is on one part of C. */
hyb_gemm_t hyb_gemm_part(const hyb_gemm_t *product, hyb_rectangle_t part);

/*
 * Go through C in pieces of up to 512 rows and about flop each, or 64 columns,
 * column of pieces by column of pieces.
 *
 * piece  in,out  the one before, all zero to begin with; then the next
 * returns        false where there is none
 */
bool hyb_gemm_next_piece(const hyb_gemm_t *product, double flop,
                         hyb_rectangle_t *piece);

#endif
