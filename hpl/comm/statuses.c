/* SPDX-License-Identifier: BSD-3-Clause */
/* In a file of its own, so that no compiler sees an array of none in a call. */
#include "hpl/comm/waits.h"

MPI_Status *const hpl_no_statuses = MPI_STATUSES_IGNORE;
