/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"

typedef enum { XHPL_READ, XHPL_REPORT, XHPL_WRITTEN } xhpl_file_use_t;

/* a file that a run reads or writes */
typedef struct {
    const char *what; /* the option that names it, for messages: "--json" */
    const char *name; /* NULL: not given */
    xhpl_file_use_t use;
} xhpl_named_file_t;

/*
 * Check that all files can be used in one run. Two names are one file if they
 * are equal, or lead to the same place. /dev/null may be used any number of
 * times.
 *
 * Errors: XH_ERR_INPUT  the name of a written file is empty, too long or "-";
 *                       or a written file is named twice: reported
 */
xh_status_t xhpl_named_files_check(const xhpl_named_file_t *files, int count);
