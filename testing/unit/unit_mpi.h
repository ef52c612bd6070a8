/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Unit tests on several processes: the main of the test that includes this. The
 * second line of the test file says on how many, each run separately:
 *
 *     / * ranks: 1 2 4 9 * /
 *
 * Every process runs every case; process 0 reports. A case that fails says so
 * on stderr and ends the job: the other processes might wait for this one.
 */
#include "testing/unit/hpl/processes.h"
#include "testing/unit/unit.h"

int main(void)
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
