/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_DAT_READER_H
#define XHPL_DAT_READER_H

#include <stddef.h>
#include "base/status.h"
#include "testing/ptest/parameters.h"

/*
 * HPL.dat: 31 lines in a fixed order. A line's values come first, apart from
 * each other by blanks or tabs, and what follows them is comment. Lines end in
 * LF or CR LF; those after the 31st are ignored.
 */
enum { XHPL_DAT_LINES = 31 };

/* why a file is refused, and where */
typedef struct {
    int line;       /* 1 .. 31 */
    char text[640]; /* found, allowed and nearest, without file and line */
} xhpl_dat_error_t;

/*
 * Read a whole file from memory.
 *
 * text          in   length bytes, any bytes
 * parameters_p  out  every quantity
 * error_p       out  set only on failure
 *
 * Cost:   the bytes of the first 31 lines.
 * Errors: XH_ERR_INPUT  the first line that is not acceptable
 */
xh_status_t xhpl_dat_parse(const char *text, size_t length,
                           xhpl_parameters_t *parameters_p,
                           xhpl_dat_error_t *error_p);

/*
 * Read the file at path.
 * Errors: XH_ERR_IO     cannot be read: said with the cause
 *         XH_ERR_INPUT  said with file, line, what was found, what is allowed,
 *                       and what is nearest to it
 */
xh_status_t xhpl_dat_read(const char *path, xhpl_parameters_t *parameters_p);

#endif
