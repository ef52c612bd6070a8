/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* row[j]: from the part of a seen so far to the first j characters of b. */
size_t xh_text_distance(const char *a, const char *b)
{
    size_t row[LONGEST];
    size_t length = least(strlen(b), LONGEST - 1);

    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 1; j <= length; j++) {
            size_t replaced = diagonal + (tolower((unsigned char)a[i]) !=
                                          tolower((unsigned char)b[j - 1]));

            diagonal = row[j];
            row[j] = least(replaced, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[length];
}

int xh_text_nearest(const char *text, const char *const *words, int count)
{
    int nearest = 0;

    for (int i = 1; i < count; i++)
        if (xh_text_distance(text, words[i]) <
            xh_text_distance(text, words[nearest]))
            nearest = i;
    return nearest;
}

void xh_text_append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list values;

    va_start(values, format);
    vsnprintf(text + length, size - length, format, values);
    va_end(values);
}
