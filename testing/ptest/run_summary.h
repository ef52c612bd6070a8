/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "testing/ptest/test_list.h"

/*
 * What a run has done so far, reported to people on stderr by process 0. Any
 * thread may call the functions.
 */

/* Begin a run of `tests` tests; each is run `runs` times in a row. */
void xhpl_summary_begin(int64_t tests, int runs);

/* A test begins; returns its number, from 1. */
int64_t xhpl_summary_start(const xhpl_test_t *test);

/*
 * The current test ends. After the last of several runs of a test, report their
 * mean and spread.
 * rate  in  flop/s; 0: no valid result
 */
void xhpl_summary_end(double rate);

/*
 * Report the fastest test, if there were several, or if the ceiling is known.
 * ceiling  in  flop/s that the cores reach in multiply-adds alone; 0: unknown
 */
void xhpl_summary_report_best(double ceiling);

/* Report which tests have finished and which has not, if a run is under way. */
void xhpl_summary_report_interrupted(void);
