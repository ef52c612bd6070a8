/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_GATHER_H
#define XHPL_RECORD_GATHER_H

#include <stddef.h>

/*
 * What all processes have, one behind the other by rank, on process 0; NULL on
 * others. The caller frees it. Collective over MPI_COMM_WORLD; without memory
 * the job ends.
 *
 * mine  in  bytes of it, without pointers
 */
void *xhpl_record_gather(const void *mine, size_t bytes);

#endif
