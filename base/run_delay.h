/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Seconds of a thread: on a core, and ready to run while others had it. */
typedef struct {
    double ran, waited;
} xh_run_delay_t;

/* Of a thread's time: more is too much for others. */
#define XH_TURNS_CROWDED 0.1

/*
 * Those of the calling thread so far, as the system accounts for it.
 *
 * file     in,out  the thread's own: 0 at first, for close() if above; below 0:
 *                  the system does not tell
 * turns_p  out     zeros where the system does not tell: then false
 */
bool xh_run_delay_read(int *file, xh_run_delay_t *turns_p);

/* Those of all threads of this process together; zeros likewise. */
xh_run_delay_t xh_run_delay_of_process(void);

/* The part of the time between two moments that others had: 0 to 1. */
double xh_run_delay_of_others(const xh_run_delay_t *from,
                              const xh_run_delay_t *to);
