/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/view.h"

/* Properties of a product, wherever its operands are. */

/* Return k, the columns of op(A) and rows of op(B). */
int64_t xh_gemm_depth(const xh_gemm_t *product);

/* Return 2 m n k. */
double xh_gemm_flop(const xh_gemm_t *product);

/* Do the shapes fit together, and is every ld >= rows and >= 1? */
bool xh_gemm_conforms(const xh_gemm_t *product);

/* Return the product that computes one part of C. */
xh_gemm_t xh_gemm_part(const xh_gemm_t *product, xh_rectangle_t part);
