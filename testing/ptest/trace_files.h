/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_TRACE_FILES_H
#define XHPL_TRACE_FILES_H

#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"

/*
 * The files of --trace and --iterations: opened before the tests, so that a
 * bad name costs nothing, and written by process 0 after them, with what all
 * processes have recorded. Times count from open, on all processes alike.
 */
typedef struct {
    bool wanted;
    FILE *out; /* on process 0 */
} xhpl_trace_file_t;

typedef struct {
    xhpl_trace_file_t trace, iterations;
    double zero; /* the moment of open, by this process's clock */
} xhpl_trace_files_t;

/*
 * Open what is wanted and start recording; collective over MPI_COMM_WORLD. A
 * solver that keeps no iterations is warned of, and that file left alone.
 *
 * trace, iterations  in   names, "" for none; the same on all processes
 * files_p            out
 *
 * Errors: XH_ERR_INPUT  a file cannot be written, or both are one: said; on
 *                       all processes
 */
xh_status_t xhpl_trace_files_open(const char *trace, const char *iterations,
                                  xhpl_trace_files_t *files_p);

/*
 * Write and close the files, and stop recording; collective.
 * Errors: XH_ERR_MEMORY, XH_ERR_IO  a file is not complete: said; on all
 *                                   processes
 */
xh_status_t xhpl_trace_files_write(xhpl_trace_files_t *files);

#endif
