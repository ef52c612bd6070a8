/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"

typedef enum { XHPL_READ, XHPL_REPORT, XHPL_WRITTEN } xhpl_file_use_t;

/* a file that a run reads or writes */
typedef struct {
    const char *what; /* who names it, for messages: "--json" */
    const char *name; /* NULL: there is none */
    xhpl_file_use_t use;
} xhpl_named_file_t;

/*
 * May all of the files be used in one run? Names are of the same file if they
 * are equal, or lead to the same place. /dev/null takes everything.
 *
 * Errors: XH_ERR_INPUT  the name of a written file is empty, too long or "-"; a
 *                       file that is not only read is there twice:
 *                       reported
 */
xh_status_t xhpl_named_files_check(const xhpl_named_file_t *files, int count);
