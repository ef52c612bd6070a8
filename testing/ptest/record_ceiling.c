/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_ceiling.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "base/status.h"
#include "base/sysfile.h"
#include "testing/ptest/idle.h"

enum { LIST = 512 };

/* Of each measurement: several runs of some milliseconds, the best counts. */
#define SECONDS 0.06

/*
 * Whether no process before mine on this node may use the same cores. Where
 * lists overlap but differ, both measure, and share what they have in common.
 */
static bool first_on_its_cores(MPI_Comm node)
{
    char mine[LIST] = "", *all;
    int rank, size, first = 0;

    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    all = calloc((size_t)size, LIST);
    if (all == NULL)
        MPI_Abort(MPI_COMM_WORLD, XH_EXIT_RUNTIME);
    xh_sysfile_value("/proc/self", "status", "Cpus_allowed_list", mine, LIST);
    MPI_Allgather(mine, LIST, MPI_CHAR, all, LIST, MPI_CHAR, node);
    while (strcmp(all + (size_t)first * LIST, mine) != 0)
        first++;
    free(all);
    return first == rank;
}

void xhpl_record_ceiling(int *cores_p, double *gflops_p)
{
    MPI_Comm node;
    double rate = 0;
    int cores = 0;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    if (first_on_its_cores(node))
        cores = xh_cpu_cores();
    xhpl_idle_barrier(node);
    if (cores > 0)
        rate = xh_cpu_fma_ceiling(xh_cpu_isa(), cores, SECONDS);
    xhpl_idle_barrier(node);
    MPI_Comm_free(&node);
    *cores_p = cores;
    *gflops_p = rate / 1e9;
}
