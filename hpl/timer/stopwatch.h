/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_STOPWATCH_H
#define HPL_STOPWATCH_H

#include <stdbool.h>
#include "hpl_timer.h"

/* Wall and CPU seconds, as a moment or as a length of time. */
typedef struct {
    double wall, cpu;
} hpl_seconds_t;

/* A set of stopwatches that are enabled and disabled together. */
typedef struct {
    bool disabled;
    struct {
        bool runs;
        hpl_seconds_t started; /* when, while it runs */
        hpl_seconds_t total;   /* of the times it has run */
    } slot[HPL_NTIMER];
} hpl_stopwatches_t;

/* Wall clock (base/clock.h) and CPU time of this process, now. */
hpl_seconds_t hpl_seconds_now(void);

/* Start slot i, or stop it and add up. Nothing while disabled. */
void hpl_stopwatch_toggle(hpl_stopwatches_t *set, int i);

/* What slot i has added up; HPL_TIMER_ERROR in both while disabled. */
hpl_seconds_t hpl_stopwatch_read(const hpl_stopwatches_t *set, int i);

#endif
