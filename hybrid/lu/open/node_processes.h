/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include "base/pin.h"
#include "hybrid/device/machine.h"
#include "hybrid/node/topology.h"

/* The processes of this node, and what this one has of it. */
typedef struct {
    hyb_topology_t *topology; /* this machine's */
    hyb_local_t local;        /* each with the launcher's mask */
    const char **masks;       /* those, by process */
    const char **reaches;     /* what the system would let each process use */
    char *text;               /* of all */
    char machine[1024];       /* hwloc's synthetic description, "": none */
    char *cores;              /* once bound: a text list, a processor a core */
    bool moved;               /* by bind=node */
    xh_affinity_t before;     /* where the launcher had put this thread */
} hyb_node_processes_t;

/*
 * Who shares this node with me, of all in comm; collective.
 * Errors: XH_ERR_MEMORY, XH_ERR_INTERNAL; the same on all of a node
 */
xh_status_t hyb_node_processes_find(MPI_Comm comm,
                                    hyb_node_processes_t *neighbours_p);

/* The calling thread may run again where it did before it was bound. */
void hyb_node_processes_free(hyb_node_processes_t *node_processes);

/*
 * The cores that this process has of its node: the setting bind. With bind=node
 * the processes of the node share all that the system allows, whatever the
 * launcher's masks say: neighbours' masks become that, and the calling thread
 * may run on its share. With bind=mask the masks are law, and one process of
 * the node warns where they leave cores unused, naming the options that mend
 * it: if a number of threads was asked for, only where these are more than the
 * cores that are left.
 *
 * threads  in  of each process, as asked for; 0: as there are cores
 * Order:  before anything starts threads
 * Errors: XH_ERR_ARG     my mask holds no processor of this machine
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_node_processes_bind(hyb_node_processes_t *node_processes,
                                    int threads);

/*
 * The devices that the setting chooses of those that this process sees, which
 * launchers may make other ones for each process (CUDA_VISIBLE_DEVICES); told
 * apart by PCI addresses. They are its own if every one has an address and no
 * other process of the node sees it. Where processes see different devices and
 * some are left that nobody drives, the first process of the node says which.
 * Collective.
 *
 * comm, neighbours  in   these found in that, and bound
 * seen_p            out  free(seen_p->chosen)
 *
 * Errors: those of hyb_devices_choose, of the worst process of the node
 */
xh_status_t hyb_visible_devices_find(MPI_Comm comm,
                                     const hyb_node_processes_t *node_processes,
                                     hyb_visible_devices_t *seen_p);
