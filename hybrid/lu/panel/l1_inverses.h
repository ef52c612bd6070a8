/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/view.h"

/*
 * L1 as a device solves with it by products, which have a higher rate than
 * substitution there: with the inverses of its diagonal blocks in their place.
 *
 * Error: let Y be the computed inverse of a block L of w columns, and its
 * growth g the largest row sum of |L| |Y|. Substitution solves L X = U but for
 * an error of U of at most w eps |L| |X|; a product with Y but for
 * 2 w eps |L| |Y| |L| |X|, at most 2 g times as much. That is one block's; all
 * updates of n columns give n eps |L| |U|. With random matrices g is 200 to 400
 * and residuals are those of substitution. Partial pivoting lets it be up to
 * 2^w, though.
 *
 * Source: Du Croz and Higham, Stability of methods for matrix inversion, 1992
 */
enum {
    HYB_L1_BLOCK = 64,        /* columns of a diagonal block */
    HYB_L1_MOST_GROWTH = 1024 /* with more a panel is solved by substitution */
};

/*
 * Copy L1 with its diagonal blocks inverted, zeros above their diagonals; what
 * lies above the blocks is left as it is.
 *
 * l1  in   nb x nb, of which the part below the diagonal of ones is read
 * to  out  nb x nb, elsewhere
 *
 * Returns the largest growth of a block; NaN or infinite if it has no inverse.
 */
double hyb_l1_invert(xh_view_t l1, xh_view_t to);
