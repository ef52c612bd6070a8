/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/report.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/log.h"

#define DOUBLE_RULE                                                            \
    "========================================"                                 \
    "========================================\n"
#define SINGLE_RULE                                                            \
    "----------------------------------------"                                 \
    "----------------------------------------\n"
#define TESTS "         %6" PRId64 " tests "

enum { VALUES_A_LINE = 8 };

static void print_banner(FILE *out)
{
    fputs(DOUBLE_RULE
          "HPLinpack 2.3  --  High-Performance Linpack benchmark  --   "
          "December 2, 2018\n"
          "Run by xhpl " XH_VERSION ", a new implementation of this "
          "benchmark\n"
          "Same matrices, parameters and report; all code written anew\n"
          "Distributed under the 3-clause BSD license\n" DOUBLE_RULE "\n"
          "An explanation of the input/output parameters follows:\n"
          "T/V    : Wall time / encoded variant.\n"
          "N      : The order of the coefficient matrix A.\n"
          "NB     : The partitioning blocking factor.\n"
          "P      : The number of process rows.\n"
          "Q      : The number of process columns.\n"
          "Time   : Time in seconds to solve the linear system.\n"
          "Gflops : Rate of execution for solving the linear system.\n"
          "\n"
          "The following parameter values will be used:\n"
          "\n",
          out);
}

static void print_list(FILE *out, const xhpl_quantity_row_t *row,
                       const xhpl_list_t *list)
{
    for (int i = 0; i < list->count; i++) {
        if (i > 0 && i % VALUES_A_LINE == 0)
            fprintf(out, "\n        ");
        if (row->forms == NULL)
            fprintf(out, "%8d ", list->value[i]);
        else
            fprintf(out, "%8s ", row->forms[list->value[i] - row->least]);
    }
}

static void print_single(FILE *out, xhpl_quantity_t quantity,
                         const xhpl_parameters_t *parameters)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    int value = xhpl_parameters_value(parameters, quantity);

    if (quantity == XHPL_ALIGN)
        fprintf(out, " %d double precision words", value);
    else
        fprintf(out, " %s", row->forms[value - row->least]);
    if (quantity == XHPL_SWAP && value == XHPL_SWAP_MIX)
        fprintf(out, " (threshold = %d)",
                xhpl_parameters_value(parameters, XHPL_SWAP_THRESHOLD));
}

static void print_parameters(FILE *out, const xhpl_parameters_t *parameters)
{
    for (int q = 0; q < XHPL_QUANTITIES; q++) {
        const xhpl_quantity_row_t *row = xhpl_quantity(q);

        if (row->label == NULL)
            continue;
        fprintf(out, "%-7s:", row->label);
        if (row->count_line > 0)
            print_list(out, row, &parameters->list[q]);
        else
            print_single(out, q, parameters);
        fputc('\n', out);
    }
    fputc('\n', out);
}

static void print_check(FILE *out, double threshold)
{
    fprintf(out,
            SINGLE_RULE
            "\n"
            "- The matrix A is randomly generated for each test.\n"
            "- The following scaled residual check will be computed:\n"
            "      ||Ax-b||_oo / ( eps * ( || x ||_oo * || A ||_oo + "
            "|| b ||_oo ) * N )\n"
            "- The relative machine precision (eps) is taken to be "
            "%26.6e\n"
            "- Computational tests pass if scaled residuals are less than "
            "%19.1f\n"
            "\n",
            DBL_EPSILON / 2, threshold);
}

/* Are residuals checked? */
static bool checks(const xhpl_report_t *report)
{
    return report->parameters->threshold > 0;
}

double xhpl_report_rate(int n, double seconds)
{
    double flop = (2.0 / 3.0 * n + 1.5) * n * n;

    return seconds > 0 ? flop / seconds / 1e9 : 0;
}

void xhpl_report_tag(const xhpl_parameters_t *parameters,
                     const xhpl_test_t *test, char tag_p[XHPL_TAG_SIZE])
{
    static const char variants[] = "LCR", orders[] = "RC";

    snprintf(tag_p, XHPL_TAG_SIZE, "W%c%d%d%c%d%c%d",
             orders[xhpl_parameters_value(parameters, XHPL_PMAP)], test->depth,
             test->bcast, variants[test->rfact], test->ndiv,
             variants[test->pfact], test->nbmin);
}

void xhpl_report_begin(xhpl_report_t *report, FILE *out,
                       const xhpl_parameters_t *parameters)
{
    *report = (xhpl_report_t){.out = out, .parameters = parameters};
    print_banner(out);
    print_parameters(out, parameters);
    if (checks(report))
        print_check(out, parameters->threshold);
    fflush(out);
}

