/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_VERIFY_H
#define XDG_VERIFY_H

#include "testing/xdgemm/checksum.h"
#include "testing/xdgemm/executors.h"
#include "testing/xdgemm/problem.h"

/* a wrong part of C, and who computed it */
typedef struct {
    xh_rectangle_t part; /* a tile, or all of C if it was not tiled */
    int executor; /* 0: the team, i + 1: device i, -1: none, or several */
    bool by[HYB_EXECUTORS]; /* all who computed some of it */
    int64_t row, col;       /* of the worst error in C, -1: unknown */
    double error, bound;    /* of a sum that contains it */
} xdg_culprit_t;

/* products added to C one after the other, and found wrong */
typedef struct {
    const xh_gemm_t *product;   /* c holds the result */
    const xdg_random_t *start;  /* what c held before */
    const hyb_report_t *report; /* who computed what since c was right */
    int reports;                /* one for each product */
    const xdg_verdict_t *verdict;
} xdg_suspect_t;

/*
 * Find the wrong tiles of a wrong product: each tile in which a wrong row and a
 * wrong column meet is checked by checksum vectors of its own. The tiles are
 * those of the first product that was tiled.
 *
 * culprits_p  out  the first `capacity` wrong tiles
 * count_p     out  how many there are; at least 1
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xdg_locate(hyb_team_t *team, const xdg_suspect_t *suspect,
                       xdg_culprit_t *culprits_p, int capacity, int *count_p);

/* the checks of a run */
typedef struct {
    const xdg_executors_t *executors;
    hyb_machine_t *node;
    const xdg_problem_t *problem;
    xdg_checksum_t *checksum;
    int64_t checked;                    /* products */
    int64_t wrong;                      /* checks */
    int64_t wrong_tiles[HYB_EXECUTORS]; /* by executor, if it is known */
    bool unsure; /* several executors may have computed a wrong tile */
} xdg_verifier_t;

/*
 * Prepare to check products of problem, whose C still holds its start. All
 * arguments are borrowed.
 * Errors: XH_ERR_MEMORY  reported
 */
xh_status_t xdg_verifier_open(hyb_machine_t *node,
                              const xdg_executors_t *executors,
                              const xdg_problem_t *problem,
                              xdg_verifier_t *verifier_p);
void xdg_verifier_close(xdg_verifier_t *verifier);

/*
 * Check the problem's C and report wrong tiles with all who computed them in
 * any of the products since the last check.
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
