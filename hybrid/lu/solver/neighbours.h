/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_NEIGHBOURS_H
#define HYB_NEIGHBOURS_H

#include <mpi.h>
#include "hybrid/node/topology.h"

/* The processes of this node, as the engine wants to be told of them. */
typedef struct {
    hyb_topology_t *topology; /* this machine's */
    hyb_local_t local;        /* each with the launcher's mask */
    const char **masks;       /* those, by process */
    const char **reaches;     /* what the system would let each process use */
    char *text;               /* of all */
    char machine[1024];       /* hwloc's synthetic description, "": none */
} hyb_neighbours_t;

/*
 * Who shares this node with me, of all in comm; collective.
 * Errors: XH_ERR_MEMORY, XH_ERR_INTERNAL; the same on all of a node
 */
xh_status_t hyb_neighbours_find(MPI_Comm comm, hyb_neighbours_t *neighbours_p);
void hyb_neighbours_free(hyb_neighbours_t *neighbours);

#endif
