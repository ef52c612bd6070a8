/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>
#include "base/command_line.h"
#include "base/status.h"

/* What --help tells: what people use every day, which fits a screen and a half;
 * everything else but what is for tests; the settings of devices; those for
 * tests. */
typedef enum {
    XHPL_HELP_EVERYDAY,
    XHPL_HELP_ALL,
    XHPL_HELP_DEVICES,
    XHPL_HELP_TESTING
} xhpl_topic_t;

/*
 * The topic of that name; NULL: everyday.
 * Errors: XH_ERR_INPUT  there is none: reported, with the nearest
 */
xh_status_t xhpl_help_topic(const char *name, xhpl_topic_t *topic_p);

/* rows  in  the options that are no quantities */
void xhpl_help_print(xhpl_topic_t topic, const xh_option_t *rows, int count,
                     FILE *out);

/* The settings as a file: those for tests only if changed. */
void xhpl_help_print_values(FILE *out);
