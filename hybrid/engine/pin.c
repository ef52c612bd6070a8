/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/engine/pin.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

int hyb_pin_thread(const int *cpus, int count)
{
    int i, most = 0, error;
    cpu_set_t *set;
    size_t bytes;

    for (i = 0; i < count; i++)
        most = cpus[i] > most ? cpus[i] : most;
    if (count == 0)
        return 0;
    bytes = CPU_ALLOC_SIZE((size_t)most + 1);
    set = CPU_ALLOC((size_t)most + 1);
    if (set == NULL)
        return ENOMEM;
    CPU_ZERO_S(bytes, set);
    for (i = 0; i < count; i++)
        CPU_SET_S((size_t)cpus[i], bytes, set);
    error = pthread_setaffinity_np(pthread_self(), bytes, set);
    CPU_FREE(set);
    return error;
}
