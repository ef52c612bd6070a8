/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "hpl/comm/yield.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

enum { POLLS = 100 }; /* some microseconds */

static bool yields;

void hpl_yield_in_mpi(void)
{
    yields = true;
}

/*
 * UCX's function of this name, which returns how much moved. MPICH polls it
 * while it waits, and finds this one before UCX's. Weak: in a program that has
 * UCX linked into it, UCX's own is taken.
 */
__attribute__((weak)) unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    static int polls;
    unsigned moved;

    if (progress == NULL)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    moved = progress(worker);
    polls = moved > 0 ? 0 : polls + 1;
    if (yields && polls % POLLS == POLLS - 1)
        sched_yield();
    return moved;
}
