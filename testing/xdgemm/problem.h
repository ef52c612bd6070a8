/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_PROBLEM_H
#define XDG_PROBLEM_H

#include "hybrid/device/machine.h"
#include "testing/xdgemm/fill.h"
#include "testing/xdgemm/shape.h"

/* The matrices of a product: pinned, random. */
typedef struct {
    xh_gemm_t product;
    xdg_random_t start; /* of C */
    size_t bytes[3];    /* of A, B, C */
} xdg_problem_t;

/*
 * Allocate and fill A, B and C.
 * Errors: XH_ERR_MEMORY  reported
 */
xh_status_t xdg_problem_open(hyb_machine_t *node, const xdg_shape_t *shape,
                             xdg_distribution_t distribution,
                             xdg_problem_t *problem_p);
void xdg_problem_close(hyb_machine_t *node, xdg_problem_t *problem);

/* Fill C with its start again. */
void xdg_problem_restore(hyb_machine_t *node, const xdg_problem_t *problem);

/* From now on C starts as NaN, for a product with beta 0 that must not read it.
 */
void xdg_problem_poison(xdg_problem_t *problem);

#endif
