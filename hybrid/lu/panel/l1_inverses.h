/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/view.h"

/*
 * A device solves with L1 by products, which have a higher rate there than
 * substitution: the inverses of L1's diagonal blocks stand in the blocks'
 * place.
 *
 * Error: let Y be the computed inverse of a block L of w columns, and its
 * growth g the largest row sum of |L| |Y|. Substitution solves L X = U with an
 * error in U of at most w eps |L| |X|; a product with Y has at most 2 w eps |L|
 * Y| |L| |X|, which is at most 2 g times as much. That is the error of one
 * block; all updates of n columns give n eps |L| |U|. With random matrices g is
 * 200 to 400, and residuals are as with substitution. Partial pivoting, though,
 * allows a g of up to 2^w.
 *
 * Source: Du Croz and Higham, Stability of methods for matrix inversion, 1992
 */
enum {
    HYB_L1_BLOCK = 64, /* columns of a diagonal block */
    /* With more growth a panel is solved by substitution. */
    HYB_L1_MOST_GROWTH = 1024
};

/*
 * Copy L1 with its diagonal blocks inverted and zeros above their diagonals;
 * what lies above the blocks is left as it is.
 *
 * l1  in   nb x nb; the part below the unit diagonal is read
 * to  out  nb x nb, in other memory
 *
 * Returns the largest growth of a block; NaN or infinity if a block has no
 * inverse.
 */
double hyb_l1_invert(xh_view_t l1, xh_view_t to);
