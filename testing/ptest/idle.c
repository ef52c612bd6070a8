/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/idle.h"

#include <time.h>

void xhpl_idle_barrier(MPI_Comm comm)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;

    MPI_Ibarrier(comm, &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        nanosleep(&nap, NULL);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}
