/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_CLOCK_H
#define XH_CLOCK_H

/* Seconds since some fixed moment, monotonic, in double. */
typedef double (*xh_clock_fn_t)(void *context);

/* Now, in seconds: the wall's monotonic clock unless one was installed. */
double xh_clock_now(void);

/* The wall's monotonic clock, in seconds, whatever was installed. */
double xh_clock_wall(void);

/*
 * Let fn(context) answer xh_clock_now in this process: a model's time in
 * place of the wall's. fn NULL returns to the wall's clock.
 * Order: not while other threads read the clock.
 */
void xh_clock_install(xh_clock_fn_t fn, void *context);

#endif
