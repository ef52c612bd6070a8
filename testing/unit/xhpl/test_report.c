/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/report.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/hpl/reference_file.h"
#include "testing/unit/unit.h"

#include <math.h>

/* What upstream prints, line by line, is in system/test_reference_runs.py. */
enum { TEXT_SIZE = 16384 };

static char text[TEXT_SIZE];
static xhpl_report_t report;
static xhpl_parameters_t parameters;

/* Norms that the reference run of order 300 printed. */
static const hpl_norms_t norms_300 = {.a_inf = 81.371819,
                                      .a_one = 81.411922,
                                      .b_inf = 0.499679,
                                      .x_inf = 2.420555,
                                      .x_one = 183.297788,
                                      .r_inf = 1e-13};

/* Begin with parameters. */
static void begin_so(void)
{
    FILE *out;

    memset(text, 0, sizeof(text));
    out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    xhpl_report_begin(&report, out, &parameters);
}

static void begin(const char *dat)
{
    parameters = reference_file_parameters(dat);
    begin_so();
}

static void row(int64_t index, double seconds)
{
    xhpl_test_t test = xhpl_test_at(&parameters, index);

    xhpl_report_row(&report, &test, seconds, 0, 86399);
}

static void end(void)
{
    assert_ok(xhpl_report_end(&report));
    fclose(report.out);
}

TEST(the_ninth_value_of_a_list_opens_a_second_line)
{
    parameters = reference_file_parameters("upstream-2x2-n500.HPL.dat");
    parameters.list[XHPL_N].count = 17;
    for (int i = 0; i < 17; i++)
        parameters.list[XHPL_N].value[i] = 1000 + i;
    begin_so();
    end();
    assert_in(text, "     1006     1007 \n            1008     1009");
    assert_in(text, "     1014     1015 \n            1016 \nNB     :");
}

TEST(an_order_of_zero_has_a_rate_of_zero)
{
    assert_true(xhpl_report_rate(0, 0.0) == 0.0);
    assert_true(xhpl_report_rate(0, 1.0) == 0.0);
    assert_true(xhpl_report_rate(100, 0.0) == 0.0);
}

static void assert_failed(double residual, hpl_norms_t norms)
{
    begin("upstream-2x2-n500.HPL.dat");
    row(0, 0.5);
    xhpl_report_residual(&report, residual, &norms);
    end();
    assert_int_equal(report.failed, 1);
    assert_int_equal(report.passed, 0);
    assert_in(text, "...... FAILED\n||Ax-b||_oo  . ");
    assert_null(strstr(text, "PASSED"));
}

TEST(what_is_not_finite_has_failed)
{
    hpl_norms_t norms = norms_300;

    assert_failed(NAN, norms);
    assert_failed(INFINITY, norms);
    norms.x_inf = INFINITY;
    assert_failed(0.0, norms);
    norms = norms_300;
    norms.x_one = NAN;
    assert_failed(0.0, norms);
}

TEST_CALL(a_residual_at_the_threshold_has_failed,
          assert_failed(16.0, norms_300))

/* Words that parsers look for stand only where they belong. */
TEST(detailed_timings_are_six_lines_and_a_skipped_test_has_none)
{
    static const double seconds[XHPL_TIMINGS] = {1, 2, 3, 4, 5, 6.125};
    static const char *const never[] = {"WR", "WC", "PASSED", "FAILED", "_oo/"};

    begin("upstream-2x2-n500.HPL.dat");
    row(0, 0.5);
    xhpl_report_timings(&report, seconds);
    end();
    assert_in(text,
              "--VVV-\n"
              "Max aggregated wall time rfact . . . :               1.00\n");
    assert_in(text,
              "+ Max aggregated wall time laswp . . :               5.00\n"
              "Max aggregated wall time up tr sv  . :               6.12\n");
    begin("upstream-2x2-n500.HPL.dat");
    report.skipped++;
    end();
    assert_in(text, "Finished      1 tests");
    assert_in(text, "     1 tests skipped because of illegal input values.");
    for (size_t i = 0; i < COUNT_OF(never); i++)
        assert_null(strstr(text, never[i]));
}

TEST(a_full_disk_is_an_error)
{
    FILE *out = fopen("/dev/full", "w");

    assert_non_null(out);
    parameters = reference_file_parameters("upstream-2x2-n500.HPL.dat");
    xhpl_report_begin(&report, out, &parameters);
    assert_said(xhpl_report_end(&report), XH_ERR_IO, "cannot write the report");
    fclose(out);
}
