/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool xh_sysfile_path(const char *folder, const char *file, char *path_p)
{
    int length = snprintf(path_p, XH_SYSFILE_PATH, "%s/%s", folder, file);

    if (length >= 0 && length < XH_SYSFILE_PATH)
        return true;
    path_p[0] = '\0';
    return false;
}

/* The text after key; the whole line if there is no key. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);

    if (length == 0)
        return line;
    if (strncmp(line, key, length) != 0 || line[length] == '\0' ||
        strchr(" \t:", line[length]) == NULL)
        return NULL;
    return line + length + strspn(line + length, " \t:");
}

bool xh_sysfile_value(const char *folder, const char *file, const char *key,
                      char *value_p, size_t size)
{
    char path[XH_SYSFILE_PATH], *line = NULL;
    FILE *in = xh_sysfile_path(folder, file, path) ? fopen(path, "r") : NULL;
    size_t capacity = 0;
    const char *value = NULL;

    if (in == NULL)
        return false;
    while (value == NULL && getline(&line, &capacity, in) > 0)
        value = value_of(line, key);
    if (value != NULL)
        snprintf(value_p, size, "%.*s", (int)strcspn(value, "\n"), value);
    free(line);
    fclose(in);
    return value != NULL;
}

bool xh_sysfile_line(const char *folder, const char *file, char *line_p,
                     size_t size)
{
    return xh_sysfile_value(folder, file, "", line_p, size);
}

bool xh_sysfile_number(const char *folder, const char *file, int64_t *number_p)
{
    char line[64];
    char *end;
    long long number;

    if (!xh_sysfile_line(folder, file, line, sizeof(line)))
        return false;
    number = strtoll(line, &end, 10);
    if (end == line || number < 0)
        return false;
    *number_p = number;
    return true;
}
