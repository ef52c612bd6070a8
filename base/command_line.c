/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/command_line.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/log.h"
#include "base/text.h"

const char *xh_command_line_dashes(const char *name)
{
    return strlen(name) == 1 ? "-" : "--";
}

static const char *nearest_name(const char *name, const struct option *table)
{
    size_t least = SIZE_MAX;
    const char *nearest = NULL;

    for (const struct option *row = table; row->name != NULL; row++) {
        size_t distance = xh_text_distance(name, row->name);

        if (distance < least) {
            least = distance;
            nearest = row->name;
        }
    }
    return nearest;
}

static xh_status_t refuse(const char *found, const struct option *table)
{
    const char *nearest;
    char name[64];

    snprintf(name, sizeof(name), "%s", found + strspn(found, "-"));
    name[strcspn(name, "=")] = '\0';
    nearest = nearest_name(name, table);
    xh_log_error("%.200s is not an option; the nearest is %s%s", found,
                 xh_command_line_dashes(nearest), nearest);
    return XH_ERR_INPUT;
}

xh_status_t xh_command_line_read(int argc, char **argv,
                                 const struct option *table,
                                 xh_command_line_fun_t apply, void *context)
{
    xh_status_t status = XH_OK;
    int val;

    optind = 0; /* getopt starts afresh */
    opterr = 0;
    while (status == XH_OK &&
           (val = getopt_long_only(argc, argv, ":", table, NULL)) != -1) {
        if (val == '?')
            return refuse(argv[optind - 1], table);
        if (val == ':') {
            xh_log_error("%s needs a value", argv[optind - 1]);
            return XH_ERR_INPUT;
        }
        status = apply(val, optarg, context);
    }
    if (status == XH_OK && optind < argc)
        return refuse(argv[optind], table);
    return status;
}
