/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_TORTURE_H
#define XDG_TORTURE_H

#include "testing/xdgemm/gemm.h"
#include "testing/xdgemm/problem.h"
#include "testing/xdgemm/verify.h"

typedef struct { /* least > most: never told */
    double least, most;
} xdg_range_t;

typedef struct {
    xdg_range_t temperature, clock, power; /* as in hyb_device_sensors_t */
} xdg_ranges_t;

typedef struct {
    int64_t products, checks;
    double seconds;         /* in all, with checking */
    double product_seconds; /* multiplying */
    double check_seconds;
    xdg_ranges_t device[HYB_EXECUTORS - 1];
} xdg_torture_t;

/*
 * Multiply on all executors until seconds have passed, at least once. C := A B
 * is followed by C := C + A B, so that one check of C covers all of them: an
 * error stays in C. Checks come so seldom that they take about a tenth of the
 * time, but at least every 64 products, and at the end. C begins anew when it
 * was checked as a sum: a tile that was not written is then a wrong one. Once
 * it is not known who of several made an error, each product is checked. What
 * devices' sensors tell is logged once a second.
 *
 * xdg_interruption ends it early, with a last check.
 *
 * verifier    in  of a problem with alpha 1 and beta 0
 * torture_p   out  also on failure: what was done until then; products that
 *                  wait for their check are counted here, not by verifier
 *
 * Errors: those of xdg_gemm and xdg_verify
 */
xh_status_t xdg_torture_run(xdg_gemm_t *gemm, xdg_verifier_t *verifier,
                            double seconds, xdg_torture_t *torture_p);

/* flop/s while multiplying, of products of flop; NaN if there was none. */
double xdg_torture_rate(const xdg_torture_t *torture, double flop);

/* Print what it came to. */
void xdg_torture_print(const xdg_torture_t *torture,
                       const xdg_verifier_t *verifier, FILE *out);

#endif
