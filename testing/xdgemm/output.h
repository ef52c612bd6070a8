/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_OUTPUT_H
#define XDG_OUTPUT_H

#include <stdio.h>
#include "base/status.h"

/*
 * Open the file that an option names, for writing.
 *
 * path    in   NULL: none is wished, and *file_p stays as it is
 *
 * Errors: XH_ERR_INPUT  said
 */
xh_status_t xdg_output_open(const char *path, FILE **file_p);

/* Close it; file NULL does nothing. Errors: XH_ERR_IO  said */
xh_status_t xdg_output_close(const char *path, FILE *file);

#endif
