/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/xdgemm/gemm.h"

/* ---- random matrices ----------------------------------------------------- */

typedef enum {
    XDG_UNIFORM, /* in [-0.5, 0.5) */
    XDG_NORMAL,  /* mean 0, variance 25 */
    XDG_NAN      /* NaN: elements that must not be read */
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
 * Set v to the part of the random matrix whose first element is (row, col), by
 * all members of team.
 */
void xdg_fill(hyb_team_t *team, const xdg_random_t *random, int64_t row,
              int64_t col, xh_view_t v);

/* ---- their size ---------------------------------------------------------- */

/* Bytes of A, B and C, as a double since they may exceed 2^64. */
double xdg_bytes(const xh_gemm_t *product);

/*
 * The largest product with the proportions of product, m, n and k at least 1,
 * and the least leading dimensions, whose matrices fit in bytes; 1 x 1 x 1 if
 * none fits.
 */
xh_gemm_t xdg_shrink_to_fit(const xh_gemm_t *product, double bytes);

/*
 * Check that the matrices fit in the memory that is available now, less the
 * setting memory_reserve.
 * Errors: XH_ERR_MEMORY  they do not: reported with the largest that would
 */
xh_status_t xdg_check_memory(const xh_gemm_t *product);

/* ---- the matrices of a product: pinned, random --------------------------- */

typedef struct {
    xh_gemm_t product;
    xdg_random_t start; /* of C0, the start of C */
} xdg_problem_t;

/*
 * Allocate and fill A, B and C of product, whose data pointers are ignored.
 * Errors: XH_ERR_MEMORY  reported
 */
xh_status_t xdg_problem_open(hyb_machine_t *machine, const xh_gemm_t *product,
                             xdg_distribution_t distribution,
                             xdg_problem_t *problem_p);
void xdg_problem_close(hyb_machine_t *machine, xdg_problem_t *problem);

/* Fill C with C0 again. */
void xdg_problem_restore(hyb_machine_t *machine, const xdg_problem_t *problem);

/* ---- checksums ----------------------------------------------------------- */

/*
 * Checksums verify C = beta C0 + alpha op(A) op(B) at a cost of m n instead of
 * m n k: for a few random vectors x and z of +1 and -1,
 *
 *     C x   = alpha op(A) (op(B) x) + beta C0 x       within bounds, by row
 *     z^T C = alpha (z^T op(A)) op(B) + beta z^T C0   ... by column
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

typedef struct {    /* errors of C's rows, or of its columns */
    bool *is_wrong; /* by row or column */
    int64_t worst;  /* index of the largest excess; -1: none is wrong */
    double excess, error, bound; /* of the sum of that row or column */
} xdg_errors_t;

typedef struct {
    bool right;
    xdg_errors_t rows, cols; /* free(rows.is_wrong) frees both */
} xdg_verdict_t;

/*
 * Compute the checksums of a product's right-hand side; A and B are not needed
 * afterwards. C must hold C0, unless beta is 0: it is then not read.
 *
 * seed  in  for the random vectors
 *
 * Cost:   4 (m k + k n + m n) multiplications by all members of team.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xdg_checksum_create(hyb_team_t *team, const xh_gemm_t *product,
                                uint64_t seed, xdg_checksum_t **checksum_p);
void xdg_checksum_destroy(xdg_checksum_t *checksum); /* accepts NULL */

/*
 * Compare c with the product. One check at a time.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xdg_checksum_check(const xdg_checksum_t *checksum, hyb_team_t *team,
                               xh_view_t c, xdg_verdict_t *verdict_p);

/* ---- row sums in double precision -----------------------------------------
 */

/*
 * Row sums that any device can check, C x = op(A) (op(B) x) (Freivalds 1979):
 * |x_j| is 1 to 2, with random signs. The residual of row i is the expected sum
 * less (C x)_i, where rounding explains at most
 *
 *     32 (sqrt(k + 2) + sqrt(n + 2)) eps |op(A)_i| |op(B)|_F
 *
 * as above, with the errors of a sum of n terms in double precision, and twice
 * as much as x is up to 2.
 */
typedef struct {
    int64_t rows, cols; /* of C */
    double *x;          /* cols */
    double *expected;   /* rows; op(A) (op(B) x) */
    double *bound;      /* rows; the largest rounding error */
} xdg_row_check_t;

/* Compute the vectors from A and B by all members of team; alpha and beta do
 * not count. Errors: XH_ERR_MEMORY */
xh_status_t xdg_row_check_create(hyb_team_t *team, const xh_gemm_t *product,
                                 uint64_t seed, xdg_row_check_t *check_p);
void xdg_row_check_free(xdg_row_check_t *check); /* accepts one all zero */

typedef struct { /* rows of C that are wrong; count 0: none, the rest is 0 */
    int64_t count, first, last;
    int64_t worst; /* of the largest error, or the first NaN */
    double error, bound;
} xdg_wrong_rows_t;

/* What `residual`, of C's rows, shows. */
xdg_wrong_rows_t xdg_row_check_judge(const xdg_row_check_t *check,
                                     const double *residual);

/* ---- the checks of a run ------------------------------------------------- */

typedef struct {
    const xdg_gemm_t *gemm;
    const xdg_problem_t *problem;
    xdg_checksum_t *checksum;
    int64_t checked;                    /* products checked */
    int64_t wrong;                      /* checks with an error */
    int64_t wrong_tiles[HYB_EXECUTORS]; /* by executor, if known */
} xdg_verifier_t;

/*
 * Prepare to check products of problem, while C still holds C0. Both arguments
 * are borrowed.
 * Errors: XH_ERR_MEMORY  reported
 */
xh_status_t xdg_verifier_open(const xdg_gemm_t *gemm,
                              const xdg_problem_t *problem,
                              xdg_verifier_t *verifier_p);
void xdg_verifier_close(xdg_verifier_t *verifier);

/*
 * Check C of the problem. If it is wrong, find and report the wrong tiles, each
 * with the executor that computed it: each tile that contains a wrong row and a
 * wrong column is checked by checksum vectors of its own.
 *
 * name    in  of the product in messages
 *
 * Errors: XH_ERR_MEMORY  reported
 */
xh_status_t xdg_verify(xdg_verifier_t *verifier, const char *name,
                       const hyb_report_t *report);
