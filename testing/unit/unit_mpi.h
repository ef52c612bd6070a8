/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Unit tests on several processes. The second line of the test file says on
 * how many, each run separately:
 *
 *     / * ranks: 1 2 4 9 * /
 *
 * Every process runs every case; process 0 reports. A case that fails says so
 * on stderr and ends the job: the other processes might wait for this one.
 */
#include <mpi.h>
#include <stdlib.h>
#include "testing/unit/unit.h"

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

static inline int unit_mpi_main(void)
{
    int rank, failed, provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    rank = unit_rank();
    if (unit_processes() > 1)
        setenv("CMOCKA_TEST_ABORT", "1", 1);
    if (rank != 0 && freopen("/dev/null", "w", stdout) == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    failed = unit_run();
    MPI_Finalize();
    return failed;
}

#define TEST_MPI_MAIN()                                                        \
    int main(void)                                                             \
    {                                                                          \
        return unit_mpi_main();                                                \
    }
