/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <time.h>

/* Seconds since some fixed moment, monotonic, in double. */
typedef double (*xh_clock_fn_t)(void *context);

/* Now, in seconds: the monotonic wall clock unless one was installed. */
double xh_clock_now(void);

/* Seconds that a clock of the system shows: CLOCK_REALTIME, ... */
double xh_clock_read(clockid_t clock);

/* The monotonic wall clock, in seconds, whatever is installed. */
double xh_clock_wall(void);

/* Of so many seconds, at least 0: a clock's, or a duration. */
struct timespec xh_clock_timespec(double seconds);

/* This thread sleeps for so many seconds, at least 0; a signal ends that. */
void xh_clock_sleep(double seconds);

/*
 * Let xh_clock_now return fn(context), the time of a model; fn NULL: the wall
 * clock again.
 * Order: not while other threads read the clock.
 */
void xh_clock_install(xh_clock_fn_t fn, void *context);
