/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_WATCHDOG_H
#define HYB_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A thread that says on stderr where this process stands when nothing was
 * finished for a while, and when it goes on. It calls no MPI. Time in which the
 * whole process is stopped does not count: then its peers speak.
 */

typedef struct {
    /* what is watched; the watchdog's thread calls these */
    uint64_t (*steps)(const void *context); /* that were finished so far */
    void (*where)(const void *context, char *text, size_t size);
    const void *context; /* outlives the watch */
    /* the watch's own */
    double patience; /* s; 0: it does not run */
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
 * dog  out  but for what is watched
 */
void hyb_watchdog_begin(hyb_watchdog_t *dog, double patience);
void hyb_watchdog_end(hyb_watchdog_t *dog);

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

#endif
