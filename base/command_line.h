/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_COMMAND_LINE_H
#define XH_COMMAND_LINE_H

#include <getopt.h>
#include "base/status.h"

/* How a user types an option: "-" before a name of one letter, else "--". */
const char *xh_command_line_dashes(const char *name);

/* What an option does: val is that of its row, value NULL if it takes none. */
typedef xh_status_t (*xh_command_line_fun_t)(int val, const char *value,
                                             void *context);

/*
 * Call apply for each option, in order, as long as it returns XH_OK.
 *
 * table  in  of getopt_long: ends with a row of zeros, has another before it
 *
 * Errors: XH_ERR_INPUT  no such option, with the nearest one named; no value;
 *                       an argument that is no option. All are logged.
 *         what apply returns
 */
xh_status_t xh_command_line_read(int argc, char **argv,
                                 const struct option *table,
                                 xh_command_line_fun_t apply, void *context);

#endif
