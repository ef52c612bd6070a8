/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include "base/status.h"
#include "testing/ptest/parameters.h"

/*
 * HPL.dat: 31 lines in a fixed order. A line starts with its values, separated
 *          by blanks or tabs; the rest is comment. Lines end in LF or CR LF;
 *          lines after the 31st are ignored.
 */
enum { XHPL_DAT_LINES = 31 };

/* Why and where a file is refused, or how a value is changed. */
typedef struct {
    int line;       /* 1 .. 31 */
    char text[640]; /* without file and line: found, allowed and nearest */
} xhpl_dat_error_t;

/* Values that HPL 2.3, and this program, replace by other values. */
typedef struct {
    int count;
    xhpl_dat_error_t note[XHPL_QUANTITIES];
} xhpl_dat_notes_t;

/*
 * Read a whole file from memory.
 *
 * text          in   length bytes, any bytes
 * parameters_p  out  every quantity
 * notes_p       out  at most one per line, whatever the status
 * error_p       out  set only on failure
 *
 * Cost:   the bytes of the first 31 lines.
 * Errors: XH_ERR_INPUT  the first line that is not acceptable; or, if comments
 *                       of HPL 2.3 show it, the first line that has another
 *                       line's comment
 */
xh_status_t xhpl_dat_parse(const char *text, size_t length,
                           xhpl_parameters_t *parameters_p,
                           xhpl_dat_notes_t *notes_p,
                           xhpl_dat_error_t *error_p);

/*
 * Read the file at path.
 * Errors: XH_ERR_IO     it cannot be read: reported with the cause
 *         XH_ERR_INPUT  reported with file, line, what was found, what is
 *                       allowed, and the nearest allowed value
 */
xh_status_t xhpl_dat_read(const char *path, xhpl_parameters_t *parameters_p);

/*
 * Write parameters as an HPL.dat of 31 lines, each with the comment of HPL 2.3
 * after its values. xhpl_dat_read returns the same parameters.
 */
void xhpl_dat_write(FILE *out, const xhpl_parameters_t *parameters);

/*
 * The file of --write: check whether it can be written now; write it. An
 * existing file is not replaced, and an incomplete one is removed.
 * Errors: XH_ERR_INPUT  reported
 */
xh_status_t xhpl_dat_try(const char *name);
xh_status_t xhpl_dat_create(const char *name,
                            const xhpl_parameters_t *parameters);
