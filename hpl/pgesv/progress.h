/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hpl_types.h"

/*
 * The progress of a factorization on stderr, by the setting progress: nothing;
 * a line every ten seconds or more; a line whenever 2% more is done, and one at
 * the end; a live line.
 */
typedef enum { HPL_SILENT, HPL_SELDOM, HPL_OFTEN, HPL_LIVE } hpl_speech_t;

/* how far it is at some time */
typedef struct {
    double time, share; /* s of xh_clock_now; of the work done, 0 to 1 */
} hpl_progress_mark_t;

/* a test before it runs */
typedef struct {
    double seconds; /* that it should take; 0: unknown */
    bool disturbed; /* others had the cores while that was predicted: it may
                       take less, and is not compared */
    int64_t test, tests; /* its number, from 1, of so many; 0: alone */
    double flop_after;   /* of the tests that follow */
} hpl_expected_t;

typedef struct {
    int n;
    hpl_speech_t speech; /* of process 0 of the grid; others are silent */
    bool beside_live;    /* process 0 has a live line */
    hpl_expected_t expected;
    int devices;    /* of process 0; 0: none, */
    double at_work; /* s that they multiplied so far, all together */
    double started;
    hpl_progress_mark_t said;    /* at the last line */
    hpl_progress_mark_t mark[2]; /* 3 to 6 s ago; at most 3 s ago */
} hpl_progress_t;

/* What is known of the next factorization, that of a whole test. */
void hpl_progress_expect(const hpl_expected_t *expected);

/*
 * What comes before or after a factorization of order n begins now, which takes
 * a while where matrices are large: "checking the solution". NULL: it is over.
 */
void hpl_progress_phase(const HPL_T_grid *grid, int n, const char *what);

/* A factorization of order n begins now. */
hpl_progress_t hpl_progress_begin(const HPL_T_grid *grid, int n);

/*
 * `left` columns are left; 0 ends it.
 * Cost: reads the clock; prints at most a few lines per second.
 */
void hpl_progress_say(hpl_progress_t *progress, int64_t left);

/* The rate that all processes should reach, flop/s; 0: unknown. */
double hpl_progress_expected(const hpl_progress_t *progress);

/* The line as text, less than size characters. */
void hpl_progress_text(const hpl_progress_t *progress, int64_t left,
                       hpl_progress_mark_t at, char *text, size_t size);
