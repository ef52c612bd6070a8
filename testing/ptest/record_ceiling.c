/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_ceiling.h"

#include <math.h>
#include <mpi.h>
#include <string.h>
#include "base/cgroup.h"
#include "base/cpu.h"
#include "testing/ptest/idle.h"
#include "testing/ptest/record_cpus.h"

/* Of each measurement: several runs of some milliseconds, the best counts. */
#define SECONDS 0.06

/* What the processes before mine on this node have. */
static xhpl_cpus_t those_before(MPI_Comm node, const xhpl_cpus_t *mine)
{
    xhpl_cpus_t before = {{0}};
    int rank;

    MPI_Exscan(mine->bits, before.bits, sizeof(before.bits), MPI_BYTE, MPI_BOR,
               node);
    MPI_Comm_rank(node, &rank);
    if (rank == 0) /* told nothing, and may find anything */
        memset(&before, 0, sizeof(before));
    return before;
}

/* The cores that are mine to measure; how many. */
static int find_mine(MPI_Comm node, const char *cpus, int list[XHPL_CPUS])
{
    double quota = fmax(1.0, floor(xh_cgroup_cpu_quota("")));
    xhpl_cpus_t mine = xhpl_cpus_of(cpus);
    xhpl_cpus_t before = those_before(node, &mine);
    int others = xhpl_cpus_count(&before), count = 0, cpu;

    for (cpu = 0; cpu < XHPL_CPUS && others + count < quota; cpu++)
        if (xhpl_cpus_have(&mine, cpu) && !xhpl_cpus_have(&before, cpu))
            list[count++] = cpu;
    return count;
}

void xhpl_record_ceiling(const char *cpus, int *cores_p, double *gflops_p)
{
    MPI_Comm node;
    int list[XHPL_CPUS], count;
    double rate = 0;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    count = find_mine(node, cpus, list);
    xhpl_idle_barrier(node);
    if (count > 0)
        rate = xh_cpu_fma_ceiling_on(xh_cpu_isa(), list, count, SECONDS);
    xhpl_idle_barrier(node);
    MPI_Comm_free(&node);
    *cores_p = count;
    *gflops_p = rate / 1e9;
}
