/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <time.h>

/* Return seconds since an arbitrary fixed moment, monotonic. */
typedef double (*xh_clock_fn_t)(void *context);

/* Now, in seconds, by the monotonic wall clock, or by the clock installed. */
double xh_clock_now(void);

/* Seconds shown by a clock of the system: CLOCK_REALTIME, ... */
double xh_clock_read(clockid_t clock);

/* Seconds of the monotonic wall clock, even if another clock is installed. */
double xh_clock_wall(void);

/* Convert seconds >= 0, a time or a duration, to a timespec. */
struct timespec xh_clock_timespec(double seconds);

/* Let this thread sleep for `seconds` >= 0; a signal ends the sleep. */
void xh_clock_sleep(double seconds);

/*
 * Let xh_clock_now return fn(context), the time of a model. If fn is NULL,
 * restore the wall clock.
 * Order: not while other threads read the clock.
 */
void xh_clock_install(xh_clock_fn_t fn, void *context);
