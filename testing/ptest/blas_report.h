/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_BLAS_REPORT_H
#define XHPL_BLAS_REPORT_H

#include "base/status.h"

/*
 * Give the BLAS library the threads of the setting blas_threads, say on stderr
 * which library it is, and warn when its DGEMM is far below what the core can
 * do, or keeps more cores busy than the one it may (unless the setting
 * blas_check is off). Collective over MPI_COMM_WORLD; process 0 measures and
 * speaks while the others sleep.
 *
 * Cost:   about 0.3 s.
 * Errors: XH_ERR_INPUT  on any process: the library takes 64-bit integers;
 *                       all return it, it is said
 */
xh_status_t xhpl_blas_report(void);

#endif
