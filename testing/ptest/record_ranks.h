/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_RANKS_H
#define XHPL_RECORD_RANKS_H

#include <jansson.h>
#include <mpi.h>
#include "hpl_solver.h"

/*
 * "ranks" of a test: what each process of comm, those of the test, did in it.
 * On process 0 of comm; NULL on others. Collective.
 *
 * system  in  that was solved; unused where the solver does not tell
 */
json_t *xhpl_record_ranks(MPI_Comm comm, const hpl_system_t *system);

#endif
