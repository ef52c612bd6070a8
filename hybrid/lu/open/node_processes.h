/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include "base/pin.h"
#include "hybrid/device/machine.h"
#include "hybrid/node/topology.h"

/* The processes of this node, and this process's share of it. */
typedef struct {
    hyb_topology_t *topology; /* of this machine */
    hyb_local_t local;    /* rank, and the launcher's mask of each process */
    const char **masks;   /* the masks, by process */
    const char **reaches; /* by process: processors that the system allows it */
    char *text;           /* memory of all masks and reaches */
    char machine[1024];   /* hwloc's synthetic description; "": none */
    char *cores;   /* set by bind: a text list with one processor per core */
    bool is_moved; /* bind=node has changed the thread's affinity */
    xh_affinity_t original; /* affinity that the launcher gave this thread */
} hyb_node_processes_t;

/*
 * Find the processes in `comm` that share this node; collective.
 * Errors: XH_ERR_MEMORY, XH_ERR_INTERNAL; equal on all processes of a node
 */
xh_status_t hyb_node_processes_find(MPI_Comm comm,
                                    hyb_node_processes_t *node_processes_p);

/* Free `node_processes`, and give the calling thread the affinity that it had
 * before it was bound. */
void hyb_node_processes_free(hyb_node_processes_t *node_processes);

/*
 * Choose this process's cores of its node by the setting bind. With bind=node
 * the processes of the node share all cores that the system allows, whatever
 * the launcher's masks say: all processes' masks become the system's, and the
 * calling thread may run on its share. With bind=mask the masks are obeyed, and
 * one process of the node warns if they leave cores unused, naming options that
 * help; if a number of threads was asked for, only if the masks have fewer
 * cores than that.
 *
 * threads  in  threads of each process, as asked for; 0: one per core
 * Order:  before anything starts threads
 * Errors: XH_ERR_ARG     this process's mask holds no processor of this machine
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_node_processes_bind(hyb_node_processes_t *node_processes,
                                    int threads);

/*
 * Find the devices that the setting chooses among those visible to this
 * process. Launchers may show each process other devices
 * (CUDA_VISIBLE_DEVICES); PCI addresses tell them apart. The devices are the
 * process's own if each has an address and no other process of the node sees
 * it. If processes see different devices and no process drives some of them,
 * the first process of the node logs which. Collective.
 *
 * comm, node_processes  in   found in comm, and bound
 * visible_p             out  free(visible_p->chosen)
 *
 * Errors: those of hyb_devices_choose, of the worst process of the node
 */
xh_status_t hyb_visible_devices_find(MPI_Comm comm,
                                     const hyb_node_processes_t *node_processes,
                                     hyb_visible_devices_t *visible_p);
