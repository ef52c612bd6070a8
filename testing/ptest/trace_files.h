/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/output.h"
#include "base/status.h"
#include "testing/ptest/command_line.h"

/*
 * The files of --trace and --iterations: opened before the tests, so that a bad
 * name is refused early, and written after them by process 0 from what all
 * processes recorded. Times of all processes count from open.
 */
enum { XHPL_TRACE, XHPL_ITERATIONS, XHPL_TRACE_FILES };

typedef struct {
    bool is_enabled[XHPL_TRACE_FILES];
    xh_output_t out[XHPL_TRACE_FILES]; /* on process 0 */
    double zero; /* the moment of open, by this process's clock */
} xhpl_trace_files_t;

/*
 * Open the files that command asks for and start recording; collective over
 * MPI_COMM_WORLD. If the solver records no iterations, a warning says so and
 * that file is not touched.
 *
 * command    in   names, which only process 0 reads
 * files_p  out
 *
 * Errors: XH_ERR_INPUT  a file cannot be written: reported, on all processes
 */
xh_status_t xhpl_trace_files_open(const xhpl_command_t *command,
                                  xhpl_trace_files_t *files_p);

/*
 * Write and close the files, and stop recording; collective. A run that solved
 * nothing does not touch the files.
 *
 * solved  in  whether a test was solved; equal on all processes
 *
 * Errors: XH_ERR_MEMORY, XH_ERR_IO  a file is incomplete: reported, on all
 *         processes
 */
xh_status_t xhpl_trace_files_close(xhpl_trace_files_t *files, bool solved);
