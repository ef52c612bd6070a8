/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_TORTURE_H
#define XDG_TORTURE_H

#include "testing/xdgemm/verify.h"

enum { XDG_TEMPERATURE, XDG_CLOCK, XDG_POWER, XDG_SENSORS };

typedef struct { /* least > most: unknown */
    double least, most;
} xdg_range_t;

typedef struct {
    const xdg_verifier_t *verifier; /* borrowed */
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
 * SIGINT and SIGTERM end it early, with a last check; a second one ends the
 * process at once. Launchers send a signal more than once: signals within half
 * a second count as one. A signal that is ignored stays ignored.
 *
 * verifier    in   of a problem with alpha 1 and beta 0
 * torture_p   out  also on failure; counts unchecked products, too, which
 *                  verifier does not
 *
 * Errors: those of xdg_gemm and xdg_verify
 */
xh_status_t xdg_torture_run(xdg_gemm_t *gemm, xdg_verifier_t *verifier,
                            double seconds, xdg_torture_t *torture_p);

/* The signal that came; 0: none. */
int xdg_torture_signal(void);

/* flop/s of products alone; NaN without a product. */
double xdg_torture_rate(const xdg_torture_t *torture);

/* Print the result. */
void xdg_torture_print(const xdg_torture_t *torture, FILE *out);

#endif
