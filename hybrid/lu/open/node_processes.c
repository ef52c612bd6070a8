/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/open/node_processes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cgroup.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl/grid/agree.h"

/* ---- find ---------------------------------------------------------------- */

/* Allocate two texts of `length` bytes for each process. */
static xh_status_t allocate(hyb_node_processes_t *n, size_t length)
{
    size_t count = (size_t)n->local.count;

    n->text = calloc(2 * count, length);
    n->masks = calloc(count, sizeof(*n->masks));
    n->reaches = calloc(count, sizeof(*n->reaches));
    if (n->text == NULL || n->masks == NULL || n->reaches == NULL)
        return XH_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        n->masks[i] = n->text + 2 * i * length;
        n->reaches[i] = n->masks[i] + length;
    }
    n->local.masks = n->masks;
    return XH_OK;
}

/* Gather every process's mask and reach on all processes of `node`. */
static xh_status_t share_texts(MPI_Comm node, const char *mask,
                               const char *reach, hyb_node_processes_t *n)
{
    int64_t longer = xh_larger((int64_t)strlen(mask), (int64_t)strlen(reach));
    int length = (int)longer + 1;
    char *mine;

    MPI_Allreduce(MPI_IN_PLACE, &length, 1, MPI_INT, MPI_MAX, node);
    XH_TRY(hpl_agree(node, allocate(n, (size_t)length)));
    mine = n->text + 2 * (size_t)n->local.rank * (size_t)length;
    strcpy(mine, mask);
    strcpy(mine + length, reach);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, n->text, 2 * length,
                  MPI_CHAR, node);
    return XH_OK;
}

xh_status_t hyb_node_processes_find(MPI_Comm comm,
                                    hyb_node_processes_t *node_processes_p)
{
    hyb_node_processes_t n = {.topology = NULL};
    char *mask = NULL, *reach = NULL;
    xh_status_t status = hyb_topology_open(NULL, &n.topology);
    MPI_Comm node;

    if (status == XH_OK)
        status = hyb_topology_mask(n.topology, &mask);
    if (status == XH_OK)
        status = hyb_topology_reach(n.topology, &reach);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &n.local.rank);
    MPI_Comm_size(node, &n.local.count);
    status = hpl_agree(node, status);
    if (status == XH_OK)
        status = share_texts(node, mask, reach, &n);
    MPI_Comm_free(&node);
    free(mask);
    free(reach);
    if (status == XH_OK) {
        hyb_topology_synthetic(n.topology, n.machine, sizeof(n.machine));
        *node_processes_p = n;
    } else
        hyb_node_processes_free(&n);
    return status;
}

void hyb_node_processes_free(hyb_node_processes_t *node_processes)
{
    if (node_processes->is_moved)
        xh_pin_restore(&node_processes->original);
    free(node_processes->cores);
    free(node_processes->reaches);
    free(node_processes->masks);
    free(node_processes->text);
    hyb_topology_close(node_processes->topology);
    *node_processes = (hyb_node_processes_t){.topology = NULL};
}

/* ---- bind ---------------------------------------------------------------- */

/*
 * Write the launcher that the environment shows, with its option that gives
 * each process `processors` hardware threads, an equal part of the node; "" if
 * there is none. If mpirun runs inside Slurm, both set variables, and mpirun
 * binds. srun does not set those of MPICH's mpiexec.
 */
static void launcher_option(int processors, char *text, size_t size)
{
    text[0] = '\0';
    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        snprintf(text, size, "mpirun --bind-to none or ");
    else if (getenv("MPI_LOCALNRANKS") != NULL) /* MPICH's or Intel's mpiexec */
        snprintf(text, size, "%s or ",
                 getenv("I_MPI_ROOT") != NULL ? "I_MPI_PIN=off"
                                              : "mpiexec -bind-to none");
    else if (getenv("SLURM_PROCID") != NULL)
        snprintf(text, size, "srun --cpus-per-task=%d --cpu-bind=none or ",
                 processors > 1 ? processors : 1);
}

/*
 * Warn if the masks leave cores unused. A cgroup's limit on CPU time may allow
 * fewer cores than there are.
 * threads  in  of all processes of the node; 0: one per core
 */
static xh_status_t warn_of_unused(const hyb_node_processes_t *n, int threads)
{
    char option[96], request[48] = "";
    int count = n->local.count, mine, cores, processors;

    XH_TRY(
        hyb_topology_count(n->topology, n->masks, count, &mine, &processors));
    XH_TRY(hyb_topology_count(n->topology, n->reaches, count, &cores,
                              &processors));
    cores = (int)fmin(cores, ceil(xh_cgroup_cpu_quota("")));
    if (mine >= cores || (threads > 0 && threads <= mine))
        return XH_OK;
    launcher_option(processors / count, option, sizeof(option));
    if (threads > 0)
        snprintf(request, sizeof(request), ", all of their %d threads",
                 threads);
    xh_log_warning("processes are bound to %d of %d cores%s: to use all cores, "
                   "%s--set bind=node",
                   mine, cores, request, option);
    return XH_OK;
}

xh_status_t hyb_node_processes_bind(hyb_node_processes_t *n, int threads)
{
    bool uses_node = strcmp(xh_settings_text("bind"), "node") == 0;
    int *cpus, count;
    xh_status_t status;

    if (uses_node)
        memcpy(n->masks, n->reaches,
               (size_t)n->local.count * sizeof(*n->masks));
    else if (n->local.rank == 0)
        XH_TRY(warn_of_unused(n, threads * n->local.count));
    XH_TRY(hyb_topology_cores(n->topology, &n->local, &cpus, &count));
    status = hyb_topology_list(cpus, count, &n->cores);
    /* Threads that start from now on stay on the given cores. */
    n->is_moved = status == XH_OK && uses_node &&
                  xh_pin_save(&n->original) == 0 &&
                  xh_pin_thread(cpus, count) == 0;
    if (status == XH_OK && uses_node && !n->is_moved)
        xh_log_warning("bind=node: the system does not allow a process to "
                       "leave its affinity mask");
    free(cpus);
    return status;
}
