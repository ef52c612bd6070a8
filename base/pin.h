/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/*
 * Threads on processors of the system, which go by their numbers, 0 ..
 * XH_MOST_CPUS - 1. What returns an int returns 0 or the system's error
 * number: EINVAL where none of the processors is there for this process.
 */
enum { XH_MOST_CPUS = 8192 }; /* what Linux can be built for */

typedef struct { /* a set of processors, as the system has it */
    unsigned long bits[XH_MOST_CPUS / (8 * sizeof(unsigned long))];
} xh_affinity_t;

/* Keep the calling thread on count processors; count 0 leaves it as it is. */
int xh_pin_thread(const int *cpus, int count);

/* Let threads that are made with attributes start there, and stay. */
int xh_pin_attributes(pthread_attr_t *attributes, const int *cpus, int count);

/* Where the calling thread may run; and back to it. */
int xh_pin_save(xh_affinity_t *affinity_p);
int xh_pin_restore(const xh_affinity_t *affinity);

/* Is cpu in the set? */
bool xh_affinity_has(const xh_affinity_t *affinity, int cpu);
