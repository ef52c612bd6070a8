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

typedef unsigned progress_t(void *worker);

/* An MPI library may have loaded UCX for itself alone. */
static progress_t *of_ucx(void)
{
    void *found = dlsym(RTLD_NEXT, "ucp_worker_progress"), *ucx;

    if (found == NULL && (ucx = dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD)))
        found = dlsym(ucx, "ucp_worker_progress");
    return (progress_t *)found;
}

unsigned ucp_worker_progress(void *worker)
{
    static progress_t *progress;
    static int polls;
    unsigned moved;

    if (progress == NULL)
        progress = of_ucx();
    moved = progress(worker);
    polls = moved > 0 ? 0 : polls + 1;
    if (yields && polls % POLLS == POLLS - 1)
        sched_yield();
    return moved;
}
