/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/table.h"

#include <math.h>
#include "base/product.h"

#define GIGA 1e9

/* " 12.34", or as wide a dash for a NaN. */
static void print_number(FILE *out, int width, int digits, double x)
{
    if (isnan(x))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, " %*.*f", width, digits, x);
}

static void print_head(const xdg_rates_t *rates, const xh_gemm_t *p, FILE *out)
{
    fprintf(out,
            "C := %g C + %g %s %s, m = %lld, n = %lld, k = %lld, median of "
            "%lld\n\n",
            p->beta, p->alpha, p->trans_a == XH_TRANS ? "A^T" : "A",
            p->trans_b == XH_TRANS ? "B^T" : "B", (long long)p->c.rows,
            (long long)p->c.cols, (long long)xh_gemm_depth(p),
            (long long)rates->series[0].count);
}

static void print_series(const xdg_series_t *series, double flop, FILE *out)
{
    const hyb_report_t *report = xdg_series_median(series);
    double least, most;

    xdg_series_range(series, &least, &most);
    fprintf(out, "%-12s", series->name);
    print_number(out, 12, 2, xdg_series_rate(series, flop) / GIGA);
    print_number(out, 12, 6, report == NULL ? NAN : report->seconds);
    print_number(out, 12, 6, least);
    print_number(out, 12, 6, most);
    fprintf(out, "%s\n", report == NULL ? "  failed" : "");
}

static void print_rates(const xdg_rates_t *rates, double flop, FILE *out)
{
    const xdg_series_t *together = xdg_rates_together(rates);
    double sum = xdg_rates_sum(rates, flop);

    fprintf(out, "%-12s %12s %12s %12s %12s\n", "computed by", "Gflop/s",
            "seconds", "least", "most");
    for (int i = 0; i < rates->count; i++)
        print_series(&rates->series[i], flop, out);
    if (together == NULL)
        return;
    fprintf(out, "%-12s %12.2f\n", "sum", sum / GIGA);
    fprintf(out, "%-12s %12.4f   of the sum, by all together\n", "efficiency",
            xdg_series_rate(together, flop) / sum);
}

static void print_work(const xdg_series_t *series, int index, const char *name,
                       FILE *out)
{
    const hyb_report_t *report = xdg_series_median(series);
    const hyb_work_t *w = xdg_executors_work(report, index);

    if (!(w->flop > 0.0) && !w->dropped)
        return;
    fprintf(out, "%-12s %-8s %7lld", series->name, name, (long long)w->tiles);
    print_number(out, 7, 2, 100.0 * w->flop / xdg_executors_flop(report));
    print_number(out, 10, 2, w->flop / w->compute_seconds / GIGA);
    print_number(out, 10, 6, w->compute_seconds);
    print_number(out, 10, 6, w->in_seconds);
    print_number(out, 10, 6, w->out_seconds);
    print_number(out, 7, 2, 100.0 * xdg_executors_idle(report, index));
    print_number(out, 8, 3, (double)w->bytes_in / GIGA);
    print_number(out, 8, 3, (double)w->bytes_out / GIGA);
    fprintf(out, "%s\n", w->dropped ? "  dropped" : "");
}

static void print_all_work(const xdg_rates_t *rates,
                           const xdg_executors_t *executors, FILE *out)
{
    fprintf(out, "\n%-12s %-8s %7s %7s %10s %10s %10s %10s %7s %8s %8s\n",
            "computed by", "", "tiles", "flop %", "Gflop/s", "busy s", "in s",
            "out s", "idle %", "in GB", "out GB");
    for (int i = 0; i < rates->count; i++)
        for (int e = 0; e < executors->count; e++)
            if (xdg_series_median(&rates->series[i]) != NULL)
                print_work(&rates->series[i], e, executors->name[e], out);
}

static void print_tiling(const xdg_rates_t *rates, FILE *out)
{
    const xdg_series_t *together = xdg_rates_together(rates);
    const hyb_report_t *report =
        together == NULL ? NULL : xdg_series_median(together);
    const hyb_tiling_t *t;

    if (report == NULL || report->owner == NULL)
        return;
    t = &report->tiling;
    fprintf(out,
            "\ntogether: %lld x %lld tiles of %lld x %lld, %lld deep; devices' "
            "share %.4f\n",
            (long long)t->rows, (long long)t->cols, (long long)t->tile_rows,
            (long long)t->tile_cols, (long long)t->depth, report->share);
}

void xdg_table_print(const xdg_rates_t *rates, const xdg_executors_t *executors,
                     const xh_gemm_t *product, FILE *out)
{
    print_head(rates, product, out);
    print_rates(rates, xh_gemm_flop(product), out);
    print_all_work(rates, executors, out);
    print_tiling(rates, out);
    if (xdg_executors_model(executors))
        fprintf(out, "\ntimes of emulated devices are a model's: emu_dry=on, "
                     "nothing was computed there\n");
}
