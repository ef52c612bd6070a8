/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/*
 * Pin threads to processors, numbered by the system from 0 to XH_MOST_CPUS - 1.
 * Functions that return an int return 0 or the system's error number: EINVAL if
 * this process may use none of the processors.
 */
enum { XH_MOST_CPUS = 8192 }; /* most that Linux can be built for */

typedef struct { /* a set of processors, as the system has it */
    unsigned long bits[XH_MOST_CPUS / (8 * sizeof(unsigned long))];
} xh_affinity_t;

/* Pin the calling thread to `count` processors; count 0 leaves it as it is. */
int xh_pin_thread(const int *cpus, int count);

/* Let threads created with `attributes` start and stay on these processors. */
int xh_pin_attributes(pthread_attr_t *attributes, const int *cpus, int count);

/* Save the affinity of the calling thread; restore it. */
int xh_pin_save(xh_affinity_t *affinity_p);
int xh_pin_restore(const xh_affinity_t *affinity);

/* Is cpu in the set? */
bool xh_affinity_has(const xh_affinity_t *affinity, int cpu);
