/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "testing/ptest/parameters.h"

/*
 * Set the threads of the BLAS library to blas_threads, and report on stderr
 * which library it is. If an N is at least 2000, warn if DGEMM is far below the
 * FMA ceiling or uses more than one core. Collective over MPI_COMM_WORLD;
 * process 0 measures while the other processes sleep.
 *
 * Cost:   0.1 s; 0.4 s if other threads disturb a slow DGEMM.
 * Errors: XH_ERR_INPUT  the library of any process takes 64-bit integers:
 *                       reported, on all processes
 */
xh_status_t xhpl_blas_report(const xhpl_parameters_t *parameters);
