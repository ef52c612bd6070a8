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
 * is stopped does not count, because then the other processes report it.
 */

/* An activity to watch. The watching thread calls its functions. */
typedef struct {
    /* Return the number of finished steps. */
    uint64_t (*steps)(const void *context);
    /* Write the current position: "iteration 7 of 40, ..." */
    void (*describe)(const void *context, char *text, size_t size);
    /* Does the activity wait for a message? *panel_p is the panel that it waits
     * for, or negative. NULL: waits are published (hpl/comm/waits.h). */
    bool (*is_waiting)(const void *context, int *panel_p);
    const void *context;
} hyb_watchdog_t;

/* Watch `watchdog` in place of an earlier one, until end. hyb_watchdog_end
 * accepts a watchdog of all zeros. */
void hyb_watchdog_begin(const hyb_watchdog_t *watchdog);
void hyb_watchdog_end(const hyb_watchdog_t *watchdog);

/* Get the state of this process, `gap` seconds after the last call. Order: only
 * one thread may call this. */
void hyb_watchdog_state(double gap, hyb_state_t *state_p);

/*
 * The setting `watchdog`, in seconds; 0 if MPI allows no second thread. Order:
 * only the thread that calls MPI may call this.
 */
double hyb_watchdog_patience(void);

/* A watched part of the run other than the factorization. */
typedef struct {
    const char *name; /* "generating the matrix" */
    _Atomic uint64_t steps;
    hyb_watchdog_t watchdog;
} hyb_phase_t;

/* Begin a phase; `name` is static memory. */
void hyb_phase_begin(hyb_phase_t *phase, const char *name);

/* Count a finished step. Any thread may call this. */
void hyb_phase_step(hyb_phase_t *phase);

void hyb_phase_end(hyb_phase_t *phase); /* accepts a phase of all zeros */
