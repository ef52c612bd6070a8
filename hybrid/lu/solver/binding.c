/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/solver/binding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cgroup.h"
#include "base/log.h"
#include "base/settings.h"

/* What a process may use where, in cores and in hardware threads. */
typedef struct {
    int cores, processors;
} room_t;

static xh_status_t measure(const hyb_neighbours_t *n, const char **masks,
                           room_t *room_p)
{
    return hyb_topology_count(n->topology, masks, n->local.count,
                              &room_p->cores, &room_p->processors);
}

/*
 * The launcher that the environment shows, with its option that leaves a
 * process all of the node; "" if there is none. Where mpirun works inside
 * Slurm both leave their traces, and it is mpirun that binds.
 */
static void launcher_option(const hyb_neighbours_t *n, const room_t *node,
                            char *text, size_t size)
{
    text[0] = '\0';
    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        snprintf(text, size, "mpirun --bind-to none or ");
    else if (getenv("SLURM_PROCID") != NULL)
        snprintf(text, size, "srun --cpus-per-task=%d --cpu-bind=none or ",
                 (int)fmax(1.0, node->processors / n->local.count));
}

/*
 * A group's limit on time may be less than its cores could use.
 * threads  in  of all processes of the node; 0: one a core
 */
static xh_status_t warn_of_unused(const hyb_neighbours_t *n, int threads)
{
    char option[96], asked[48] = "";
    room_t mine, node;
    xh_status_t status = measure(n, n->masks, &mine);

    if (status == XH_OK)
        status = measure(n, n->reaches, &node);
    if (status != XH_OK)
        return status;
    node.cores = (int)fmin(node.cores, ceil(xh_cgroup_cpu_quota("")));
    if (mine.cores >= node.cores || (threads > 0 && threads <= mine.cores))
        return XH_OK;
    launcher_option(n, &node, option, sizeof(option));
    if (threads > 0)
        snprintf(asked, sizeof(asked), ", all of their %d threads", threads);
    xh_log_warning("processes are bound to %d of %d cores%s: "
                   "%s--set bind=node takes all",
                   mine.cores, node.cores, asked, option);
    return XH_OK;
}

/* Threads that are started from now on stay on these cores. */
static void move(const int *cpus, int count, hyb_binding_t *b)
{
    b->moved = xh_pin_save(&b->before) == 0 && xh_pin_thread(cpus, count) == 0;
    if (!b->moved)
        xh_log_warning("bind=node: the system lets no process leave its mask");
}

static xh_status_t take_share(const hyb_neighbours_t *n, bool of_node,
                              hyb_binding_t *b)
{
    int *cpus, count;
    xh_status_t status =
        hyb_topology_cores(n->topology, &n->local, &cpus, &count);

    if (status != XH_OK)
        return status;
    status = hyb_topology_list(cpus, count, &b->cores);
    if (status == XH_OK && of_node)
        move(cpus, count, b);
    free(cpus);
    return status;
}

xh_status_t hyb_binding_open(hyb_neighbours_t *neighbours, int threads,
                             hyb_binding_t *binding_p)
{
    bool of_node = strcmp(xh_settings_text("bind"), "node") == 0;
    hyb_binding_t b = {.moved = false};
    xh_status_t status = XH_OK;

    if (of_node)
        memcpy(neighbours->masks, neighbours->reaches,
               (size_t)neighbours->local.count * sizeof(*neighbours->masks));
    else if (neighbours->local.rank == 0)
        status = warn_of_unused(neighbours, threads * neighbours->local.count);
    if (status == XH_OK)
        status = take_share(neighbours, of_node, &b);
    if (status == XH_OK)
        *binding_p = b;
    return status;
}

void hyb_binding_close(hyb_binding_t *binding)
{
    if (binding->moved)
        xh_pin_restore(&binding->before);
    free(binding->cores);
    *binding = (hyb_binding_t){.moved = false};
}
