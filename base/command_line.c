/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/command_line.h"

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"

enum { OPTIONS_MOST = ':' }; /* below what getopt returns for errors */

const char *xh_command_line_dashes(const char *name)
{
    return strlen(name) == 1 ? "-" : "--";
}

/* ---- arguments ----------------------------------------------------------- */

/* For an argument that is no number, the least valid one is the nearest. */
static xh_status_t refuse_number(const xh_option_t *row, const char *text,
                                 double x)
{
    double nearest =
        isnan(x) ? fmax(row->least, 0.0) : fmin(fmax(x, row->least), row->most);

    if (row->kind == XH_OPTION_INT)
        nearest = floor(nearest);
    xh_log_error("%s%s: '%.80s' is not allowed; allowed: %s %.12g to %.12g; "
                 "the nearest is %.12g",
                 xh_command_line_dashes(row->name), row->name, text,
                 row->kind == XH_OPTION_INT ? "whole numbers," : "numbers,",
                 row->least, row->most, nearest);
    return XH_ERR_INPUT;
}

static xh_status_t read_number(const xh_option_t *row, const char *text,
                               void *member)
{
    char *end;
    double x = strtod(text, &end);

    if (end == text || *end != '\0')
        x = NAN;
    if (!(x >= row->least && x <= row->most) ||
        (row->kind == XH_OPTION_INT && x != floor(x)))
        return refuse_number(row, text, x);
    if (row->kind == XH_OPTION_INT)
        *(int64_t *)member = (int64_t)x;
    else
        *(double *)member = x;
    return XH_OK;
}

static xh_status_t assign(const char *name, const char *value)
{
    char assignment[1280];

    int length = snprintf(assignment, sizeof(assignment), "%s=%s", name, value);

    for (char *at = assignment; *at != '=' && *at != '\0'; at++)
        if (*at == '-')
            *at = '_';
    if (length < (int)sizeof(assignment))
        return xh_settings_assign(assignment);
    xh_log_error("--%s: a value of %zu characters is too long", name,
                 strlen(value));
    return XH_ERR_INPUT;
}

static xh_status_t apply(const xh_option_t *row, const char *argument,
                         xh_option_fn_t *other, void *options)
{
    void *member = (char *)options + row->offset;

    switch (row->kind) {
    case XH_OPTION_FLAG:
        *(bool *)member = true;
        return XH_OK;
    case XH_OPTION_CHOICE:
        *(unsigned int *)member = (unsigned int)row->choice;
        return XH_OK;
    case XH_OPTION_TEXT:
        *(const char **)member = argument;
        return XH_OK;
    case XH_OPTION_INT:
    case XH_OPTION_REAL:
        return read_number(row, argument, member);
    case XH_OPTION_SET:
        return xh_settings_assign(argument);
    case XH_OPTION_SETTING:
        return assign(row->name, argument);
    default:
        return other(row->choice, argument, options);
    }
}

static int argument_kind(const char *argument)
{
    if (argument == NULL)
        return no_argument;
    return argument[0] == '[' ? optional_argument : required_argument;
}

/* ---- options ------------------------------------------------------------- */

static xh_status_t refuse(const char *found, const xh_option_t *rows, int count)
{
    const char *names[OPTIONS_MOST], *nearest;
    char name[64];
    int named = 0;

    snprintf(name, sizeof(name), "%s", found + strspn(found, "-"));
    name[strcspn(name, "=")] = '\0';
    for (int i = 0; i < count && named < OPTIONS_MOST; i++)
        if (rows[i].name != NULL)
            names[named++] = rows[i].name;
    nearest = names[xh_text_nearest(name, names, named)];
    xh_log_error("%.200s is not an option; the nearest is %s%s", found,
                 xh_command_line_dashes(nearest), nearest);
    return XH_ERR_INPUT;
}

xh_status_t xh_command_line_read(int argc, char **argv, const xh_option_t *rows,
                                 int count, xh_option_fn_t *other,
                                 void *options)
{
    struct option table[OPTIONS_MOST + 1];
    xh_status_t status = XH_OK;
    int filled = 0, row;

    memset(table, 0, sizeof(table));
    for (int i = 0; i < count && filled < OPTIONS_MOST; i++)
        if (rows[i].name != NULL)
            table[filled++] = (struct option){
                rows[i].name, argument_kind(rows[i].argument), NULL, i};
    optind = 0; /* getopt starts afresh */
    opterr = 0;
    while (status == XH_OK &&
           (row = getopt_long_only(argc, argv, ":", table, NULL)) != -1) {
        if (row == '?')
            return refuse(argv[optind - 1], rows, count);
        if (row == ':') {
            xh_log_error("%s needs a value", argv[optind - 1]);
            return XH_ERR_INPUT;
        }
        if (argument_kind(rows[row].argument) == optional_argument &&
            optarg == NULL && optind < argc && argv[optind][0] != '-')
            optarg = argv[optind++]; /* the next word */
        status = apply(&rows[row], optarg, other, options);
    }
    if (status == XH_OK && optind < argc)
        return refuse(argv[optind], rows, count);
    return status;
}

void xh_command_line_print_help(const xh_option_t *rows, int count, FILE *out)
{
    for (int i = 0; i < count; i++)
        fprintf(out, "  %s%s%s%s\n      %s\n",
                xh_command_line_dashes(rows[i].name), rows[i].name,
                rows[i].argument == NULL ? "" : " ",
                rows[i].argument == NULL ? "" : rows[i].argument, rows[i].help);
}
