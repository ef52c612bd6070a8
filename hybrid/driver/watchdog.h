/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_WATCHDOG_H
#define HYB_WATCHDOG_H

#include <pthread.h>
#include <stdbool.h>
#include "hybrid/driver/spent.h"

/*
 * A thread that says on stderr where this process stands when none of the team
 * has finished anything for a while, and when it goes on. It calls no MPI. Time
 * in which the whole process is stopped does not count: then its peers speak.
 */
typedef struct {
    const hyb_spent_t *spent; /* of each member */
    int members;
    int iterations;  /* in all */
    double patience; /* s; 0: it does not run */
    bool over;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards over */
    pthread_cond_t wake;
} hyb_watchdog_t;

/*
 * Watch from now on; spent, members, iterations and patience are set. If no
 * thread can be had there is no watch.
 */
void hyb_watchdog_begin(hyb_watchdog_t *dog);
void hyb_watchdog_end(hyb_watchdog_t *dog);

#endif
