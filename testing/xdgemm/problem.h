/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_PROBLEM_H
#define XDG_PROBLEM_H

#include "base/view.h"
#include "hybrid/device/machine.h"

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
 * setting memory_reserve; memory_check=off skips the check.
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

#endif
