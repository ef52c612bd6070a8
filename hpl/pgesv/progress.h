/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hpl_types.h"

/*
 * How the progress of a factorization is reported on stderr, by the setting
 * `progress`: not at all; by a line every ten seconds or more; by a line per 2%
 * of the work, and one at the end; or by a live line.
 */
typedef enum { HPL_SILENT, HPL_SELDOM, HPL_OFTEN, HPL_LIVE } hpl_speech_t;

/* The progress at some time. */
typedef struct {
    double time, share; /* s by xh_clock_now; fraction of the work done */
} hpl_progress_mark_t;

/* What is known of a test before it runs. */
typedef struct {
    double seconds; /* predicted time of the test; 0: unknown */
    bool disturbed; /* other programs used the cores during the prediction, so
                       that it is not compared */
    int64_t test, tests; /* test number, from 1; tests; 0: only one */
    double flop_after;   /* flop of all later tests */
} hpl_expected_t;

typedef struct {
    int n;
    hpl_speech_t speech; /* of process 0; other processes are silent */
    bool beside_live;    /* does process 0 have a live line? */
    hpl_expected_t expected;
    int devices;    /* number of devices of process 0; if 0, */
    double at_work; /* s that all devices have multiplied so far */
    double started;
    hpl_progress_mark_t said;    /* at the last line reported */
    hpl_progress_mark_t mark[2]; /* 3 to 6 s ago; at most 3 s ago */
} hpl_progress_t;

/* Set what is known of the next factorization, that of a whole test. */
void hpl_progress_expect(const hpl_expected_t *expected);

/*
 * Report a phase before or after a factorization of order n, if matrices are so
 * large that it takes a while: "checking the solution". NULL: the phase is
 * over.
 */
void hpl_progress_phase(const HPL_T_grid *grid, int n, const char *what);

/* Begin to report a factorization of order n. */
hpl_progress_t hpl_progress_begin(const HPL_T_grid *grid, int n);

/*
 * Report the progress if it is time; `left` columns are left; 0 ends the
 * report.
 * Cost: reads the clock; prints at most a few lines per second.
 */
void hpl_progress_say(hpl_progress_t *progress, int64_t left);

/* The flop/s that all processes together should reach; 0: unknown. */
double hpl_progress_expected(const hpl_progress_t *progress);

/* Write the line as text, in less than `size` characters. */
void hpl_progress_text(const hpl_progress_t *progress, int64_t left,
                       hpl_progress_mark_t at, char *text, size_t size);
