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
    XH_SETTING_CHOICE, /* one of a list of words; get_int gives its index */
    XH_SETTING_TEXT
} xh_setting_type_t;

typedef struct {
    const char *name;
    xh_setting_type_t type;
    const char *initial; /* the default, as a user would write it */
    double least, most;  /* inclusive range of INT and REAL */
    const char *choices; /* "a|b|c" of CHOICE, else NULL */
    const char *help;    /* one line, no full stop */
    const char *folder;  /* of what reads it: "hybrid/lu" */
} xh_setting_t;

/* Rows of the table; index 0 .. xh_settings_count() - 1. */
int xh_settings_count(void);
const xh_setting_t *xh_settings_row(int index);

/*
 * Return every setting to its default, then apply XHPL_* of the environment,
 * without what modules set: XHPL_ROOT, XHPL_DIR, XHPL_VERSION, and XHPL_HOME if
 * it is a path.
 * Errors: XH_ERR_INPUT  an XHPL_ variable that names no setting, or a value
 *                       out of range; each is said, with the nearest valid
 *                       one, and the settings concerned keep their defaults
 */
xh_status_t xh_settings_load(void);

/*
 * Apply "name=value", as given to --set.
 * Errors: XH_ERR_INPUT  as xh_settings_load; the old value stays
 */
xh_status_t xh_settings_assign(const char *assignment);

/*
 * Apply the lines "name = value" of a file. Blanks around name and value do not
 * count; neither do empty lines, nor what follows a '#' at the start of a line
 * or behind a blank.
 * Errors: XH_ERR_INPUT  the file cannot be read, a line is no such line, or as
 *                       xh_settings_load; each is said, with file and line, and
 *                       the other lines are applied
 */
xh_status_t xh_settings_read_file(const char *file);

/*
 * The same for a file that nobody named, and that may be missing.
 * Errors: XH_ERR_INPUT  also: others may have written it (base/owner.h)
 */
xh_status_t xh_settings_read_default(const char *file);

/* The value of a setting that is known to exist, else abort(). */
int64_t xh_settings_int(const char *name); /* INT, or index of CHOICE */
double xh_settings_real(const char *name);
const char *xh_settings_text(const char *name); /* any type, as text */
bool xh_settings_changed(const char *name);     /* differs from default */

/* Append the names of those that differ from their defaults and are of a
 * folder, or one below it, to list: "threads, home". */
void xh_settings_list_changed(const char *folder, char *list, size_t size);

/*
 * Where the value was written, as a user would look for it: "default",
 * "xhpl.conf:3", "XHPL_THREADS", "--set".
 */
const char *xh_settings_source(const char *name);

/* Print the rows that are wanted for --help; NULL: all. */
void xh_settings_print_help(bool (*wanted)(const xh_setting_t *row), FILE *out);

/*
 * Print the values of the rows that are wanted as a file of settings, with the
 * default and the source of those that differ from it.
 */
void xh_settings_print_values(bool (*wanted)(const xh_setting_t *row),
                              FILE *out);
