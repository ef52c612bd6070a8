/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/json/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *xh_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *xh_json_positive(int64_t x)
{
    return x > 0 ? json_integer(x) : json_null();
}

json_t *xh_json_text(const char *text)
{
    json_t *value;
    char *copy;

    if (text == NULL || text[0] == '\0')
        return json_null();
    value = json_string(text);
    if (value != NULL || (copy = strdup(text)) == NULL)
        return value;
    for (char *at = copy; *at != '\0'; at++)
        if ((unsigned char)*at > 127)
            *at = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *xh_json_moment(const struct timespec *moment)
{
    char text[80];
    struct tm utc;
    size_t length;

    if (gmtime_r(&moment->tv_sec, &utc) == NULL)
        return json_null();
    length = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text + length, sizeof(text) - length, ".%03dZ",
             (int)(moment->tv_nsec / 1000000));
    return json_string(text);
}

json_t *xh_json_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return xh_json_moment(&now);
}

json_t *xh_json_set_members(json_t *object, const xh_json_member_t *members)
{
    for (; members->key != NULL; members++)
        json_object_set_new(object, members->key,
                            members->value != NULL ? members->value
                                                   : json_null());
    return object;
}

/* ---- a table in CSV ------------------------------------------------------ */

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

/* NULL: there is none. */
static json_t *value_of(const char *text, bool is_quoted)
{
    char *end;
    long long whole = strtoll(text, &end, 10);
    double x;

    if (*text == '\0')
        return NULL;
    if (is_quoted)
        return xh_json_text(text);
    if (*end == '\0')
        return json_integer(whole);
    x = strtod(text, &end);
    return *end == '\0' ? xh_json_number(x) : xh_json_text(text);
}

/* Cut the first cell off *rest_p. */
static json_t *take_cell(char **rest_p, bool *is_last_p)
{
    char *text = *rest_p, *end = text;
    bool is_quoted = *text == '"';

    if (is_quoted)
        end = unquote(text);
    end += strcspn(end, ",\n");
    *is_last_p = *end != ',';
    *rest_p = end + (*end != '\0');
    *end = '\0';
    return value_of(text, is_quoted);
}

json_t *xh_json_table(const char *csv, size_t size)
{
    json_t *rows = json_array(), *names = json_array();
    char *text = strndup(csv, size), *rest = text;
    bool is_last = text == NULL;

    while (!is_last)
        json_array_append_new(names, take_cell(&rest, &is_last));
    while (rest != NULL && *rest != '\0') {
        json_t *row = json_object();

        is_last = false;
        for (size_t i = 0; !is_last; i++)
            json_object_set_new(row,
                                json_string_value(json_array_get(names, i)),
                                take_cell(&rest, &is_last));
        json_array_append_new(rows, row);
    }
    json_decref(names);
    free(text);
    return rows;
}
