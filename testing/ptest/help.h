/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>
#include "base/command_line.h"
#include "base/status.h"

/* Topics of --help: options for every day, which fit one and a half screens;
 * all other options and settings except those for tests; settings of devices;
 * settings for tests. */
typedef enum {
    XHPL_HELP_EVERYDAY,
    XHPL_HELP_ALL,
    XHPL_HELP_DEVICES,
    XHPL_HELP_TESTING
} xhpl_topic_t;

/*
 * Find the topic called `name`; NULL means everyday options.
 * Errors: XH_ERR_INPUT  there is no such topic: reported, with the nearest one
 */
xh_status_t xhpl_help_topic(const char *name, xhpl_topic_t *topic_p);

/* rows  in  the options that are not quantities */
void xhpl_help_print(xhpl_topic_t topic, const xh_option_t *rows, int count,
                     FILE *out);

/* Print the settings as a file; settings for tests only if changed. */
void xhpl_help_print_values(FILE *out);
