/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/xdgemm/verify.h"

/* ---- rates --------------------------------------------------------------- */

/* Repetitions of a product by the same executors. */
typedef struct {
    const char *name; /* of the executor alone, or "together" */
    xdg_who_t who;
    int64_t count; /* repetitions done */
    hyb_report_t *report;
    const hyb_report_t *median; /* with the median time; NULL: none is done */
    double rate;                /* flop/s of it; NaN */
} xdg_series_t;

/* Each executor alone, and last all together if there are several. */
typedef struct {
    xdg_gemm_t *gemm;
    const xdg_problem_t *problem;
    xdg_verifier_t *verifier; /* NULL: no product is checked */
    int count;
    xdg_series_t series[HYB_EXECUTORS + 1];
} xdg_rates_t;

/*
 * Measure: a round to warm up, then `repeat` rounds with one product of every
 * series.
 *
 * rates  in,out  gemm, problem and verifier are set, all else 0; also on
 *                failure it has what was measured until then, for
 *                xdg_rates_release
 *
 * Errors: XH_ERR_MEMORY, and those of xdg_gemm
 */
xh_status_t xdg_rates_measure(xdg_rates_t *rates, int64_t repeat);
void xdg_rates_release(xdg_rates_t *rates);

/* All together; NULL if there is only one executor. */
const xdg_series_t *xdg_rates_together(const xdg_rates_t *rates);

/* The sum of the rates of each alone: the most that all can reach together. */
double xdg_rates_sum(const xdg_rates_t *rates);

/*
 * Print all measurements, for people and for awk: a table of the series, with
 * name and Gflop/s first; the share of the sum that all together reach; and a
 * table of what each executor did in the median run of each series.
 */
void xdg_rates_print(const xdg_rates_t *rates, FILE *out);

/* ---- what a device holds ------------------------------------------------- */

/*
 * Numbers that a device holds while it computes. Their checksums there tell
 * without a copy whether they are what was sent, so damage on the way in, in
 * its memory and on the way out are told apart.
 */
typedef struct xdg_held xdg_held_t;

/*
 * Send rows x cols numbers, or fewer columns, to a device that has checksums.
 * name stays valid. Each damage is said, and counted in *damaged.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t xdg_held_open(hyb_device_t *device, const char *name,
                          hyb_team_t *team, int64_t rows, int64_t cols,
                          int64_t *damaged, xdg_held_t **held_p);
void xdg_held_close(xdg_held_t *held); /* accepts NULL */

/* Are they there still, and do they come back? Then send them again. */
xh_status_t xdg_held_check(xdg_held_t *held, int64_t *damaged);

/* ---- torture ------------------------------------------------------------- */

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
    int64_t damaged[HYB_EXECUTORS - 1]; /* of what a device holds */
    xdg_range_t device[HYB_EXECUTORS - 1][XDG_SENSORS];
} xdg_torture_t;

/*
 * Multiply on all executors until seconds have passed, at least once. C := A B
 * is followed by several C := C + A B, so that one check of C covers them all:
 * an error stays in C. Checks take about a tenth of the time; there is one at
 * least every 64 products, and one at the end. After the check of a sum C
 * starts again, so that a tile that is not written becomes wrong. Once an error
 * has several suspects, each product is checked. A check also looks at what
 * devices hold; damage counts as one that is wrong. The sensors of devices are
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

/* ---- a device alone ------------------------------------------------------ */

/* The rates of a device and its link alone. */
typedef struct {
    double in, out;  /* bytes/s of copies one way only */
    double both;     /* bytes/s each way, copies both ways at once */
    double resident; /* flop/s of DGEMM on data that the device holds */
} xdg_probe_t;

/*
 * Measure copies of C to and from device, and the product on it; medians of
 * `repeat`. The matrices are pinned, and fit the device. C is destroyed.
 *
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t xdg_probe_device(hyb_device_t *device, const xh_gemm_t *product,
                             int64_t repeat, xdg_probe_t *probe_p);

/* An operation on data that a device holds: the median of some times. */
typedef struct {
    double seconds, rate; /* flop/s */
    int64_t wrong;        /* times that its result was */
} xdg_operation_t;

/* Of operation number 0, 1, ...; NULL behind the last. */
const char *xdg_operation_name(int number);

/*
 * Measure and check it `repeat` times on a device, after once to warm up:
 *
 *     gemm  C := C - A B       C m x n, A m x k
 *     syrk  C := C - A A^T     on and below the diagonal, C m x m, A m x k
 *     trsm  U := L1^-1 U       U k x n
 *     gemv  y := y - A x       A m x n
 *
 * The team computes each result as well, or of a solve L1 U, and elements that
 * differ by more than rounding explains are wrong.
 *
 * sizes  in  a product with that m, n and k; else not looked at
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t xdg_operation_measure(xdg_gemm_t *gemm, int device, int number,
                                  const xh_gemm_t *sizes, int64_t repeat,
                                  xdg_operation_t *operation_p);
