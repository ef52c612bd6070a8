/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_GATHER_H
#define XHPL_RECORD_GATHER_H

#include <jansson.h>
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

/* What of the count processes is recorded; all is what they have, by rank. */
typedef json_t *xhpl_record_make_t(void *all, int count);

/* The same, as what make makes of it on process 0; NULL on others. */
json_t *xhpl_record_gathered(MPI_Comm comm, const void *mine, size_t bytes,
                             xhpl_record_make_t *make);

#endif
