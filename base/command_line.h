/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include "base/status.h"

/*
 * The command line of a program as a table, one row an option. Most options
 * set a member of the program's own struct of options.
 */
typedef enum {
    XH_OPTION_FLAG,    /* a bool becomes true */
    XH_OPTION_CHOICE,  /* an enum becomes `choice` */
    XH_OPTION_TEXT,    /* a const char * points to the argument */
    XH_OPTION_INT,     /* an int64_t, from least to most */
    XH_OPTION_REAL,    /* a double, from least to most */
    XH_OPTION_SET,     /* the argument is name=value of a setting */
    XH_OPTION_SETTING, /* the argument is the value of the setting `name`, which
                          has _ for - */
    XH_OPTION_OTHER    /* the program's own function is called */
} xh_option_kind_t;

typedef struct {
    const char *name;     /* NULL: no option */
    const char *argument; /* its name in --help; NULL: takes none; "[...]": may
                             have one, else that is NULL */
    xh_option_kind_t kind;
    size_t offset; /* of the member in the struct of options */
    const char *help;
    double least, most;
    int choice; /* also passed to the program's own function */
} xh_option_t;

/* How a user types an option: "-" before a name of one letter, else "--". */
const char *xh_command_line_dashes(const char *name);

/* What an option of XH_OPTION_OTHER does. */
typedef xh_status_t xh_option_fn_t(int choice, const char *argument,
                                   void *options);

/*
 * Apply the options of the command line in order, until one fails.
 *
 * A name is written whole, behind one dash or two; its value is the next word,
 * or stands behind '=', or, a number, behind a name of one letter: -n2000.
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
