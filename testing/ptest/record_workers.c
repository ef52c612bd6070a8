/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_workers.h"

#include <stdio.h>
#include <stdlib.h>
#include "hpl_solver.h"
#include "testing/ptest/record_ceiling.h"
#include "testing/ptest/record_gather.h"
#include "testing/ptest/record_value.h"

enum { LIST = 1024 };

/* what a process took; flat, so that a gather carries it */
typedef struct {
    int threads;        /* 0: not told */
    char cpus[LIST];    /* "": where the launcher lets it run, or not told */
    char machine[LIST]; /* "": not told */
    int cores;          /* that this process measured */
    double gflops;
} took_t;

static hpl_workers_t workers(void)
{
    hpl_workers_t nobody = {.threads = 0};

    return hpl_solver()->workers != NULL ? hpl_solver()->workers() : nobody;
}

json_t *xhpl_record_kernel(void)
{
    return xhpl_json_text(workers().kernel);
}

static took_t take_mine(void)
{
    hpl_workers_t mine = workers();
    took_t took = {.threads = mine.threads};

    if (mine.cpus != NULL)
        snprintf(took.cpus, LIST, "%s", mine.cpus);
    if (mine.machine != NULL)
        snprintf(took.machine, LIST, "%s", mine.machine);
    xhpl_record_ceiling(mine.cpus, &took.cores, &took.gflops);
    return took;
}

/* ---- on process 0 -------------------------------------------------------- */

static void add_to_rank(json_t *rank, const took_t *took)
{
    if (took->threads > 0)
        xhpl_json_set_count(rank, "threads", took->threads);
    xhpl_json_set_text(rank, "cpus_taken", took->cpus);
}

/* Nothing measured is null. Others on the same cores only ever make it less. */
static void keep_larger(json_t *host, int cores, double gflops)
{
    json_t *ceiling = json_object_get(host, "fma_ceiling");

    if (gflops <= json_real_value(json_object_get(ceiling, "gflops")))
        return;
    ceiling = json_object();
    xhpl_json_set_count(ceiling, "cores", cores);
    xhpl_json_set_number(ceiling, "gflops", gflops);
    json_object_set_new(host, "fma_ceiling", ceiling);
}

static void add_to_host(json_t *host, const took_t *all)
{
    int cores = 0;
    double gflops = 0;
    json_t *rank;
    size_t i;

    json_array_foreach(json_object_get(host, "ranks"), i, rank)
    {
        const took_t *took =
            &all[json_integer_value(json_object_get(rank, "rank"))];

        add_to_rank(rank, took);
        xhpl_json_set_text(json_object_get(host, "machine"), "topology",
                           took->machine);
        if (took->gflops > 0) {
            cores += took->cores;
            gflops += took->gflops;
        }
    }
    keep_larger(host, cores, gflops);
}

void xhpl_record_workers(json_t *hosts)
{
    took_t mine = take_mine();
    took_t *all = xhpl_record_gather(MPI_COMM_WORLD, &mine, sizeof(mine));
    json_t *host;
    size_t i;

    if (all != NULL)
        json_array_foreach(hosts, i, host) add_to_host(host, all);
    free(all);
}
