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

/* What follows is collective. */

/*
 * The processes that run on this node, for MPI_Comm_free. Collective over
 * MPI_COMM_WORLD.
 */
MPI_Comm xhpl_node_comm(void);

/* The rank of this process among them, likewise. */
int xhpl_local_rank(void);

/* A barrier for long waits: processes sleep and leave their cores to others. */
void xhpl_idle_barrier(MPI_Comm comm);

/*
 * Hand a text of any length over to process 0 of comm, which receives them in
 * any order of its own.
 *
 * text_p  out  for free(), with a 0 byte at its end, which size does not count;
 *              running out of memory ends the job
 */
void xhpl_text_send(MPI_Comm comm, const char *text, size_t size);
void xhpl_text_receive(MPI_Comm comm, int process, char **text_p,
                       size_t *size_p);

/*
 * Give all processes of MPI_COMM_WORLD the settings of process 0, whatever
 * their own environment says.
 */
void xhpl_settings_share(void);
