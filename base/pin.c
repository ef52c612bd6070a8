/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/pin.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

_Static_assert(sizeof(xh_affinity_t) % sizeof(cpu_set_t) == 0,
               "a whole number of the system's sets");

/* The system's macros take the first element of an array of sets. */
static cpu_set_t *set_of(const xh_affinity_t *affinity)
{
    return (cpu_set_t *)(void *)affinity;
}

static bool gather(const int *cpus, int count, xh_affinity_t *affinity_p)
{
    memset(affinity_p, 0, sizeof(*affinity_p));
    for (int i = 0; i < count; i++) {
        if (cpus[i] < 0 || cpus[i] >= XH_MOST_CPUS)
            return false;
        CPU_SET_S((size_t)cpus[i], sizeof(*affinity_p), set_of(affinity_p));
    }
    return true;
}

int xh_pin_thread(const int *cpus, int count)
{
    xh_affinity_t affinity;

    if (count == 0)
        return 0;
    return gather(cpus, count, &affinity) ? xh_pin_restore(&affinity) : EINVAL;
}

int xh_pin_attributes(pthread_attr_t *attributes, const int *cpus, int count)
{
    xh_affinity_t affinity;

    if (!gather(cpus, count, &affinity))
        return EINVAL;
    return pthread_attr_setaffinity_np(attributes, sizeof(affinity),
                                       set_of(&affinity));
}

int xh_pin_save(xh_affinity_t *affinity_p)
{
    return pthread_getaffinity_np(pthread_self(), sizeof(*affinity_p),
                                  set_of(affinity_p));
}

int xh_pin_restore(const xh_affinity_t *affinity)
{
    return pthread_setaffinity_np(pthread_self(), sizeof(*affinity),
                                  set_of(affinity));
}

bool xh_affinity_has(const xh_affinity_t *affinity, int cpu)
{
    return CPU_ISSET_S((size_t)cpu, sizeof(*affinity), set_of(affinity)) != 0;
}
