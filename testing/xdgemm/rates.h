/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_RATES_H
#define XDG_RATES_H

#include "testing/xdgemm/gemm.h"
#include "testing/xdgemm/problem.h"
#include "testing/xdgemm/verify.h"

/* Repetitions of a product by the same executors. */
typedef struct {
    const char *name; /* of the executor alone, or "together" */
    int alone;        /* the executor, -1: all */
    xdg_who_t who;
    int64_t count; /* repetitions done */
    hyb_report_t *report;
    int64_t median; /* index of the report with the median time */
    bool failed;    /* the executor failed: no figures */
} xdg_series_t;

/* Each executor alone, and last all together if there are several. */
typedef struct {
    int count;
    xdg_series_t series[HYB_EXECUTORS + 1];
} xdg_rates_t;

typedef struct {
    xdg_gemm_t *gemm;
    const xdg_executors_t *executors;
    const xdg_problem_t *problem;
    xdg_verifier_t *verifier; /* NULL: no product is checked */
} xdg_bench_t;

/*
 * Measure: a round to warm up, then `repeat` rounds with one product of every
 * series. A device that fails alone ends its series only.
 *
 * rates_p  out  also on failure, with what was measured until then; released
 *               with xdg_rates_release
 *
 * Errors: XH_ERR_MEMORY, and those of xdg_gemm with the team in it
 */
xh_status_t xdg_rates_measure(const xdg_bench_t *bench, int64_t repeat,
                              xdg_rates_t *rates_p);
void xdg_rates_release(xdg_rates_t *rates);

/* The report with the median time; NULL if the series failed. */
const hyb_report_t *xdg_series_median(const xdg_series_t *series);

/* flop/s of a product of flop in seconds of the median; NaN if it failed. */
double xdg_series_rate(const xdg_series_t *series, double flop);

/* The shortest and the longest time; NaN if it failed. */
void xdg_series_range(const xdg_series_t *series, double *least_p,
                      double *most_p);

/* All together; NULL if there is only one executor. */
const xdg_series_t *xdg_rates_together(const xdg_rates_t *rates);

/* The sum of the rates of each alone: the most that all can reach together. */
double xdg_rates_sum(const xdg_rates_t *rates, double flop);

#endif
