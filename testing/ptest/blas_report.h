/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_BLAS_REPORT_H
#define XHPL_BLAS_REPORT_H

#include "base/status.h"

/*
 * Give the BLAS library the threads of the setting blas_threads, report on
 * stderr which library it is, and unless the setting blas_check is off, warn if
 * its DGEMM is far below the FMA ceiling or uses more cores than one.
 * Collective over MPI_COMM_WORLD; process 0 measures while the others sleep.
 *
 * Cost:   about 0.3 s.
 * Errors: XH_ERR_INPUT  the library of any process takes 64-bit integers:
 *                       reported, on all processes
 */
xh_status_t xhpl_blas_report(void);

#endif
