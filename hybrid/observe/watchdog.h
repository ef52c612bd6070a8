/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hybrid/observe/hang/state.h"

/*
 * The progress of this process, for the thread that watches it
 * (hybrid/observe/hang/), which calls no MPI. Time in which the whole process
 * is stopped does not count: then the other processes report it.
 */

/* What is watched. The watching thread calls the functions. */
typedef struct {
    /* How many steps have been finished? */
    uint64_t (*steps)(const void *context);
    /* Write what is done now: "iteration 7 of 40, ..." */
    void (*describe)(const void *context, char *text, size_t size);
    /* Does it wait for a message? *panel_p is the panel it waits for, or below
     * 0. NULL: it publishes its waits (hpl/comm/waits.h). */
    bool (*is_waiting)(const void *context, int *panel_p);
    const void *context;
} hyb_watchdog_t;

/* Watch this one instead of an earlier one, until end. hyb_watchdog_end accepts
 * a watchdog that is all 0. */
void hyb_watchdog_begin(const hyb_watchdog_t *watchdog);
void hyb_watchdog_end(const hyb_watchdog_t *watchdog);

/* The state of this process, gap seconds after the last call. Order: one
 * thread. */
void hyb_watchdog_state(double gap, hyb_state_t *state_p);

/*
 * The setting watchdog, in seconds; 0 where MPI allows no second thread.
 * Order: the thread that calls MPI.
 */
double hyb_watchdog_patience(void);

/* A watched part of the run beside the factorization. */
typedef struct {
    const char *name; /* "generating the matrix" */
    _Atomic uint64_t steps;
    hyb_watchdog_t watchdog;
} hyb_phase_t;

/* Begin phase; name is static memory. */
void hyb_phase_begin(hyb_phase_t *phase, const char *name);

/* Count a finished step. Any thread. */
void hyb_phase_step(hyb_phase_t *phase);

void hyb_phase_end(hyb_phase_t *phase); /* accepts one that is all 0 */