static void print_moment(FILE *out, const char *what, time_t moment)
{
    char text[64]; /* ctime's 26 bytes; more for a year of five digits */

    if (ctime_r(&moment, text) != NULL)
        fprintf(out, "HPL_pdgesv() %s %s\n", what, text);
}

void xhpl_report_row(xhpl_report_t *report, const xhpl_test_t *test,
                     double seconds, time_t start, time_t end)
{
    char tag[XHPL_TAG_SIZE];

    if (checks(report) || !report->headed)
        fputs(DOUBLE_RULE
              "T/V                N    NB     P     Q"
              "               Time                 Gflops\n" SINGLE_RULE,
              report->out);
    report->headed = true;
    report->unchecked += !checks(report);
    xhpl_report_tag(report->parameters, test, tag);
    fprintf(report->out, "%s%12d %5d %5d %5d %18.2f    %19.4e\n", tag, test->n,
            test->nb, test->nprow, test->npcol, seconds,
            xhpl_report_rate(test->n, seconds));
    print_moment(report->out, "start time", start);
    print_moment(report->out, "end time  ", end);
    fflush(report->out);
}

void xhpl_report_timings(xhpl_report_t *report,
                         const double seconds[XHPL_TIMINGS])
{
    static const char *const names[XHPL_TIMINGS] = {
        "Max aggregated wall time rfact . . . :",
        "+ Max aggregated wall time pfact . . :",
        "+ Max aggregated wall time mxswp . . :",
        "Max aggregated wall time update  . . :",
        "+ Max aggregated wall time laswp . . :",
        "Max aggregated wall time up tr sv  . :",
    };

    fputs("--VVV--VVV--VVV--VVV--VVV--VVV--VVV--VVV"
          "--VVV--VVV--VVV--VVV--VVV--VVV--VVV-\n",
          report->out);
    for (int i = 0; i < XHPL_TIMINGS; i++)
        fprintf(report->out, "%s %18.2f\n", names[i], seconds[i]);
}

static bool all_finite(const hpl_norms_t *norms)
{
    return isfinite(norms->a_inf) && isfinite(norms->a_one) &&
           isfinite(norms->b_inf) && isfinite(norms->x_inf) &&
           isfinite(norms->x_one) && isfinite(norms->r_inf);
}

static void print_norms(FILE *out, const hpl_norms_t *norms)
{
    const struct {
        const char *name;
        double value;
    } lines[] = {
        {"||Ax-b||_oo  . . . . . . . . . . . . . . . . . =", norms->r_inf},
        {"||A||_oo . . . . . . . . . . . . . . . . . . . =", norms->a_inf},
        {"||A||_1  . . . . . . . . . . . . . . . . . . . =", norms->a_one},
        {"||x||_oo . . . . . . . . . . . . . . . . . . . =", norms->x_inf},
        {"||x||_1  . . . . . . . . . . . . . . . . . . . =", norms->x_one},
        {"||b||_oo . . . . . . . . . . . . . . . . . . . =", norms->b_inf},
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        fprintf(out, "%s %18.6f\n", lines[i].name, lines[i].value);
}

bool xhpl_report_residual(xhpl_report_t *report, double residual,
                          const hpl_norms_t *norms)
{
    bool passed = residual < report->parameters->threshold && all_finite(norms);

    fprintf(report->out,
            SINGLE_RULE "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= "
                        "%16.8e ...... %s\n",
            residual, passed ? "PASSED" : "FAILED");
    if (!passed)
        print_norms(report->out, norms);
    report->passed += passed;
    report->failed += !passed;
    fflush(report->out);
    return passed;
}

xh_status_t xhpl_report_end(xhpl_report_t *report)
{
    FILE *out = report->out;

    fprintf(out,
            DOUBLE_RULE "\nFinished %6" PRId64
                        " tests with the following results:\n",
            report->passed + report->failed + report->unchecked +
                report->skipped);
    if (checks(report))
        fprintf(out,
                TESTS "completed and passed residual checks,\n" TESTS
                      "completed and failed residual checks,\n",
                report->passed, report->failed);
    else
        fprintf(out, TESTS "completed without checking,\n", report->unchecked);
    fprintf(out,
            TESTS "skipped because of illegal input values.\n" SINGLE_RULE
                  "\nEnd of Tests.\n" DOUBLE_RULE,
            report->skipped);
    if (fflush(out) == 0 && !ferror(out))
        return XH_OK;
    xh_log_error("cannot write the report: %s", strerror(errno));
    return XH_ERR_IO;
}
