/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "hpl/comm/yield.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

enum { POLLS = 100 }; /* some microseconds of polling */

static bool yields;

void hpl_yield_in_mpi(void)
{
    yields = true;
}

/*
 * Replace UCX's function of this name, which returns how much progress was
 * made. MPICH polls it while waiting, and finds this definition before UCX's.
 * The symbol is weak, so a program that links UCX itself uses UCX's own.
 */
__attribute__((weak)) unsigned ucp_worker_progress(void *worker);

typedef unsigned progress_t(void *worker);

/* Find UCX's function; an MPI library may have loaded UCX privately. */
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
