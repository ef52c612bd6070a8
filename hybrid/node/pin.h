/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PIN_H
#define HYB_PIN_H

#include <pthread.h>

/*
 * Threads on processors of the system, which go by their numbers, 0 ..
 * HYB_MOST_CPUS - 1. What returns an int returns 0 or the system's error
 * number: EINVAL where none of the processors is there for this process.
 */
enum { HYB_MOST_CPUS = 8192 }; /* what Linux can be built for */

typedef struct { /* a set of processors, as the system has it */
    unsigned long bits[HYB_MOST_CPUS / (8 * sizeof(unsigned long))];
} hyb_affinity_t;

/* Keep the calling thread on count processors; count 0 leaves it as it is. */
int hyb_pin_thread(const int *cpus, int count);

/* Let threads that are made with attributes start there, and stay. */
int hyb_pin_attributes(pthread_attr_t *attributes, const int *cpus, int count);

/* Where the calling thread may run; and back to it. */
int hyb_pin_save(hyb_affinity_t *affinity_p);
int hyb_pin_restore(const hyb_affinity_t *affinity);

/* How many processors a list names, each counted once. */
int hyb_pin_count(const int *cpus, int count);

#endif
