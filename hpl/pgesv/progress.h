/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PROGRESS_H
#define HPL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include "hpl_types.h"

/*
 * What a factorization says of itself on stderr while it runs, as the setting
 * progress has it:
 *
 *     auto  one live line on a terminal; else a line now and then, the first
 *           after some seconds
 *     on    the same on a terminal; else a line whenever 2% more is done, and
 *           one at the end
 *     off   nothing
 *     live  the live line, whatever stderr is: a launcher's pipe may lead to a
 *           terminal
 */
typedef enum { HPL_SILENT, HPL_SELDOM, HPL_OFTEN, HPL_LIVE } hpl_speech_t;

/* a moment of it */
typedef struct {
    double time, share; /* s of xh_clock_now; of the work, 0 to 1 */
} hpl_progress_mark_t;

typedef struct {
    int n;
    hpl_speech_t speech; /* of process 0 of the grid; others are silent */
    bool beside_live;    /* that one has a live line */
    double expected;     /* s that all of it should take; 0: not known */
    double started;
    hpl_progress_mark_t said;    /* when it spoke last */
    hpl_progress_mark_t mark[2]; /* some seconds ago, and a few */
} hpl_progress_t;

/* What a line tells. */
typedef struct {
    double share;      /* of the work that is done, 0 to 1 */
    int64_t left;      /* columns */
    double now, rate;  /* flop/s: lately, and from the beginning; 0: unknown */
    double prediction; /* share of the predicted rate; 0: none is known */
    double seconds;    /* that are left; below 0: unknown */
} hpl_progress_state_t;

/*
 * The next factorization, of a whole test, should take seconds; 0: not known.
 * Holds for one factorization.
 */
void hpl_progress_expect(double seconds);

/* A factorization of order n begins now. */
hpl_progress_t hpl_progress_begin(const HPL_T_grid *grid, int n);

/*
 * `left` columns are left; 0 ends it. Cost: a look at the clock, and a few
 * times a second at most a line.
 */
void hpl_progress_say(hpl_progress_t *progress, int64_t left);

/* The rate that all processes should reach, flop/s; 0: not known. */
double hpl_progress_expected(const hpl_progress_t *progress);

/* The line as text, less than size characters. */
void hpl_progress_text(const hpl_progress_state_t *state, char *text,
                       size_t size);

#endif
