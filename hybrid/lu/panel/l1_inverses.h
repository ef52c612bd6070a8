/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/view.h"

/*
 * A device solves with L1 by one product with its inverse, which has a higher
 * rate there than substitution. The host inverts L1's diagonal blocks, and the
 * device joins them by products (hyb_place_join_inverses).
 *
 * Error: let Y be the computed inverse of a block L of w columns, and its
 * growth g the largest row sum of |L| |Y|. Substitution solves L X = U with an
 * error in U of at most w eps |L| |X|; a product with Y has at most 2 w eps |L|
 * Y| |L| |X|, which is at most 2 g times as much. That is the error of one
 * block; all updates of n columns give n eps |L| |U|. With random matrices g is
 * 200 to 400, and residuals are as with substitution. Partial pivoting, though,
 * allows a g of up to 2^w.
 *
 * If w is the whole panel, g is not computed, as that takes the inverse. With
 * L x = s, where each s_i = +-1 has the sign that lets x_i grow, the largest
 * |x_i| is at most the largest row sum of |Y|, and rarely far below. Measured
 * with random panels of 512 to 20000 rows, w = 512: |x_i| is 30 to 41, g is
 * 8000 to 15000, and |L X - U| is 2 to 4 eps max(|L| |X|); it is 0.4 to 0.7 eps
 * with w = 64, and 0.2 to 0.4 eps with substitution. Updates of n columns have
 * n eps, so residuals are the same.
 *
 * Source: Du Croz and Higham, Stability of methods for matrix inversion, 1992;
 *         Cline, Moler, Stewart and Wilkinson, An estimate for the condition
 *         number of a matrix, 1979 (growth of x)
 */
enum {
    HYB_L1_BLOCK = 64, /* columns of a diagonal block */
    /* With more growth a panel is solved by substitution. */
    HYB_L1_MOST_GROWTH = 1024
};

/*
 * Copy L1 with its diagonal blocks inverted and zeros above their diagonals;
 * what lies above the blocks has no meaning.
 *
 * l1  in   nb x nb; the part below the unit diagonal is read
 * to  out  nb x nb, in other memory
 *
 * Returns the largest growth of a block, or the largest |x_i| of the panel if
 * that is more; NaN or infinity if there is no inverse.
 */
double hyb_l1_invert(xh_view_t l1, xh_view_t to);
