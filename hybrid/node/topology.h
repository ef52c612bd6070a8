/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"

/*
 * The node as this process may use it: hwloc's view cut down to the launcher's
 * affinity mask, shared fairly with the other processes of the node.
 */
typedef struct hyb_topology hyb_topology_t;

/*
 * Look at this machine, or at a description of another for tests: an hwloc
 * synthetic string ("pack:2 numa:4 core:8 pu:2") or the path of a saved XML,
 * which has a '/' or ends in ".xml". The affinity mask is what the calling
 * thread may use now; another machine's is all that it allows.
 *
 * source  in  NULL for this machine
 * Errors: XH_ERR_INPUT     no such description
 *         XH_ERR_INTERNAL  this machine does not tell
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_topology_open(const char *source, hyb_topology_t **topology_p);
void hyb_topology_close(hyb_topology_t *topology); /* accepts NULL */

typedef struct { /* the processes of this node */
    int rank;    /* of this one among them, 0 .. count - 1 */
    int count;
    const char *const *masks; /* of each, a text list ("0-3,8"); NULL: all
                                 share mine */
} hyb_local_t;

/*
 * This process's cores: one logical processor a core, in hwloc's order, by the
 * system's number. The affinity mask is law. Where several local processes
 * share one mask, each takes a contiguous share; shares are disjoint and
 * differ by at most one core, and whole NUMA nodes stay together when they
 * can. Where masks overlap in part, cores go first to those who have few. With
 * more processes than cores, processes share cores.
 *
 * cpus_p  out  count >= 1 numbers, freed with free()
 *
 * Order:  processes that ask with the same arguments but for the rank get
 *         shares that fit together.
 * Errors: XH_ERR_ARG  the rank; a mask that is no list; my mask holds no
 *                     processor of this machine
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_topology_cores(const hyb_topology_t *topology,
                               const hyb_local_t *local, int **cpus_p,
                               int *count_p);

/* This process's affinity mask as a text list, for masks above; free(). */
xh_status_t hyb_topology_mask(const hyb_topology_t *topology, char **mask_p);

/*
 * What the system would let this process use if the launcher had set no mask:
 * all that its control groups allow. The calling thread is moved there and
 * back. The affinity mask where the system does not tell; of another machine
 * all that it allows.
 *
 * reach_p  out  a text list, freed with free()
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_topology_reach(const hyb_topology_t *topology, char **reach_p);

/*
 * How many cores, and how many processors, are in any of count masks.
 *
 * cores_p       out  cores with a processor in a mask
 * processors_p  out  hardware threads
 * Errors: XH_ERR_ARG  a mask that is no list
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_topology_count(const hyb_topology_t *topology,
                               const char *const *masks, int count,
                               int *cores_p, int *processors_p);

/* count processors as a text list; free(). Errors: XH_ERR_MEMORY */
xh_status_t hyb_topology_list(const int *cpus, int count, char **list_p);

/*
 * Which of the devices this process drives. Each device has one process where
 * there are enough devices, else each process one device; how many devices a
 * process has, or processes a device, differs by at most one. Those near the
 * process's cores, as hyb_topology_cores shares them, where PCI addresses tell.
 *
 * pci_addresses  in   device_count, "" where unknown
 * mine_p         out  mine_count ascending indices into it, freed with free()
 *
 * Order:  as hyb_topology_cores.
 * Errors: as hyb_topology_cores
 */
xh_status_t hyb_topology_deal(const hyb_topology_t *topology,
                              const hyb_local_t *local,
                              const char *const *pci_addresses,
                              int device_count, int **mine_p,
                              int *mine_count_p);

/*
 * Move the one of cpus that is nearest to a PCI device to their end; the others
 * keep their order. Of equally near ones, as all are where its place is
 * unknown, the last is taken: the first is the main thread's.
 */
void hyb_topology_put_nearest_last(const hyb_topology_t *topology,
                                   const char *pci_address, int *cpus,
                                   int cpu_count);

/* A line for people: sockets, NUMA nodes, cores used of cores present. */
void hyb_topology_describe(const hyb_topology_t *topology, char *text,
                           int size);

/*
 * All of the machine as hwloc's synthetic description, of which
 * hyb_topology_open makes a like one; "" where there is none, as not all parts
 * are alike, or it has size characters or more.
 */
void hyb_topology_synthetic(const hyb_topology_t *topology, char *text,
                            int size);
