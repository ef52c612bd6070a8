/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/xdgemm/verify.h"

/* ---- rates --------------------------------------------------------------- */

/* Repetitions of a product by the same executors. */
typedef struct {
    const char *name; /* name of the executor, or "together" */
    xdg_participants_t participants;
    int64_t count; /* repetitions done */
    hyb_report_t *report;
    const hyb_report_t
        *median; /* the repetition of median time; NULL: none is done */
    double rate; /* flop/s of `median`, or NaN */
} xdg_series_t;

/* A series for each executor alone, and, if there are several, a last one for
 * all together. */
typedef struct {
    xdg_gemm_t *gemm;
    const xdg_problem_t *problem;
    xdg_verifier_t *verifier; /* NULL: no product is checked */
    int count;
    xdg_series_t series[HYB_EXECUTORS + 1];
} xdg_rates_t;

/*
 * Measure a warm-up round, then `repeat` rounds with one product of every
 * series.
 *
 * rates  in,out  gemm, problem and verifier are set, all else is 0; after a
 *                failure it has the results so far; for xdg_rates_release
 *
 * Errors: XH_ERR_MEMORY, and those of xdg_gemm
 */
xh_status_t xdg_rates_measure(xdg_rates_t *rates, int64_t repeat);
void xdg_rates_release(xdg_rates_t *rates);

/* The series of all executors together; NULL if there is only one executor. */
const xdg_series_t *xdg_rates_together(const xdg_rates_t *rates);

/* The sum of the rates of the executors alone, which is the upper limit of the
 * rate together. */
double xdg_rates_sum(const xdg_rates_t *rates);

/*
 * Print all measurements for people and for awk: a table of the series, with
 * name and Gflop/s first; the rate together as a share of the sum; and a table
 * of the work of each executor in the median repetition of each series.
 */
void xdg_rates_print(const xdg_rates_t *rates, FILE *out);

/* ---- torture ------------------------------------------------------------- */

enum { XDG_TEMPERATURE, XDG_CLOCK, XDG_POWER, XDG_SENSORS };

typedef struct {
    double least, most; /* least > most: unknown */
    double end;         /* the mean of the last tenth; NaN: unknown */
} xdg_reading_t;

typedef struct { /* an executor; rates in flop/s, NaN: unknown */
    int64_t products, wrong;
    double start_rate; /* the best of a short window at the start */
    double end_rate;   /* the mean of the last tenth of the time */
    xdg_reading_t sensor[XDG_SENSORS];
} xdg_tortured_t;

typedef struct {
    const xdg_gemm_t *gemm; /* borrowed */
    double seconds;
    xdg_tortured_t executor[HYB_EXECUTORS];
} xdg_torture_t;

/*
 * Multiply A and B on each device, in its memory and without a pause, and on
 * the team beside them, until seconds have passed, at least once; check each
 * product by row sums where it was computed. A line with rates, and with what
 * sensors read, is logged each second, or each sixtieth of the time if that is
 * longer.
 *
 * SIGINT and SIGTERM end the test early; a second signal ends the process at
 * once. Launchers send a signal more than once: signals within half a second
 * count as one. An ignored signal stays ignored.
 *
 * problem    in   alpha is 1, beta 0; C is overwritten
 * torture_p  out  also on failure
 *
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE: a device failed, which ends the test
 */
xh_status_t xdg_torture_run(const xdg_gemm_t *gemm,
                            const xdg_problem_t *problem, double seconds,
                            xdg_torture_t *torture_p);

/* The received signal; 0: none. */
int xdg_torture_signal(void);

/* The part of the rate at the start that the executor kept up to the end. */
double xdg_torture_kept(const xdg_tortured_t *tortured);

/* Print the result. */
void xdg_torture_print(const xdg_torture_t *torture, FILE *out);

/* ---- a device alone ------------------------------------------------------ */

/* The rates of a device and its link, measured alone. */
typedef struct {
    double in, out;  /* bytes/s of copies in one direction only */
    double both;     /* bytes/s in each direction, copies both ways at once */
    double resident; /* flop/s of DGEMM on data in device memory */
} xdg_probe_t;

/*
 * Measure copies of C to and from device, and the product on it; medians of
 * `repeat`. The matrices are pinned, and fit into the device's memory. C is
 * overwritten.
 *
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t xdg_probe_device(hyb_device_t *device, const xh_gemm_t *product,
                             int64_t repeat, xdg_probe_t *probe_p);

/* The result of an operation on data in device memory: medians of several
 * times. */
typedef struct {
    double seconds, rate; /* flop/s */
    int64_t wrong;        /* number of wrong results */
} xdg_operation_t;

/* The name of operation number 0, 1, ...; NULL after the last. */
const char *xdg_operation_name(int number);

/*
 * Measure and check an operation `repeat` times on a device, after a warm-up:
 *
 *     gemm  C := C - A B       C m x n, A m x k
 *     syrk  C := C - A A^T     on and below the diagonal, C m x m, A m x k
 *     trsm  U := L1^-1 U       U k x n
 *     gemv  y := y - A x       A m x n
 *
 * The team computes each result as well; for a solve it computes L1 U. Elements
 * that differ by more than rounding explains are wrong.
 *
 * sizes  in  a product with that m, n and k; nothing else of it is used
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t xdg_operation_measure(xdg_gemm_t *gemm, int device, int number,
                                  const xh_gemm_t *sizes, int64_t repeat,
                                  xdg_operation_t *operation_p);
