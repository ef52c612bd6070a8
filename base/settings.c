/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/settings.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/cpu.h"
#include "base/log.h"
#include "base/owner.h"
#include "base/text.h"

#define PREFIX "XHPL_"
#define BLANKS " \t\r\n"

enum {
    NAME = 64,    /* bytes of the longest name, its end included */
    VALUE = 1024, /* bytes of the longest value, its end included */
    SOURCE = 256  /* bytes of the text that says where a value was written */
};

/* The origin of a value; later ones take precedence. */
typedef enum { BY_NOBODY, BY_FILE, BY_ENVIRONMENT, BY_ASSIGNMENT } giver_t;

static const xh_setting_t rows[] = {
#define XH_SETTING_INT(name, initial, least, most, help)                       \
    {#name, XH_SETTING_INT, initial, least,                                    \
     most,  NULL,           help,    XH_SETTING_FOLDER},
#define XH_SETTING_REAL(name, initial, least, most, help)                      \
    {#name, XH_SETTING_REAL,  initial, least, most, NULL,                      \
     help,  XH_SETTING_FOLDER},
#define XH_SETTING_CHOICE(name, initial, choices, help)                        \
    {#name, XH_SETTING_CHOICE, initial, 0, 0, choices, help, XH_SETTING_FOLDER},
#define XH_SETTING_TEXT(name, initial, help)                                   \
    {#name, XH_SETTING_TEXT, initial, 0, 0, NULL, help, XH_SETTING_FOLDER},
#include "settings_table.def" /* made by the Makefile of all settings.def */
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static struct {
    giver_t giver;
    char text[VALUE];
    char source[SOURCE];
} values[ROWS];

extern char **environ;

int xh_settings_count(void)
{
    return ROWS;
}

const xh_setting_t *xh_settings_row(int index)
{
    return &rows[index];
}

/* The index of the row with this name of `length` characters; -1: none. */
static int index_of(const char *name, size_t length)
{
    for (int i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == length &&
            strncmp(rows[i].name, name, length) == 0)
            return i;
    return -1;
}

static const char *current(int index)
{
    return values[index].giver != BY_NOBODY ? values[index].text
                                            : rows[index].initial;
}

/* Copy choice number `index` of "a|b|c". Returns false after the last one. */
static bool choice(const char *choices, int index, char *word_p, size_t size)
{
    for (; index > 0; index--) {
        choices = strchr(choices, '|');
        if (choices == NULL)
            return false;
        choices++;
    }
    snprintf(word_p, size, "%.*s", (int)strcspn(choices, "|"), choices);
    return true;
}

/* The index of the choice equal to text; -1: none. */
static int choice_index(const char *choices, const char *text)
{
    char word[NAME];

    for (int i = 0; choice(choices, i, word, sizeof(word)); i++)
        if (strcmp(word, text) == 0)
            return i;
    return -1;
}

/* The meaning of other words for yes and no, which no distance of words finds.
 */
static const char *on_or_off(const char *text)
{
    static const char *const words[] = {"1", "yes", "true",  "y",
                                        "0", "no",  "false", "n"};

    for (int i = 0; i < 8; i++)
        if (strcasecmp(text, words[i]) == 0)
            return i < 4 ? "on" : "off";
    return text;
}

/* Find the nearest choice; empty if none is near. */
static void nearest_choice(const char *choices, const char *text, char *word_p)
{
    char word[NAME];
    int64_t best = INT64_MAX;

    if (choice_index(choices, "on") >= 0 && choice_index(choices, "off") >= 0)
        text = on_or_off(text);
    for (int i = 0; choice(choices, i, word, sizeof(word)); i++) {
        int64_t distance = xh_text_distance(text, word);

        if (distance < best) {
            strcpy(word_p, word);
            best = distance;
        }
    }
    if (!xh_text_is_near(text, word_p))
        word_p[0] = '\0';
}

/* Parse text that is a number and nothing else; an INT has only digits. */
static bool is_number(const xh_setting_t *row, const char *text, double *x_p)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;

    if (row->type == XH_SETTING_INT ? strspn(digits, "0123456789") == 0
                                    : isspace((unsigned char)*text))
        return false;
    *x_p = row->type == XH_SETTING_INT ? (double)strtoll(text, &end, 10)
                                       : strtod(text, &end);
    return end != text && *end == '\0' && !isnan(*x_p);
}

static void print_allowed(const xh_setting_t *row, char *allowed_p, size_t size)
{
    char word[NAME];
    size_t used = 0;

    switch (row->type) {
    case XH_SETTING_INT:
        snprintf(allowed_p, size, "%.0f to %.0f", row->least, row->most);
        break;
    case XH_SETTING_REAL:
        snprintf(allowed_p, size, "%.10g to %.10g", row->least, row->most);
        break;
    case XH_SETTING_TEXT:
        snprintf(allowed_p, size, "up to %d characters", VALUE - 1);
        break;
    case XH_SETTING_CHOICE:
        for (int i = 0; choice(row->choices, i, word, sizeof(word)); i++)
            used += (size_t)snprintf(allowed_p + used, size - used, "%s%s",
                                     i > 0 ? ", " : "", word);
        break;
    }
}

/* Write "; the nearest is 4": the valid value that the user may have meant by
 * the invalid text; empty if unknown. */
static void print_nearest(const xh_setting_t *row, const char *text,
                          char *nearest_p, size_t size)
{
    char word[NAME] = "";
    double x;

    if (row->type == XH_SETTING_CHOICE)
        nearest_choice(row->choices, text, word);
    else if (row->type != XH_SETTING_TEXT && xh_text_number(text, &x)) {
        x = fmin(fmax(x, row->least), row->most);
        snprintf(word, sizeof(word), "%.15g",
                 row->type == XH_SETTING_INT ? round(x) : x);
    }
    snprintf(nearest_p, size, "%s%s",
             word[0] != '\0' ? "; the nearest is " : "", word);
}

static bool is_valid(const xh_setting_t *row, const char *text)
{
    double x;

    if (strlen(text) >= VALUE)
        return false;
    if (row->type == XH_SETTING_TEXT)
        return true;
    if (row->type == XH_SETTING_CHOICE)
        return choice_index(row->choices, text) >= 0;
    return is_number(row, text, &x) && x >= row->least && x <= row->most;
}

/*
 * Set a setting to `text`, unless its value has an origin with precedence.
 *
 * source  in  as in xh_settings_source
 * said    in  name of the setting in that source: "--set progress"
 */
static xh_status_t set(int index, giver_t giver, const char *source,
                       const char *said, const char *text)
{
    const xh_setting_t *row = &rows[index];
    char allowed[VALUE], nearest[2 * NAME];

    if (!is_valid(row, text)) {
        print_allowed(row, allowed, sizeof(allowed));
        print_nearest(row, text, nearest, sizeof(nearest));
        xh_log_error("%s=%.80s: allowed is %s%s", said, text, allowed, nearest);
        return XH_ERR_INPUT;
    }
    if (giver < values[index].giver)
        return XH_OK;
    strcpy(values[index].text, text);
    snprintf(values[index].source, SOURCE, "%s", source);
    values[index].giver = giver;
    return XH_OK;
}

/* The nearest name; NULL if none is near. */
static const char *near_name(const char *name)
{
    const char *names[ROWS], *nearest;

    for (int i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    nearest = names[xh_text_nearest(name, names, ROWS)];
    return xh_text_is_near(name, nearest) ? nearest : NULL;
}

static xh_status_t refuse_name(const char *said, const char *name)
{
    const char *nearest = near_name(name);

    xh_log_error("%s: no such setting; %s%s", said,
                 nearest != NULL ? "the nearest is " : "--help all lists them",
                 nearest != NULL ? nearest : "");
    return XH_ERR_INPUT;
}

/* Copy name in capital letters. */
static void capitals(const char *name, char capitals_p[NAME])
{
    size_t length = strlen(name);

    for (size_t i = 0; i <= length; i++)
        capitals_p[i] = (char)toupper((unsigned char)name[i]);
}

/* Is the variable set by environment modules, which tell where and which the
 * program is? XHPL_HOME is also a setting, whose values are not paths. */
static bool is_of_module(const char *variable)
{
    static const char *const names[] = {"ROOT=", "DIR=", "VERSION=", "HOME=/"};
    const char *name = variable + strlen(PREFIX);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Set a setting from "XHPL_NAME=value" of the environment. */
static xh_status_t set_from_variable(const char *variable)
{
    size_t length = strcspn(variable, "=");
    char source[NAME + sizeof(PREFIX)], name[NAME];
    const char *nearest;

    snprintf(source, sizeof(source), "%.*s", (int)length, variable);
    for (int i = 0; i < ROWS; i++) {
        capitals(rows[i].name, name);
        if (strcmp(name, source + strlen(PREFIX)) == 0)
            return set(i, BY_ENVIRONMENT, source, source,
                       variable + length + (variable[length] == '='));
    }
    nearest = near_name(source + strlen(PREFIX));
    capitals(nearest != NULL ? nearest : "", name);
    xh_log_error("%s in the environment names no setting: unset it%s%s", source,
                 nearest != NULL ? "; the nearest is " PREFIX : "", name);
    return XH_ERR_INPUT;
}

xh_status_t xh_settings_load(void)
{
    xh_status_t status = XH_OK;

    memset(values, 0, sizeof(values));
    for (char **variable = environ; variable != NULL && *variable != NULL;
         variable++)
        if (strncmp(*variable, PREFIX, strlen(PREFIX)) == 0 &&
            !is_of_module(*variable) && set_from_variable(*variable) != XH_OK)
            status = XH_ERR_INPUT;
    return status;
}

xh_status_t xh_settings_assign(const char *assignment)
{
    size_t length = strcspn(assignment, "=");
    int index = index_of(assignment, length);
    char source[NAME + sizeof("--set ")], allowed[VALUE];

    snprintf(source, sizeof(source), "--set %.*s", (int)length, assignment);
    if (index < 0)
        return refuse_name(source, source + strlen("--set "));
    if (assignment[length] == '=')
        return set(index, BY_ASSIGNMENT, "--set", source,
                   assignment + length + 1);
    print_allowed(&rows[index], allowed, sizeof(allowed));
    xh_log_error("%s: =value is missing; allowed is %s", source, allowed);
    return XH_ERR_INPUT;
}

/* ---- a file of settings -------------------------------------------------- */

/* Remove blanks from both ends of text; returns its new start. */
static char *trim(char *text)
{
    size_t length;

    text += strspn(text, BLANKS);
    length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        length--;
    text[length] = '\0';
    return text;
}

static void cut_comment(char *line)
{
    for (char *at = line; *at != '\0'; at++)
        if (*at == '#' && (at == line || strchr(BLANKS, at[-1]) != NULL)) {
            *at = '\0';
            return;
        }
}

/* Set a setting from a line, without comment and surrounding blanks, not empty;
 * the line is overwritten. */
static xh_status_t set_from_line(const char *source, char *line)
{
    char *sign = strchr(line, '='), *name, said[SOURCE + NAME + 4];
    int index;

    if (sign == NULL) {
        xh_log_error("%s: '%.80s' is no setting; allowed: name = value", source,
                     line);
        return XH_ERR_INPUT;
    }
    *sign = '\0';
    name = trim(line);
    snprintf(said, sizeof(said), "%s: %.*s", source, NAME, name);
    index = index_of(name, strlen(name));
    if (index < 0)
        return refuse_name(said, name);
    return set(index, BY_FILE, source, said, trim(sign + 1));
}

/* Read the lines of a file and close it. in: NULL, with errno set, if it could
 * not be opened. */
static xh_status_t read_lines(FILE *in, const char *file)
{
    xh_status_t status = XH_OK;
    char *line = NULL, *text, source[SOURCE];
    size_t capacity = 0;

    for (int number = 1; in != NULL && getline(&line, &capacity, in) >= 0;
         number++) {
        snprintf(source, sizeof(source), "%.200s:%d", file, number);
        cut_comment(line);
        text = trim(line);
        if (*text != '\0' && set_from_line(source, text) != XH_OK)
            status = XH_ERR_INPUT;
    }
    if (in == NULL || ferror(in)) {
        xh_log_error("cannot read the settings in %s: %s", file,
                     strerror(errno));
        status = XH_ERR_INPUT;
    }
    free(line);
    if (in != NULL)
        fclose(in);
    return status;
}

xh_status_t xh_settings_read_file(const char *file)
{
    return read_lines(fopen(file, "r"), file);
}

xh_status_t xh_settings_read_default(const char *file)
{
    char why[XH_OWNER_WHY];
    FILE *in = NULL;

    if (xh_trusted_open(file, "/proc/self/exe", &in, why) != XH_ERR_INPUT)
        return in == NULL && errno == ENOENT ? XH_OK : read_lines(in, file);
    xh_log_error("%s in this folder is refused: %s; --conf %s reads it all the "
                 "same",
                 file, why, file);
    return XH_ERR_INPUT;
}

/* ---- values -------------------------------------------------------------- */

static int known(const char *name)
{
    int index = index_of(name, strlen(name));

    if (index < 0)
        abort();
    return index;
}

int64_t xh_settings_int(const char *name)
{
    int index = known(name);

    return rows[index].type == XH_SETTING_CHOICE
               ? choice_index(rows[index].choices, current(index))
               : strtoll(current(index), NULL, 10);
}

double xh_settings_real(const char *name)
{
    return strtod(current(known(name)), NULL);
}

const char *xh_settings_text(const char *name)
{
    return current(known(name));
}

bool xh_settings_changed(const char *name)
{
    int index = known(name);

    if (rows[index].type == XH_SETTING_INT ||
        rows[index].type == XH_SETTING_REAL)
        return strtod(current(index), NULL) !=
               strtod(rows[index].initial, NULL);
    return strcmp(current(index), rows[index].initial) != 0;
}

void xh_settings_list_changed(const char *folder, char *list, size_t size)
{
    for (int i = 0; i < ROWS; i++)
        if (strncmp(rows[i].folder, folder, strlen(folder)) == 0 &&
            xh_settings_changed(rows[i].name))
            xh_text_append(list, size, "%s%s", list[0] != '\0' ? ", " : "",
                           rows[i].name);
}

const char *xh_settings_source(const char *name)
{
    int index = known(name);

    return values[index].giver == BY_NOBODY ? "default" : values[index].source;
}

/* ---- printing ------------------------------------------------------------ */

void xh_settings_print_help(bool (*wanted)(const xh_setting_t *row), FILE *out)
{
    char allowed[VALUE];

    for (int i = 0; i < ROWS; i++) {
        if (wanted != NULL && !wanted(&rows[i]))
            continue;
        print_allowed(&rows[i], allowed, sizeof(allowed));
        fprintf(out, "  %s=VALUE  %s (default %s)\n      %s\n", rows[i].name,
                allowed, rows[i].initial[0] != '\0' ? rows[i].initial : "empty",
                rows[i].help);
    }
}

void xh_settings_print_values(bool (*wanted)(const xh_setting_t *row),
                              FILE *out)
{
    for (int i = 0; i < ROWS; i++) {
        const char *name = rows[i].name;

        if (!wanted(&rows[i]))
            continue;
        fprintf(out, "%s = %s", name, current(i));
        if (xh_settings_changed(name))
            fprintf(out, "  # changed by %s, default: %s",
                    xh_settings_source(name), rows[i].initial);
        fputc('\n', out);
    }
}
