/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pauxil/abort.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include "base/status.h"

/* If several threads meet errors, the others wait for the first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*listener)(void *context);
static void *of_listener;

void hpl_at_abort(void (*fn)(void *context), void *context)
{
    pthread_mutex_lock(&lock);
    listener = fn;
    of_listener = context;
    pthread_mutex_unlock(&lock);
}

static void call_listener(void)
{
    pthread_mutex_lock(&lock);
    if (listener != NULL)
        listener(of_listener);
    listener = NULL;
    pthread_mutex_unlock(&lock);
}

bool hpl_mpi_runs(void)
{
    int begun, ended;

    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun && !ended;
}

void hpl_abort_job(void)
{
    call_listener();
    if (hpl_mpi_runs())
        MPI_Abort(MPI_COMM_WORLD, XH_EXIT_RUNTIME);
    exit(XH_EXIT_RUNTIME);
}
