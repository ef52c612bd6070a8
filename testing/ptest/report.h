/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include "base/status.h"
#include "hpl_solver.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/test_list.h"

/*
 * The report of a run on its output device: line for line the text of HPL 2.3,
 * which other programs parse. Nothing else is written there.
 */
typedef struct {
    FILE *out;
    const xhpl_parameters_t *parameters;
    bool headed; /* the header of the rows has been printed */
    int64_t passed, failed, unchecked;
    int64_t skipped; /* tests that could not be run; the caller counts them */
} xhpl_report_t;

enum { XHPL_TIMINGS = 6 }; /* rfact, pfact, mxswp, update, laswp, up tr sv */

/* Gflop/s of a system of order n: (2/3 n^3 + 3/2 n^2) / seconds / 10^9. */
double xhpl_report_rate(int n, double seconds);

/* HPL's name of the variant of test, such as WR11C2R4. */
enum { XHPL_TAG_SIZE = 64 };
void xhpl_report_tag(const xhpl_parameters_t *parameters,
                     const xhpl_test_t *test, char tag_p[XHPL_TAG_SIZE]);

/*
 * Start the report of a run with parameters, which outlive it.
 * Owns: out remains the caller's.
 */
void xhpl_report_begin(xhpl_report_t *report, FILE *out,
                       const xhpl_parameters_t *parameters);

/*
 * Print the row of a solved test, and count it if it is not checked.
 * seconds  in  of the slowest process
 */
void xhpl_report_row(xhpl_report_t *report, const xhpl_test_t *test,
                     double seconds, time_t start, time_t end);

/* Print the block of detailed timings (seconds) that may follow a row. */
void xhpl_report_timings(xhpl_report_t *report,
                         const double seconds[XHPL_TIMINGS]);

/*
 * Print the residual of the last test and PASSED or FAILED, and count it;
 * returns whether it passed. A residual or a norm that is not finite fails.
 */
bool xhpl_report_residual(xhpl_report_t *report, double residual,
                          const hpl_norms_t *norms);

/*
 * Print the closing block.
 * Errors: XH_ERR_IO  the report is incomplete: reported
 */
xh_status_t xhpl_report_end(xhpl_report_t *report);
