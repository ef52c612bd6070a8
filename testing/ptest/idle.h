/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_IDLE_H
#define XHPL_IDLE_H

#include <mpi.h>

/*
 * A barrier for processes that may wait long: they sleep, and leave their
 * cores to those at work.
 */
void xhpl_idle_barrier(MPI_Comm comm);

#endif
