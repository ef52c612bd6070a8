/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"

/*
 * One table of everything that can be tuned and is not a line of HPL.dat.
 * A row gives --set name=value, the environment variable XHPL_NAME, a line of a
 * file of settings, a line of --help, an entry of each run's record, and must
 * stand in docs/SETTINGS.md.
 *
 * Rows stand beside the code that reads them, in the file settings.def of its
 * folder. The Makefile finds these files. A row is one of
 *
 *     XH_SETTING_INT(name, initial, least, most, help)
 *     XH_SETTING_REAL(name, initial, least, most, help)
 *     XH_SETTING_CHOICE(name, initial, choices, help)
 *     XH_SETTING_TEXT(name, initial, help)
 *
 * A program knows all rows, also those of plug-ins it has not loaded and of
 * folders it was built without.
 *
 * The last of these wins, whatever is read first: default, file, environment,
 * --set.
 *
 * Before xh_settings_load every setting has its default. Any thread may read
 * values, but none while another one loads, reads a file or assigns.
 */
typedef enum {
    XH_SETTING_INT,
    XH_SETTING_REAL,
    XH_SETTING_CHOICE, /* a word of a list; xh_settings_int gives its index */
    XH_SETTING_TEXT
} xh_setting_type_t;

typedef struct {
    const char *name;
    xh_setting_type_t type;
    const char *initial; /* the default, as a user would write it */
    double least, most;  /* inclusive range of INT and REAL */
    const char *choices; /* "a|b|c" of CHOICE, else NULL */
    const char *help;    /* one line, no full stop */
    const char *folder;  /* folder of the code that reads it: "hybrid/lu" */
} xh_setting_t;

/* Rows of the table; index 0 .. xh_settings_count() - 1. */
int xh_settings_count(void);
const xh_setting_t *xh_settings_row(int index);

/*
 * Return every setting to its default, then apply XHPL_* of the environment,
 * except variables set by environment modules: XHPL_ROOT, XHPL_DIR,
 * XHPL_VERSION, and XHPL_HOME if it is a path.
 * Errors: XH_ERR_INPUT  an XHPL_ variable that names no setting, or a value out
 *                       of range; each is logged, with the nearest valid one,
 *                       and those settings keep their defaults
 */
xh_status_t xh_settings_load(void);

/*
 * Apply "name=value", as given to --set.
 * Errors: XH_ERR_INPUT  as xh_settings_load; the old value stays
 */
xh_status_t xh_settings_assign(const char *assignment);

/*
 * Apply the lines "name = value" of a file. Blanks around name and value are
 * ignored, as are empty lines and comments, which begin with '#' at the start
 * of a line or after a blank.
 * Errors: XH_ERR_INPUT  the file cannot be read, a line is invalid, or as
 *                       xh_settings_load; each is logged, with file and line,
 *                       and all other lines are applied
 */
xh_status_t xh_settings_read_file(const char *file);

/*
 * Apply the lines of a file that the user did not name, and that may be
 * missing.
 * Errors: XH_ERR_INPUT  also: other users may have written it (base/owner.h)
 */
xh_status_t xh_settings_read_default(const char *file);

/* The value of a setting, which must exist; else abort(). */
int64_t xh_settings_int(const char *name); /* INT, or index of CHOICE */
double xh_settings_real(const char *name);
const char *xh_settings_text(const char *name); /* any type, as text */
bool xh_settings_changed(const char *name);     /* differs from default */

/* Append to list the names of settings that are changed and whose folder is
 * `folder` or below it: "threads, home". */
void xh_settings_list_changed(const char *folder, char *list, size_t size);

/*
 * Where the value was written, as a user would look for it: "default",
 * "xhpl.conf:3", "XHPL_THREADS", "--set".
 */
const char *xh_settings_source(const char *name);

/* Print the rows selected by `wanted` for --help; NULL: all rows. */
void xh_settings_print_help(bool (*wanted)(const xh_setting_t *row), FILE *out);

/*
 * Print the values of the rows selected by `wanted` as a file of settings, with
 * default and source of values that differ from their default.
 */
void xh_settings_print_values(bool (*wanted)(const xh_setting_t *row),
                              FILE *out);
