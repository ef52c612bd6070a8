/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_gather.h"

#include <stdlib.h>
#include "hpl.h"

void *xhpl_record_gather(MPI_Comm comm, const void *mine, size_t bytes)
{
    void *all = NULL;
    int rank, processes;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &processes);
    if (rank == 0)
        all = calloc((size_t)processes, bytes);
    if (rank == 0 && all == NULL)
        HPL_pabort(__LINE__, "xhpl_record_gather", "out of memory");
    MPI_Gather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, comm);
    return all;
}

json_t *xhpl_record_gathered(MPI_Comm comm, const void *mine, size_t bytes,
                             xhpl_record_make_t *make)
{
    void *all = xhpl_record_gather(comm, mine, bytes);
    json_t *made = NULL;
    int processes;

    MPI_Comm_size(comm, &processes);
    if (all != NULL)
        made = make(all, processes);
    free(all);
    return made;
}
