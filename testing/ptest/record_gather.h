/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_GATHER_H
#define XHPL_RECORD_GATHER_H

#include <mpi.h>
#include <stddef.h>

/*
 * What all processes of comm have, one behind the other by rank, on its process
 * 0; NULL on others. The caller frees it. Collective; without memory the job
 * ends.
 *
 * mine  in  bytes of it, without pointers
 */
void *xhpl_record_gather(MPI_Comm comm, const void *mine, size_t bytes);

#endif
