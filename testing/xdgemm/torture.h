/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_TORTURE_H
#define XDG_TORTURE_H

#include "testing/xdgemm/executors.h"
#include "testing/xdgemm/problem.h"
#include "testing/xdgemm/verify.h"

typedef struct { /* least > most: never told */
    double least, most;
} xdg_range_t;

typedef struct {
    xdg_range_t temperature, clock, power; /* as in hyb_device_sensors_t */
} xdg_ranges_t;

typedef struct {
    int64_t products;
    double seconds;         /* in all, with checking */
    double product_seconds; /* multiplying */
    xdg_ranges_t device[HYB_EXECUTORS - 1];
} xdg_torture_t;

/*
 * Multiply on all executors until seconds have passed, at least once, and
 * check every product. C := A B alternates with C := C + A B, so C never has
 * to be filled again, is read every other time, and a tile that was not
 * written is a wrong one. What devices' sensors tell is logged once a second.
 *
 * verifier    in  of a problem with alpha 1 and beta 0
 * torture_p   out
 *
 * Errors: those of hyb_node_gemm and xdg_verify
 */
xh_status_t xdg_torture_run(xdg_verifier_t *verifier, double seconds,
                            xdg_torture_t *torture_p);

/* Print what it came to. */
void xdg_torture_print(const xdg_torture_t *torture,
                       const xdg_verifier_t *verifier, FILE *out);

#endif
