/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"

/*
 * The name and version of this program's MPI library, its first line about
 * itself.
 *
 * text_p  out  of MPI_MAX_LIBRARY_VERSION_STRING
 */
void xhpl_mpi_library(char *text_p);

/*
 * A launcher of another MPI library starts processes that do not find each
 * other: each is alone and would run all tests. By the environment, was this
 * process, one of `processes`, started as one of more?
 *
 * Errors: XH_ERR_INPUT  it was: the first one of them reports it, with the
 *                       launcher and this program's library
 */
xh_status_t xhpl_launcher_check(int processes);
