/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hybrid/observe/hang/state.h"

/*
 * What this process does, for those who watch it: hybrid/observe/hang/ while
 * that is open. Else a thread says on stderr where the process stands when
 * nothing was finished for a while, and when it goes on. Neither calls MPI.
 * Time in which the whole process is stopped does not count: then its peers
 * speak.
 */

typedef struct {
    /* what is watched; the watchdog's thread calls these */
    uint64_t (*steps)(const void *context); /* that were finished so far */
    void (*where)(const void *context, char *text, size_t size);
    /* does it wait for a message? below 0 or the panel of which iteration that
     * is; NULL: it says so itself (hpl/comm/waits.h) */
    bool (*waits)(const void *context, int *panel_p);
    const void *context; /* outlives the watch */
    /* the watch's own */
    double patience; /* s; 0: there is no watch */
    bool alone;      /* by a thread of its own */
    bool over;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards over */
    pthread_cond_t wake;
    uint64_t seen; /* steps, at the last look */
    double still;  /* s since another number was seen */
    bool said;
} hyb_watchdog_t;

/*
 * Watch from now on, with that patience in seconds. If no thread can be had
 * there is no watch.
 *
 * dog  in,out  all 0 but for what is watched
 */
void hyb_watchdog_begin(hyb_watchdog_t *dog, double patience);
void hyb_watchdog_end(hyb_watchdog_t *dog);

/* From now on watches begin without threads of their own, or again with them.
 * Order: not during a watch */
void hyb_watchdog_leave_to_hang(bool to_hang);

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
void hyb_phase_begin(hyb_phase_t *phase, const char *doing, double patience);

/* Some of it is done. Any thread. */
void hyb_phase_step(hyb_phase_t *phase);

void hyb_phase_end(hyb_phase_t *phase);
