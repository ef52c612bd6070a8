/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_CPUS_H
#define XHPL_RECORD_CPUS_H

#include <stdbool.h>

enum { XHPL_CPUS = 8192 }; /* their numbers are below */

typedef struct { /* processors of a host, in a form that MPI can join */
    unsigned char bits[XHPL_CPUS / 8];
} xhpl_cpus_t;

/*
 * Those of a text list; NULL: of each core that the calling thread may use one.
 */
xhpl_cpus_t xhpl_cpus_of(const char *list);

bool xhpl_cpus_have(const xhpl_cpus_t *cpus, int cpu);
int xhpl_cpus_count(const xhpl_cpus_t *cpus);

#endif
