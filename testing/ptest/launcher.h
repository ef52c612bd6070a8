/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"

/*
 * Copy the name and version of this program's MPI library, the first line of
 * its own description.
 *
 * text_p  out  MPI_MAX_LIBRARY_VERSION_STRING characters
 */
void xhpl_mpi_library(char *text_p);

/*
 * Check that the launcher belongs to this MPI library. The launcher of another
 * library starts processes that do not find each other, so each would run all
 * tests alone. The environment tells whether this process, one of `processes`,
 * was started together with more.
 *
 * Errors: XH_ERR_INPUT  the launcher does not belong to the library: the first
 *                       process reports both
 */
xh_status_t xhpl_launcher_check(int processes);
