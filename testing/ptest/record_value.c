/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *xhpl_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* A copy of text in which every byte beyond ASCII is a '?'. */
static json_t *ascii(const char *text)
{
    char *copy = strdup(text);
    json_t *value = NULL;

    if (copy == NULL)
        return NULL;
    for (char *at = copy; *at != '\0'; at++)
        if ((unsigned char)*at > 127)
            *at = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *xhpl_json_text(const char *text)
{
    json_t *value;

    if (text == NULL || text[0] == '\0')
        return json_null();
    value = json_string(text);
    return value != NULL ? value : ascii(text);
}

json_t *xhpl_json_moment(const struct timespec *moment)
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

json_t *xhpl_json_within(json_t *list, int64_t most, int64_t *used)
{
    if (*used >= most) {
        json_decref(list);
        return json_null();
    }
    *used += (int64_t)json_array_size(list);
    return list;
}

void xhpl_json_set_number(json_t *object, const char *key, double x)
{
    json_object_set_new(object, key, xhpl_json_number(x));
}

void xhpl_json_set_count(json_t *object, const char *key, int64_t x)
{
    json_object_set_new(object, key, json_integer(x));
}

void xhpl_json_set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, xhpl_json_text(text));
}
