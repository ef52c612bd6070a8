/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/json/json.h"

#include <math.h>
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

json_t *xh_json_text(const char *text)
{
    json_t *value;

    if (text == NULL || text[0] == '\0')
        return json_null();
    value = json_string(text);
    return value != NULL ? value : ascii(text);
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
