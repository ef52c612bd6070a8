/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/runs.h"

#include <math.h>
#include <stdlib.h>
#include "base/median.h"
#include "base/product.h"

#define GIGA 1e9

/* ---- one product -------------------------------------------------------- */

static void free_reports(xdg_series_t *series)
{
    while (series->count > 0)
        free(series->report[--series->count].owner);
}

/* Compute a product, check it if there is a verifier, and store its report. */
static xh_status_t compute(xdg_rates_t *r, xdg_series_t *series)
{
    hyb_report_t report = {0};
    xh_status_t status;

    if (r->verifier != NULL)
        xdg_problem_restore(r->gemm->machine, r->problem);
    status =
        xdg_gemm(r->gemm, &r->problem->product, series->participants, &report);
    if (status == XH_OK && r->verifier != NULL)
        status = xdg_verify(r->verifier, series->name, &report);
    if (status == XH_OK)
        series->report[series->count++] = report;
    else
        free(report.owner);
    return status;
}

static xh_status_t warm_up(xdg_rates_t *r, xdg_series_t *series)
{
    xh_status_t status = compute(r, series);

    free_reports(series);
    return status;
}

/* ---- all series --------------------------------------------------------- */

static xh_status_t open_all(xdg_rates_t *r, int64_t repeat)
{
    int executors = r->gemm->executors.count;

    r->count = executors > 1 ? executors + 1 : 1;
    for (int i = 0; i < r->count; i++) {
        xdg_series_t *series = &r->series[i];

        *series = (xdg_series_t){
            .name = r->gemm->executors.name[i],
            .participants = {.team = i == 0,
                             .devices = i == 0 ? 0 : UINT64_C(1) << (i - 1)},
            .report = calloc((size_t)repeat, sizeof(*series->report)),
            .rate = NAN};
        if (i == executors) {
            series->name = "together";
            series->participants = xdg_all_executors;
        }
        if (series->report == NULL)
            return XH_ERR_MEMORY;
    }
    return XH_OK;
}

/* Measure a series. That of all executors together warms up twice, to learn
 * shares from warm devices. */
static xh_status_t run_all(xdg_rates_t *r, int64_t repeat)
{
    int last = r->count - 1;
    xh_status_t status = XH_OK;

    for (int i = 0; i <= last && status == XH_OK; i++)
        status = warm_up(r, &r->series[i]);
    if (status == XH_OK && last > 0)
        status = warm_up(r, &r->series[last]);
    for (int64_t round = 0; round < repeat && status == XH_OK; round++)
        for (int i = 0; i <= last && status == XH_OK; i++)
            status = compute(r, &r->series[i]);
    return status;
}

/* Find the median; of an even number of repetitions, the faster of the middle
 * two. */
static xh_status_t find_median(xdg_series_t *series, double flop)
{
    int count = (int)series->count;
    double *seconds;

    if (count == 0)
        return XH_OK;
    seconds = calloc((size_t)count, sizeof(*seconds));
    if (seconds == NULL)
        return XH_ERR_MEMORY;
    for (int i = 0; i < count; i++)
        seconds[i] = series->report[i].seconds;
    xh_sort(seconds, count);
    for (int i = 0; i < count; i++)
        if (series->report[i].seconds == seconds[(count - 1) / 2])
            series->median = &series->report[i];
    series->rate = flop / series->median->seconds;
    free(seconds);
    return XH_OK;
}

xh_status_t xdg_rates_measure(xdg_rates_t *rates, int64_t repeat)
{
    xh_status_t status = open_all(rates, repeat);

    if (status == XH_OK)
        status = run_all(rates, repeat);
    for (int i = 0; i < rates->count; i++) {
        xh_status_t found = find_median(&rates->series[i],
                                        xh_gemm_flop(&rates->problem->product));

        status = status == XH_OK ? found : status;
    }
    return status;
}

void xdg_rates_release(xdg_rates_t *rates)
{
    for (int i = 0; i < rates->count; i++) {
        xdg_series_t *series = &rates->series[i];

        free_reports(series);
        free(series->report);
    }
    rates->count = 0;
}

/* ---- what they say ------------------------------------------------------ */

const xdg_series_t *xdg_rates_together(const xdg_rates_t *rates)
{
    return rates->count > 1 ? &rates->series[rates->count - 1] : NULL;
}

