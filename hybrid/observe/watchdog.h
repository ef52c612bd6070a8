/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hybrid/observe/hang/state.h"

/*
 * What this process does, for the thread that watches it
 * (hybrid/observe/hang/), which calls no MPI. Time in which the whole process
 * is stopped does not count: then its peers speak.
 */

typedef struct { /* what is watched; the thread calls these */
    uint64_t (*steps)(const void *context); /* that were finished so far */
    void (*where)(const void *context, char *text, size_t size);
    /* does it wait for a message? below 0 or the panel of which iteration that
     * is; NULL: it says so itself (hpl/comm/waits.h) */
    bool (*waits)(const void *context, int *panel_p);
    const void *context;
} hyb_watchdog_t;

/* Watch that from now on, in place of what was begun before, until the end.
 * end: accepts one that is all 0. */
void hyb_watchdog_begin(const hyb_watchdog_t *dog);
void hyb_watchdog_end(const hyb_watchdog_t *dog);

/* What this process does now, gap seconds after the last call. Order: one
 * thread. */
void hyb_watchdog_state(double gap, hyb_state_t *state_p);

/*
 * The patience of the setting watchdog; 0 where MPI allows no second thread.
 * Order: the thread that calls MPI.
 */
double hyb_watchdog_patience(void);

/* Work beside the factorization, which a watchdog watches. */
typedef struct {
    const char *doing;      /* "generating the matrix" */
    _Atomic uint64_t steps; /* that were finished */
    hyb_watchdog_t dog;
} hyb_phase_t;

/* It begins; doing outlives it. */
void hyb_phase_begin(hyb_phase_t *phase, const char *doing);

/* Some of it is done. Any thread. */
void hyb_phase_step(hyb_phase_t *phase);

void hyb_phase_end(hyb_phase_t *phase); /* accepts one that is all 0 */
