/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/grid/agree.h"

xh_status_t hpl_agree(MPI_Comm comm, xh_status_t mine)
{
    int worst = (int)mine;

    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, comm);
    return (xh_status_t)worst;
}
