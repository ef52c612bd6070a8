/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include "base/status.h"

/* Returns the worst status of all processes of comm on each of them;
 * collective. */
static inline xh_status_t hpl_agree(MPI_Comm comm, xh_status_t mine)
{
    int worst = (int)mine;

    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, comm);
    return (xh_status_t)worst;
}
