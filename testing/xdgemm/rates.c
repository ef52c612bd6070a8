/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/rates.h"

#include <math.h>
#include <stdlib.h>

/* ---- one product -------------------------------------------------------- */

/* Compute a product, and check it if so wished. report_p is always set. */
static xh_status_t compute(const xdg_bench_t *bench, const xdg_series_t *series,
                           hyb_report_t *report_p)
{
    const xh_gemm_t *product = &bench->problem->product;
    xh_status_t status;

    *report_p = (hyb_report_t){0};
    if (bench->verifier != NULL)
        xdg_problem_restore(bench->gemm->machine, bench->problem);
    status = xdg_gemm(bench->gemm, product, series->who, report_p);
    if (status == XH_OK && bench->verifier != NULL)
        status = xdg_verify(bench->verifier, series->name, report_p, 1,
                            product->alpha);
    return status;
}

/* A device that fails alone ends its series, not the run. */
static xh_status_t forgive(xdg_series_t *series, xh_status_t status)
{
    if (status != XH_ERR_DEVICE || series->who.team)
        return status;
    series->failed = true;
    return XH_OK;
}

static xh_status_t warm_up(const xdg_bench_t *bench, xdg_series_t *series)
{
    hyb_report_t report;
    xh_status_t status = compute(bench, series, &report);

    free(report.owner);
    return forgive(series, status);
}

static xh_status_t repeat_once(const xdg_bench_t *bench, xdg_series_t *series)
{
    hyb_report_t *report = &series->report[series->count];
    xh_status_t status;

    if (series->failed)
        return XH_OK;
    status = compute(bench, series, report);
    if (status == XH_OK)
        series->count++;
    else
        free(report->owner);
    return forgive(series, status);
}

/* ---- all series --------------------------------------------------------- */

static xh_status_t open_all(const xdg_bench_t *bench, int64_t repeat,
                            xdg_rates_t *rates)
{
    int executors = bench->executors->count;
    xh_status_t status = XH_OK;

    rates->count = executors > 1 ? executors + 1 : 1;
    for (int i = 0; i < rates->count && status == XH_OK; i++) {
        bool alone = i < executors;
        xdg_series_t *series = &rates->series[i];

        series->name = alone ? bench->executors->name[i] : "together";
        series->alone = alone ? i : -1;
        series->who = alone ? xdg_executors_only(i)
                            : xdg_executors_all(bench->gemm->machine);
        series->report = calloc((size_t)repeat, sizeof(*series->report));
        status = series->report == NULL ? XH_ERR_MEMORY : XH_OK;
    }
    return status;
}

static int by_seconds(const void *a, const void *b)
{
    const hyb_report_t *const *x = a, *const *y = b;

    return ((*x)->seconds > (*y)->seconds) - ((*x)->seconds < (*y)->seconds);
}

/* Of an even number the faster of the two in the middle. */
static xh_status_t find_median(xdg_series_t *series)
{
    size_t count = (size_t)series->count;
    const hyb_report_t **order = calloc(count + 1, sizeof(hyb_report_t *));

    if (order == NULL)
        return XH_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        order[i] = &series->report[i];
    qsort(order, count, sizeof(hyb_report_t *), by_seconds);
    if (count > 0)
        series->median = order[(count - 1) / 2] - series->report;
    free(order);
    return XH_OK;
}

/* All together run first, as others can complete the first product of a device
   that fails, and last, to learn shares from warm devices. */
static xh_status_t warm_up_all(const xdg_bench_t *bench, xdg_rates_t *rates)
{
    int last = rates->count - 1;
    xh_status_t status = XH_OK;

    for (int i = last; i >= 0 && status == XH_OK; i--)
        status = warm_up(bench, &rates->series[i]);
    if (status == XH_OK && last > 0)
        status = warm_up(bench, &rates->series[last]);
    return status;
}

static xh_status_t run_all(const xdg_bench_t *bench, int64_t repeat,
                           xdg_rates_t *rates)
{
    xh_status_t status = warm_up_all(bench, rates);

    for (int64_t r = 0; r < repeat && status == XH_OK; r++)
        for (int i = 0; i < rates->count && status == XH_OK; i++)
            status = repeat_once(bench, &rates->series[i]);
    for (int i = 0; i < rates->count; i++) {
        xh_status_t found = find_median(&rates->series[i]);

        status = status == XH_OK ? found : status;
    }
    return status;
}

xh_status_t xdg_rates_measure(const xdg_bench_t *bench, int64_t repeat,
                              xdg_rates_t *rates_p)
{
    xh_status_t status;

    *rates_p = (xdg_rates_t){0};
    status = open_all(bench, repeat, rates_p);
    if (status == XH_OK)
        status = run_all(bench, repeat, rates_p);
    return status;
}

void xdg_rates_release(xdg_rates_t *rates)
{
    for (int i = 0; i < rates->count; i++) {
        xdg_series_t *series = &rates->series[i];

        for (int64_t r = 0; r < series->count; r++)
            free(series->report[r].owner);
        free(series->report);
    }
    rates->count = 0;
}

/* ---- what they say ------------------------------------------------------ */

const hyb_report_t *xdg_series_median(const xdg_series_t *series)
{
    return series->failed || series->count == 0
               ? NULL
               : &series->report[series->median];
}

double xdg_series_rate(const xdg_series_t *series, double flop)
{
    const hyb_report_t *report = xdg_series_median(series);

    return report == NULL ? NAN : flop / report->seconds;
}

void xdg_series_range(const xdg_series_t *series, double *least_p,
                      double *most_p)
{
    double least = NAN, most = NAN;

    for (int64_t r = 0; r < series->count && !series->failed; r++) {
        least = fmin(least, series->report[r].seconds);
        most = fmax(most, series->report[r].seconds);
    }
    *least_p = least;
    *most_p = most;
}

const xdg_series_t *xdg_rates_together(const xdg_rates_t *rates)
{
    return rates->count > 1 ? &rates->series[rates->count - 1] : NULL;
}

double xdg_rates_sum(const xdg_rates_t *rates, double flop)
{
    double sum = 0.0;

    for (int i = 0; i < rates->count; i++) {
        double rate = xdg_series_rate(&rates->series[i], flop);

        if (rates->series[i].alone >= 0 && !isnan(rate))
            sum += rate;
    }
    return sum;
}
