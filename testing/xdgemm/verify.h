/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_VERIFY_H
#define XDG_VERIFY_H

#include "testing/xdgemm/checksum.h"
#include "testing/xdgemm/gemm.h"
#include "testing/xdgemm/problem.h"

/* the checks of a run */
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
 * alpha   in  of their sum, in place of the problem's own alpha
 *
 * Errors: XH_ERR_MEMORY  reported
 */
xh_status_t xdg_verify(xdg_verifier_t *verifier, const char *name,
                       const hyb_report_t *report, int reports, double alpha);

#endif
