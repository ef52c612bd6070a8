/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include "sim/model.h"

/* Forget the activities of a collective operation, which remain like those of
 * messages. With thousands of processes, nothing else is sent before the first
 * iteration. */
static int forgotten(int error)
{
    sim_activities_forget();
    return error;
}

int __wrap_MPI_Barrier(MPI_Comm comm)
{
    return forgotten(PMPI_Barrier(comm));
}

int __wrap_MPI_Bcast(void *buffer, int length, MPI_Datatype type, int root,
                     MPI_Comm comm)
{
    return forgotten(PMPI_Bcast(buffer, length, type, root, comm));
}

int __wrap_MPI_Allreduce(const void *sent, void *received, int length,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return forgotten(PMPI_Allreduce(sent, received, length, type, op, comm));
}

int __wrap_MPI_Allgather(const void *sent, int length, MPI_Datatype type,
                         void *received, int other_length,
                         MPI_Datatype other_type, MPI_Comm comm)
{
    return forgotten(PMPI_Allgather(sent, length, type, received, other_length,
                                    other_type, comm));
}

int __wrap_MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *part_p)
{
    return forgotten(PMPI_Comm_split(comm, colour, key, part_p));
}

int __wrap_MPI_Comm_dup(MPI_Comm comm, MPI_Comm *other_p)
{
    return forgotten(PMPI_Comm_dup(comm, other_p));
}
