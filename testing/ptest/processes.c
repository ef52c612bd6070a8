/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/processes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/settings.h"
#include "hpl.h"
#include "hpl/pauxil/abort.h"

MPI_Comm xhpl_node_comm(void)
{
    MPI_Comm node;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    return node;
}

int xhpl_local_rank(void)
{
    MPI_Comm node = xhpl_node_comm();
    int rank = xhpl_rank(node);

    MPI_Comm_free(&node);
    return rank;
}

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

void *xhpl_gather(MPI_Comm comm, const void *mine, size_t bytes)
{
    bool first = xhpl_rank(comm) == 0;
    void *all = first ? calloc((size_t)xhpl_size(comm), bytes) : NULL;

    if (first && all == NULL)
        HPL_pabort(__LINE__, "xhpl_gather", "out of memory");
    MPI_Gather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, comm);
    return all;
}

void xhpl_settings_share(void)
{
    enum { ASSIGNMENT_SIZE = 2048 }; /* more than the longest name and value */
    char assignment[ASSIGNMENT_SIZE];
    int rank = xhpl_rank(MPI_COMM_WORLD);

    for (int i = 0; i < xh_settings_count(); i++) {
        const char *name = xh_settings_row(i)->name;

        snprintf(assignment, sizeof(assignment), "%s=%s", name,
                 xh_settings_text(name));
        MPI_Bcast(assignment, ASSIGNMENT_SIZE, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (rank != 0 && xh_settings_assign(assignment) != XH_OK)
            hpl_abort_job();
    }
}
