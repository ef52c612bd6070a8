/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Seconds of a thread: on a core, and ready while other threads had the core.
 */
typedef struct {
    double ran, waited;
} xh_run_delay_t;

/* Largest share of waiting in a thread's time on cores that are not crowded. */
#define XH_RUN_DELAY_CROWDED 0.1

/*
 * Read the times of the calling thread so far, from the system's accounts.
 *
 * file     in,out  the thread's own: 0 at first, for close() if above; below 0:
 *                  the system does not tell
 * delay_p  out     zeros where the system does not tell: then false
 */
bool xh_run_delay_read(int *file, xh_run_delay_t *delay_p);

/* Return the sums over all threads of this process; zeros if unknown. */
xh_run_delay_t xh_run_delay_of_process(void);

/* Return the share of waiting in the time between two readings: 0 to 1. */
double xh_run_delay_of_others(const xh_run_delay_t *from,
                              const xh_run_delay_t *to);
