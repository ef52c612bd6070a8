/* SPDX-License-Identifier: BSD-3-Clause */
/* Defined in a file of its own, so that compilers do not see an array of size 0
 * in a call. */
#include "hpl/comm/waits.h"

MPI_Status *const hpl_no_statuses = MPI_STATUSES_IGNORE;
