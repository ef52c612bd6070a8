/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_TORTURE_H
#define XDG_TORTURE_H

#include "testing/xdgemm/gemm.h"
#include "testing/xdgemm/problem.h"
#include "testing/xdgemm/verify.h"

enum { XDG_TEMPERATURE, XDG_CLOCK, XDG_POWER, XDG_SENSORS };

typedef struct { /* least > most: unknown */
    double least, most;
} xdg_range_t;

typedef struct {
    int64_t products, checks;
    double seconds;         /* in all */
    double product_seconds; /* of products alone */
    double check_seconds;
    xdg_range_t device[HYB_EXECUTORS - 1][XDG_SENSORS];
} xdg_torture_t;

/*
 * Multiply on all executors until seconds have passed, at least once. C := A B
 * is followed by several C := C + A B, so that one check of C covers them all:
 * an error stays in C. Checks take about a tenth of the time; there is one at
 * least every 64 products, and one at the end. After the check of a sum C
 * starts again, so that a tile that is not written becomes wrong. Once an error
 * has several suspects, each product is checked. The sensors of devices are
 * logged once a second.
 *
 * xdg_interruption ends it early, with a last check.
 *
 * verifier    in   of a problem with alpha 1 and beta 0
 * torture_p   out  also on failure; counts unchecked products, too, which
 *                  verifier does not
 *
 * Errors: those of xdg_gemm and xdg_verify
 */
xh_status_t xdg_torture_run(xdg_gemm_t *gemm, xdg_verifier_t *verifier,
                            double seconds, xdg_torture_t *torture_p);

/* flop/s of products alone, of `flop` each; NaN without a product. */
double xdg_torture_rate(const xdg_torture_t *torture, double flop);

/* Print the result. */
void xdg_torture_print(const xdg_torture_t *torture,
                       const xdg_verifier_t *verifier, FILE *out);

#endif
