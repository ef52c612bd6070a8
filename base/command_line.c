/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/command_line.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"

enum { OPTIONS_MOST = 64 };

const char *xh_command_line_dashes(const char *name)
{
    return strlen(name) == 1 ? "-" : "--";
}

/* ---- arguments ----------------------------------------------------------- */

/* Refuse an argument. If it is not a number, x is NaN, and no number is
 * suggested. */
static xh_status_t refuse_number(const xh_option_t *row, const char *text,
                                 double x)
{
    double nearest = fmin(fmax(x, row->least), row->most);
    char advice[64] = "";

    if (row->kind == XH_OPTION_INT)
        nearest = floor(nearest);
    if (!isnan(x))
        snprintf(advice, sizeof(advice), "; the nearest is %.12g", nearest);
    xh_log_error("%s%s: '%.80s' is not allowed; allowed: %s %.12g to %.12g%s",
                 xh_command_line_dashes(row->name), row->name, text,
                 row->kind == XH_OPTION_INT ? "whole numbers," : "numbers,",
                 row->least, row->most, advice);
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

/* ---- options ------------------------------------------------------------- */

static xh_status_t refuse(const char *found, const xh_option_t *rows, int count)
{
    const char *names[OPTIONS_MOST], *nearest;
    char name[64];
    int named = 0, best;

    snprintf(name, sizeof(name), "%s", found + strspn(found, "-"));
    name[strcspn(name, "=")] = '\0';
    for (int i = 0; i < count && named < OPTIONS_MOST; i++)
        if (rows[i].name != NULL)
            names[named++] = rows[i].name;
    best = xh_text_nearest(name, names, named);
    if (!xh_text_is_near(name, names[best])) {
        xh_log_error("%.200s is not an option; --help lists them", found);
        return XH_ERR_INPUT;
    }
    nearest = names[best];
    xh_log_error("%.200s is not an option; the nearest is %s%s", found,
                 xh_command_line_dashes(nearest), nearest);
    return XH_ERR_INPUT;
}

/*
 * Find the row of a word: "-name", "--name" or "--name=value", with the whole
 * name, or "-n2000" for a name of one letter; "-h" is --help. NULL: there is
 * none.
 *
 * value_p  out  NULL: the word has no value
 */
static const xh_option_t *find(const char *word, const xh_option_t *rows,
                               int count, const char **value_p)
{
    const char *name;
    size_t length;

    if (word[0] != '-')
        return NULL;
    if (strcmp(word, "-h") == 0)
        word = "--help";
    name = word + (word[1] == '-' ? 2 : 1);
    length = strcspn(name, "=");
    *value_p = name[length] == '=' ? name + length + 1 : NULL;
    for (int i = 0; i < count; i++)
        if (rows[i].name != NULL && strlen(rows[i].name) == length &&
            strncmp(rows[i].name, name, length) == 0)
            return &rows[i];
    *value_p = name + 1;
    for (int i = 0; i < count && word[1] != '-'; i++)
        if (rows[i].name != NULL && strlen(rows[i].name) == 1 &&
            rows[i].name[0] == name[0] && isdigit((unsigned char)name[1]))
            return &rows[i];
    return NULL;
}

/* Find the value for a row, which may be the next word. *count_p is the number
 * of words used. */
static xh_status_t find_value(const xh_option_t *row, char **words, int left,
                              const char **value, int *count_p)
{
    bool is_optional = row->argument != NULL && row->argument[0] == '[';

    *count_p = 1;
    if (row->argument == NULL && *value != NULL) {
        xh_log_error("%s: this option takes no value", words[0]);
        return XH_ERR_INPUT;
    }
    if (row->argument == NULL || *value != NULL ||
        (is_optional && (left == 1 || words[1][0] == '-')))
        return XH_OK;
    if (left == 1) {
        xh_log_error("%s needs a value", words[0]);
        return XH_ERR_INPUT;
    }
    *value = words[1];
    *count_p = 2;
    return XH_OK;
}

xh_status_t xh_command_line_read(int argc, char **argv, const xh_option_t *rows,
                                 int count, xh_option_fn_t *other,
                                 void *options)
{
    const xh_option_t *row;
    const char *value;

    for (int i = 1, taken; i < argc; i += taken) {
        row = find(argv[i], rows, count, &value);
        if (row == NULL)
            return refuse(argv[i], rows, count);
        XH_TRY(find_value(row, argv + i, argc - i, &value, &taken));
        XH_TRY(apply(row, value, other, options));
    }
    return XH_OK;
}

void xh_command_line_print_help(const xh_option_t *rows, int count, FILE *out)
{
    for (int i = 0; i < count; i++)
        fprintf(out, "  %s%s%s%s\n      %s\n",
                xh_command_line_dashes(rows[i].name), rows[i].name,
                rows[i].argument == NULL ? "" : " ",
                rows[i].argument == NULL ? "" : rows[i].argument, rows[i].help);
}