double xdg_rates_sum(const xdg_rates_t *rates)
{
    double sum = 0.0;

    for (int i = 0; i < rates->gemm->executors.count; i++)
        if (!isnan(rates->series[i].rate))
            sum += rates->series[i].rate;
    return sum;
}

/* Print " 12.34", or a dash of the same width for NaN. */
static void print_number(FILE *out, int width, int digits, double x)
{
    if (isnan(x))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, " %*.*f", width, digits, x);
}

static void print_series(const xdg_series_t *series, FILE *out)
{
    double least = NAN, most = NAN;

    for (int64_t r = 0; r < series->count; r++) {
        least = fmin(least, series->report[r].seconds);
        most = fmax(most, series->report[r].seconds);
    }
    fprintf(out, "%-12s", series->name);
    print_number(out, 12, 2, series->rate / GIGA);
    print_number(out, 12, 6, series->median->seconds);
    print_number(out, 12, 6, least);
    print_number(out, 12, 6, most);
    fprintf(out, "\n");
}

static void print_rates(const xdg_rates_t *rates, FILE *out)
{
    const xdg_series_t *together = xdg_rates_together(rates);
    double sum = xdg_rates_sum(rates);

    fprintf(out, "%-12s %12s %12s %12s %12s\n", "computed by", "Gflop/s",
            "seconds", "least", "most");
    for (int i = 0; i < rates->count; i++)
        print_series(&rates->series[i], out);
    if (together == NULL)
        return;
    fprintf(out, "%-12s %12.2f\n", "sum", sum / GIGA);
    fprintf(out, "%-12s %12.4f   of the sum, by all together\n", "efficiency",
            together->rate / sum);
}

static void print_work(const xdg_series_t *series, int index, const char *name,
                       FILE *out)
{
    const hyb_work_t *w = xdg_work(series->median, index);

    if (!(w->flop > 0.0))
        return;
    fprintf(out, "%-12s %-8s %7lld", series->name, name, (long long)w->tiles);
    print_number(out, 7, 2, 100.0 * w->flop / xdg_work_flop(series->median));
    print_number(out, 10, 2, w->flop / w->compute_seconds / GIGA);
    print_number(out, 10, 6, w->compute_seconds);
    print_number(out, 10, 6, w->in_seconds);
    print_number(out, 10, 6, w->out_seconds);
    print_number(out, 7, 2, 100.0 * xdg_work_idle(series->median, index));
    print_number(out, 8, 3, (double)w->bytes_in / GIGA);
    print_number(out, 8, 3, (double)w->bytes_out / GIGA);
    fprintf(out, "\n");
}

static void print_all_work(const xdg_rates_t *rates, FILE *out)
{
    const xdg_executors_t *executors = &rates->gemm->executors;

    fprintf(out, "\n%-12s %-8s %7s %7s %10s %10s %10s %10s %7s %8s %8s\n",
            "computed by", "", "tiles", "flop %", "Gflop/s", "busy s", "in s",
            "out s", "idle %", "in GB", "out GB");
    for (int i = 0; i < rates->count; i++)
        for (int e = 0; e < executors->count; e++)
            print_work(&rates->series[i], e, executors->name[e], out);
}

void xdg_rates_print(const xdg_rates_t *rates, FILE *out)
{
    const xh_gemm_t *p = &rates->problem->product;
    const xdg_series_t *together = xdg_rates_together(rates);
    const hyb_report_t *report = together != NULL ? together->median : NULL;

    fprintf(out,
            "C := %g C + %g %s %s, m = %lld, n = %lld, k = %lld, median of "
            "%lld\n\n",
            p->beta, p->alpha, p->trans_a == XH_TRANS ? "A^T" : "A",
            p->trans_b == XH_TRANS ? "B^T" : "B", (long long)p->c.rows,
            (long long)p->c.cols, (long long)xh_gemm_depth(p),
            (long long)rates->series[0].count);
    print_rates(rates, out);
    print_all_work(rates, out);
    if (report != NULL && report->owner != NULL)
        fprintf(out,
                "\ntogether: %lld x %lld tiles of %lld x %lld, %lld deep; "
                "devices' share %.4f\n",
                (long long)report->tiling.rows, (long long)report->tiling.cols,
                (long long)report->tiling.tile_rows,
                (long long)report->tiling.tile_cols,
                (long long)report->tiling.depth, report->share);
    if (hyb_machine_models_time(rates->gemm->machine))
        fprintf(out, "\ntimes of emulated devices are a model's: emu_dry=on, "
                     "nothing was computed there\n");
}
