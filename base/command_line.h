/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include "base/status.h"

/*
 * The command line of a program as a table, one row per option. Most options
 * set a member of the program's own struct of options.
 */
typedef enum {
    XH_OPTION_FLAG,    /* a bool becomes true */
    XH_OPTION_CHOICE,  /* an enum becomes `choice` */
    XH_OPTION_TEXT,    /* a const char * points to the argument */
    XH_OPTION_INT,     /* an int64_t, from least to most */
    XH_OPTION_REAL,    /* a double, from least to most */
    XH_OPTION_SET,     /* the argument is name=value of a setting */
    XH_OPTION_SETTING, /* the argument is the value of setting `name`, with _
                          instead of - */
    XH_OPTION_OTHER    /* the program's own function is called */
} xh_option_kind_t;

typedef struct {
    const char *name;     /* NULL: this row is not an option */
    const char *argument; /* its name in --help; NULL: no argument; "[...]": an
                             optional argument, NULL if missing */
    xh_option_kind_t kind;
    size_t offset; /* of the member in the struct of options */
    const char *help;
    double least, most;
    int choice; /* also passed to the program's own function */
} xh_option_t;

/* Return the dashes before an option: "-" for a name of one letter, else "--".
 */
const char *xh_command_line_dashes(const char *name);

/* Handle an option of kind XH_OPTION_OTHER. */
typedef xh_status_t xh_option_fn_t(int choice, const char *argument,
                                   void *options);

/*
 * Apply the options of the command line in order, until one fails.
 *
 * A name is written in full, after one or two dashes. Its value is the next
 * word, or follows '='; a number may also follow a name of one letter: -n2000.
 *
 * rows     in      at most 64, two or more with a name
 * other    in      NULL: no row is XH_OPTION_OTHER
 * options  in,out  the program's struct of options
 *
 * Errors: XH_ERR_INPUT  an unknown option, a missing or invalid argument:
 *                       reported with the nearest valid one
 *         those of other
 */
xh_status_t xh_command_line_read(int argc, char **argv, const xh_option_t *rows,
                                 int count, xh_option_fn_t *other,
                                 void *options);

/* Print the rows for --help, two lines each. */
void xh_command_line_print_help(const xh_option_t *rows, int count, FILE *out);
