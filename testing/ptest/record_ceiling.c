/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_ceiling.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <string.h>
#include "base/cgroup.h"
#include "base/cpu.h"
#include "base/cpu_list.h"
#include "testing/ptest/idle.h"

enum { MOST = 8192, BITS = 8, BYTES = MOST / BITS };

typedef struct { /* of processors, in a form that MPI can join */
    unsigned char bits[BYTES];
} set_t;

/* Of each measurement: several runs of some milliseconds, the best counts. */
#define SECONDS 0.06

static bool has(const set_t *set, int cpu)
{
    return (set->bits[cpu / BITS] >> cpu % BITS & 1) != 0;
}

static void add(set_t *set, int cpu)
{
    set->bits[cpu / BITS] |= (unsigned char)(1 << cpu % BITS);
}

static int members(const set_t *set)
{
    int cpu, count = 0;

    for (cpu = 0; cpu < MOST; cpu++)
        count += has(set, cpu);
    return count;
}

static set_t set_of(const char *cpus)
{
    set_t set = {{0}};
    int list[MOST], i;
    int count = cpus != NULL ? xh_cpu_list(cpus, list, MOST)
                             : xh_cpu_core_ids("", list, MOST);

    for (i = 0; i < count && i < MOST; i++)
        if (list[i] < MOST)
            add(&set, list[i]);
    return set;
}

/* What the processes before mine on this node have. */
static set_t those_before(MPI_Comm node, const set_t *mine)
{
    set_t before = {{0}};
    int rank;

    MPI_Exscan(mine->bits, before.bits, BYTES, MPI_BYTE, MPI_BOR, node);
    MPI_Comm_rank(node, &rank);
    if (rank == 0) /* told nothing, and may find anything */
        memset(&before, 0, sizeof(before));
    return before;
}

/* The cores that are mine to measure; how many. */
static int find_mine(MPI_Comm node, const char *cpus, int list[MOST])
{
    double quota = fmax(1.0, floor(xh_cgroup_cpu_quota("")));
    set_t mine = set_of(cpus);
    set_t before = those_before(node, &mine);
    int others = members(&before), count = 0, cpu;

    for (cpu = 0; cpu < MOST && others + count < quota; cpu++)
        if (has(&mine, cpu) && !has(&before, cpu))
            list[count++] = cpu;
    return count;
}

void xhpl_record_ceiling(const char *cpus, int *cores_p, double *gflops_p)
{
    MPI_Comm node;
    int list[MOST], count;
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
