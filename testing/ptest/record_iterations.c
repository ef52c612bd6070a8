/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "testing/json/json.h"

enum { COLUMNS = 64 }; /* at most */

/* a cell of CSV, without its quotes */
typedef struct {
    const char *text;
    bool quoted;
} cell_t;

typedef struct {
    int count;
    cell_t cell[COLUMNS];
} line_t;

/* Take the quotes off a cell in place; returns what follows the last one. */
static char *unquote(char *text)
{
    char *to = text, *from = text + 1;

    while (*from != '\0' && (from[0] != '"' || from[1] == '"')) {
        from += from[0] == '"';
        *to++ = *from++;
    }
    from += *from == '"';
    if (to < from)
        *to = '\0';
    return from;
}

/* Cut the line at text in cells; returns what follows it. */
static char *cut(char *text, line_t *line_p)
{
    char separator = ',';

    for (line_p->count = 0; separator == ',' && line_p->count < COLUMNS;) {
        cell_t *cell = &line_p->cell[line_p->count++];
        char *end = text;

        *cell = (cell_t){.text = text, .quoted = *text == '"'};
        if (cell->quoted)
            end = unquote(text);
        end += strcspn(end, ",\n");
        separator = *end;
        *end = '\0';
        text = end + (separator != '\0');
    }
    return text;
}

static json_t *value_of(const cell_t *cell)
{
    char *end;
    long long whole = strtoll(cell->text, &end, 10);
    double x;

    if (cell->quoted)
        return xh_json_text(cell->text);
    if (*end == '\0')
        return json_integer(whole);
    x = strtod(cell->text, &end);
    return *end == '\0' ? xh_json_number(x) : xh_json_text(cell->text);
}

static json_t *row_of(const line_t *names, const line_t *line)
{
    json_t *row = json_object();

    for (int i = 0; i < line->count && i < names->count; i++)
        if (line->cell[i].text[0] != '\0')
            json_object_set_new(row, names->cell[i].text,
                                value_of(&line->cell[i]));
    return row;
}

json_t *xhpl_record_iterations(const char *csv, size_t size)
{
    json_t *rows = json_array();
    char *text = strndup(csv, size), *rest = text;
    line_t names, line;

    if (text == NULL)
        return rows;
    rest = cut(rest, &names);
    while (*rest != '\0') {
        rest = cut(rest, &line);
        json_array_append_new(rows, row_of(&names, &line));
    }
    free(text);
    return rows;
}
