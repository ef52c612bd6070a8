/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_VERIFY_H
#define XDG_VERIFY_H

#include "testing/xdgemm/checksum.h"
#include "testing/xdgemm/executors.h"
#include "testing/xdgemm/problem.h"

/* The products of a run that were checked, and whose were wrong. */
typedef struct {
    const xdg_executors_t *executors;
    hyb_machine_t *node;
    const xdg_problem_t *problem;
    xdg_checksum_t *checksum;
    int64_t checked;                    /* products */
    int64_t wrong;                      /* checks */
    int64_t wrong_tiles[HYB_EXECUTORS]; /* by executor, where it is known */
    bool unsure; /* of a wrong tile it is not known who computed it wrongly */
} xdg_verifier_t;

/*
 * Get ready to check products of problem, whose C holds its start. All is
 * borrowed.
 * Errors: XH_ERR_MEMORY  said
 */
xh_status_t xdg_verifier_open(hyb_machine_t *node,
                              const xdg_executors_t *executors,
                              const xdg_problem_t *problem,
                              xdg_verifier_t *verifier_p);
void xdg_verifier_close(xdg_verifier_t *verifier);

/*
 * Check the problem's C, computed as report says by what is called name. What
 * is wrong is said, with who computed it; of several products, with all who
 * computed that tile in any of them.
 *
 * report   in  reports of them, of the products since the last check
 * alpha    in  what C is made of in place of the problem's own alpha
 *
 * Errors: XH_ERR_MEMORY  said
 */
xh_status_t xdg_verify(xdg_verifier_t *verifier, const char *name,
                       const hyb_report_t *report, int reports, double alpha);

#endif
