/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/xdgemm/gemm.h"

/* ---- random matrices ----------------------------------------------------- */

typedef enum {
    XDG_UNIFORM, /* in [-0.5, 0.5) */
    XDG_NORMAL,  /* mean 0, variance 25 */
    XDG_NAN      /* must not be read */
} xdg_distribution_t;

/*
 * An infinite random matrix: each element is a function of seed, row and
 * column, so that any part can be generated at any time.
 */
typedef struct {
    xdg_distribution_t distribution;
    uint64_t seed;
} xdg_random_t;

/* Element (i, j); rows and columns below 2^31. */
double xdg_random_element(const xdg_random_t *random, int64_t i, int64_t j);

/*
 * Set v to the part of the random matrix whose first element is (row, col); by
 * all members of team, each its share of the columns.
 */
void xdg_fill(hyb_team_t *team, const xdg_random_t *random, int64_t row,
              int64_t col, xh_view_t v);

/* ---- their size ---------------------------------------------------------- */

/* Bytes of A, B and C, as a double since they may exceed 2^64. */
double xdg_bytes(const xh_gemm_t *product);

/*
 * The largest product with m, n and k in proportion, none below 1, and the
 * least leading dimensions, whose matrices fit in bytes; all 1 if none does.
 */
xh_gemm_t xdg_fitting(const xh_gemm_t *product, double bytes);

/*
 * Check that the matrices fit in the memory that is available now, less the
 * setting memory_reserve.
 * Errors: XH_ERR_MEMORY  they do not: reported with the largest that would
 */
xh_status_t xdg_check_memory(const xh_gemm_t *product);

/* ---- the matrices of a product: pinned, random --------------------------- */

typedef struct {
    xh_gemm_t product;
    xdg_random_t start; /* of C */
} xdg_problem_t;

/*
 * Allocate and fill A, B and C of product, whose data are not looked at.
 * Errors: XH_ERR_MEMORY  reported
 */
xh_status_t xdg_problem_open(hyb_machine_t *machine, const xh_gemm_t *product,
                             xdg_distribution_t distribution,
                             xdg_problem_t *problem_p);
void xdg_problem_close(hyb_machine_t *machine, xdg_problem_t *problem);

/* Fill C with its start again. */
void xdg_problem_restore(hyb_machine_t *machine, const xdg_problem_t *problem);

/* ---- checksums ----------------------------------------------------------- */

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

typedef struct {   /* what is wrong with C's rows, or its columns */
    bool *which;   /* each: is it? */
    int64_t worst; /* furthest beyond its bound, -1: none is wrong */
    double excess, error, bound; /* of the worst one's sum */
} xdg_wrong_t;

typedef struct {
    bool right;
    xdg_wrong_t rows, cols; /* free(rows.which) frees both */
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
 * Is c the sum of so many results of the product? One check at a time.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xdg_checksum_check(const xdg_checksum_t *checksum, hyb_team_t *team,
                               xh_view_t c, int times,
                               xdg_verdict_t *verdict_p);

/* ---- the checks of a run ------------------------------------------------- */

typedef struct {
    const xdg_gemm_t *gemm;
    const xdg_problem_t *problem;
    xdg_checksum_t *checksum;
    int64_t checked;                    /* products */
    int64_t wrong;                      /* checks */
    int64_t wrong_tiles[HYB_EXECUTORS]; /* by executor, if it is known */
    bool unsure; /* several executors may have computed a wrong tile */
} xdg_verifier_t;

/*
 * Prepare to check products of problem, whose C still holds its start. Both
 * are borrowed.
 * Errors: XH_ERR_MEMORY  reported
 */
xh_status_t xdg_verifier_open(const xdg_gemm_t *gemm,
                              const xdg_problem_t *problem,
                              xdg_verifier_t *verifier_p);
void xdg_verifier_close(xdg_verifier_t *verifier);

/*
 * Check the problem's C. If it is wrong, find the wrong tiles, and report each
 * with all who computed it in any of the products since the last check: each
 * tile in which a wrong row and a wrong column meet is checked by checksum
 * vectors of its own. The tiles are those of the first product that was cut.
 *
 * name    in  of the products in messages
 * report  in  `reports` of them, one for each product
 * held    in  results of the problem's product that C is the sum of
 *
 * Errors: XH_ERR_MEMORY  reported
 */
xh_status_t xdg_verify(xdg_verifier_t *verifier, const char *name,
                       const hyb_report_t *report, int reports, int held);
