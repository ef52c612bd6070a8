/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stddef.h>

static inline int xhpl_rank(MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    return rank;
}

static inline int xhpl_size(MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    return size;
}

/* P of the grid of `processes` that is nearest to a square, and at least as
 * wide as high; processes >= 1. */
int xhpl_grid_rows(int processes);

/* The functions below are collective. */

/*
 * The processes on this node, for MPI_Comm_free. Collective over
 * MPI_COMM_WORLD.
 */
MPI_Comm xhpl_node_comm(void);

/* The rank of this process among the processes of its node. Collective over
 * MPI_COMM_WORLD. */
int xhpl_local_rank(void);

/* A barrier for long waits: processes sleep and leave their cores to other
 * threads. */
void xhpl_idle_barrier(MPI_Comm comm);

/*
 * Send a text of any length to process 0 of comm; receive the text of
 * `process`. Process 0 may receive them in any order.
 *
 * text_p  out  for free(), ends with a 0 byte, which size does not count;
 *              without memory the job ends
 */
void xhpl_text_send(MPI_Comm comm, const char *text, size_t size);
void xhpl_text_receive(MPI_Comm comm, int process, char **text_p,
                       size_t *size_p);

/*
 * Copy the settings of process 0 to all processes of MPI_COMM_WORLD, whatever
 * their own environment sets.
 */
void xhpl_settings_share(void);
