/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_RATES_H
#define XDG_RATES_H

#include "testing/xdgemm/verify.h"

/* Repetitions of a product by the same executors. */
typedef struct {
    const char *name; /* of the executor alone, or "together" */
    xdg_who_t who;
    bool failed;   /* the executor: no figures */
    int64_t count; /* repetitions done */
    hyb_report_t *report;
    const hyb_report_t *median; /* with the median time; NULL: no figures */
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
 * series. A device that fails alone ends its series only.
 *
 * rates  in,out  gemm, problem and verifier are set, all else 0; also on
 *                failure it has what was measured until then, for
 *                xdg_rates_release
 *
 * Errors: XH_ERR_MEMORY, and those of xdg_gemm with the team in it
 */
xh_status_t xdg_rates_measure(xdg_rates_t *rates, int64_t repeat);
void xdg_rates_release(xdg_rates_t *rates);

/* All together; NULL if there is only one executor. */
const xdg_series_t *xdg_rates_together(const xdg_rates_t *rates);

/* The sum of the rates of each alone: the most that all can reach together. */
double xdg_rates_sum(const xdg_rates_t *rates);

/*
 * Print the measurements, for people and for awk: a table of the series, with
 * name and Gflop/s first; the share of the sum that all together reach; and a
 * table of what each executor did in the median run of each series.
 */
void xdg_rates_print(const xdg_rates_t *rates, FILE *out);

#endif
