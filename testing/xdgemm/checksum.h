/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_CHECKSUM_H
#define XDG_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "base/view.h"
#include "hybrid/node/team.h"

/*
 * Whether C is beta C0 + alpha op(A) op(B), at a cost of m n instead of m n k:
 * for a few random vectors x and z of +1 and -1,
 *
 *     C x   = alpha op(A) (op(B) x) + beta C0 x       within bounds, row by row
 *     z^T C = alpha (z^T op(A)) op(B) + beta z^T C0   ... column by column
 *
 * in extended precision. A wrong element shows in its row and in its column.
 *
 * The bound of a row i, with |.| the 2-norm and F Frobenius':
 *
 *     16 (sqrt(k + 2) eps + sqrt(m + n + k) eps_ext)
 *        (|alpha| |op(A)_i| |op(B)|_F + |beta| |(C0)_i|)
 *
 * Rounding errors of a dot product of k terms grow as sqrt(k) (Higham, Mary
 * 2019), and with random signs the errors of a row add up as squares do.
 */
typedef struct xdg_checksum xdg_checksum_t;

/* the result of a check */
typedef struct {
    bool right;
    bool *row, *col;   /* m and n: is this one wrong? free(row) frees both */
    int64_t worst_row; /* furthest beyond its bound, -1: none is wrong */
    int64_t worst_col;
    double error, bound; /* of the worst row's sum, else of the column's */
} xdg_verdict_t;

/*
 * Compute the checksums of a product's right-hand side; A and B are not needed
 * afterwards. C must hold C0, unless beta is 0: it is then not read.
 *
 * seed  in  of the random vectors
 *
 * Cost:   4 (m k + k n + m n) multiplications by all members of team.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xdg_checksum_create(hyb_team_t *team, const xh_gemm_t *product,
                                uint64_t seed, xdg_checksum_t **checksum_p);
void xdg_checksum_destroy(xdg_checksum_t *checksum); /* accepts NULL */

/*
 * Is c the result of the product, with alpha in place of its own?
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xdg_checksum_check(const xdg_checksum_t *checksum, hyb_team_t *team,
                               xh_view_t c, double alpha,
                               xdg_verdict_t *verdict_p);

#endif
