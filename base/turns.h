/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Seconds of a thread: on a core, and ready to run while others had it. */
typedef struct {
    double ran, waited;
} xh_turns_t;

/* Of a thread's time: more is too much for others. */
#define XH_TURNS_CROWDED 0.1

/*
 * Those of the calling thread so far, as the system accounts for it.
 *
 * file     in,out  the thread's own: 0 at first, for close() if above; below 0:
 *                  the system does not tell
 * turns_p  out     zeros where the system does not tell: then false
 */
bool xh_turns_read(int *file, xh_turns_t *turns_p);

/* Those of all threads of this process together; zeros likewise. */
xh_turns_t xh_turns_of_process(void);

/* The part of the time between two moments that others had: 0 to 1. */
double xh_turns_of_others(const xh_turns_t *from, const xh_turns_t *to);
