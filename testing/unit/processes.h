/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The processes of a unit test. */
#include <mpi.h>

/* This process in comm, and how many there are. */
static inline int unit_rank_in(MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    return rank;
}

static inline int unit_size_of(MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    return size;
}

static inline int unit_rank(void)
{
    return unit_rank_in(MPI_COMM_WORLD);
}

static inline int unit_processes(void)
{
    return unit_size_of(MPI_COMM_WORLD);
}
