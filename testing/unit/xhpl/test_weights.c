/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/weights.h"

#include <stdio.h>
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"

enum { PROCESSES = 4 };

static const char *const hosts[] = {"n1.site", "n2.site", "n17", "n17"};

static xh_status_t parse(const char *text, double *rate)
{
    char copy[256];

    snprintf(copy, sizeof(copy), "%s", text);
    return xhpl_weights_parse("rates", copy, PROCESSES, hosts, rate);
}

static void assert_rates(const char *text, double a, double b, double c,
                         double d)
{
    const double expected[] = {a, b, c, d};
    double rate[PROCESSES];

    assert_ok(parse(text, rate));
    for (int i = 0; i < PROCESSES; i++)
        assert_true(rate[i] == expected[i]);
}

/* A rank counts more than its host; comments, blanks and other hosts are passed
 * over. */
TEST(hosts_and_ranks_have_rates)
{
    assert_rates("n1 1\nn2.site 2.5\nN17 3e2\n", 1.0, 2.5, 300.0, 300.0);
    assert_rates("n17 1\nn2 1\nn1 1", 1.0, 1.0, 1.0, 1.0);
    assert_rates("0 1\n1 2\n2 3\n3 4\n", 1.0, 2.0, 3.0, 4.0);
    assert_rates("n1 1\nn2 1\nn17 2\n2 5\n", 1.0, 1.0, 5.0, 2.0);
    assert_rates("2 5\nn1 1\nn2 1\nn17 2\n", 1.0, 1.0, 5.0, 2.0);
    assert_rates("# all\r\n\n  n1\t1 # slow\r\nn2 1\nn3 9\nn17 1\n", 1.0, 1.0,
                 1.0, 1.0);
}

static void assert_refused(const char *text, const char *said)
{
    double rate[PROCESSES];

    assert_said(parse(text, rate), XH_ERR_INPUT, said);
}

TEST(what_cannot_be_is_refused)
{
    assert_refused("n1\n", "rates:1: 'n1' needs one rate above 0");
    assert_refused("n1 1\nn2 fast\n", "rates:2: 'n2' needs one rate");
    assert_refused("n1 0\n", "'n1' needs one rate");
    assert_refused("n1 -1\n", "'n1' needs one rate");
    assert_refused("n1 nan\n", "'n1' needs one rate");
    assert_refused("n1 inf\n", "'n1' needs one rate");
    assert_refused("n1 1x\n", "'n1' needs one rate");
    assert_refused("n1 1 2\n", "'n1' needs one rate");
    assert_refused("4 1\n", "this run has no rank 4: it has 4 processes");
    assert_refused("99999999999999999999 1\n", "this run has no rank");
    assert_refused("1 1\n1 2\n", "rates:2: 1 has a rate in line 1 already");
    assert_refused("n17 1\nN17 2\n", "N17 has a rate in line 1 already");
    assert_refused("n1 1\nn2 1\n", "no rate for rank 2 on host n17");
    assert_refused("", "no rate for rank 0 on host n1.site");
}

/* ---- process columns ----------------------------------------------------- */

static xhpl_weights_t *of_six(void)
{
    static const double rate[] = {4.0, 2.0, 3.0, 1.0, 2.0, 6.0};
    xhpl_weights_t *weights = malloc(sizeof(*weights) + sizeof(rate));

    assert_non_null(weights);
    weights->processes = 6;
    memcpy(weights->rate, rate, sizeof(rate));
    return weights;
}

static void assert_column(const xhpl_weights_t *weights, HPL_T_ORDER order,
                          int column, double rate, int slowest, int fastest)
{
    const xhpl_test_t test = {.nprow = 2, .npcol = 3, .n = 100, .nb = 10};
    int least, most;

    assert_true(xhpl_weights_column(weights, order, &test, column, &least,
                                    &most) == rate);
    assert_int_equal(least, slowest);
    assert_int_equal(most, fastest);
}

TEST(the_slowest_process_of_a_column_counts)
{
    xhpl_weights_t *weights = of_six();

    assert_column(weights, HPL_ROW_MAJOR, 0, 1.0, 3, 0);
    assert_column(weights, HPL_ROW_MAJOR, 1, 2.0, 1, 1);
    assert_column(weights, HPL_ROW_MAJOR, 2, 3.0, 2, 5);
    assert_column(weights, HPL_COLUMN_MAJOR, 0, 2.0, 1, 0);
    assert_column(weights, HPL_COLUMN_MAJOR, 1, 1.0, 3, 2);
    assert_column(weights, HPL_COLUMN_MAJOR, 2, 2.0, 4, 5);
    free(weights);
}
