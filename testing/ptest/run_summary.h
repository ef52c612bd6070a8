/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "testing/ptest/test_list.h"

/*
 * What a run has done so far, for people, on stderr: on process 0. Any thread
 * may ask for it.
 */

/* So many tests are to come, each `runs` times in turn. */
void xhpl_summary_begin(int64_t tests, int runs);

/* One begins; returns its number, from 1. */
int64_t xhpl_summary_start(const xhpl_test_t *test);

/*
 * The last one that began is over. After the last of several runs, their mean
 * and spread are said.
 * rate  in  flop/s; 0: it has no result that counts
 */
void xhpl_summary_end(double rate);

/*
 * Say which test was the fastest, if there were several, or if the ceiling is
 * known.
 * ceiling  in  flop/s that the cores reach in multiply-adds alone; 0: unknown
 */
void xhpl_summary_report_best(double ceiling);

/* Say what was finished and what was not, if a run is under way. */
void xhpl_summary_report_interrupted(void);
