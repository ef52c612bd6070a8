/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/integers.h"
#include "base/log.h"

enum { LONGEST = 64 };

/* row[j]: the distance from the processed part of a to the first j characters
 * of b. */
int64_t xh_text_distance(const char *a, const char *b)
{
    int64_t row[LONGEST];
    int64_t length = xh_smaller((int64_t)strlen(b), LONGEST - 1);

    for (int64_t j = 0; j <= length; j++)
        row[j] = j;
    for (int64_t i = 0; a[i] != '\0'; i++) {
        int64_t diagonal = row[0];

        row[0] = i + 1;
        for (int64_t j = 1; j <= length; j++) {
            int64_t replaced = diagonal + (tolower((unsigned char)a[i]) !=
                                           tolower((unsigned char)b[j - 1]));

            diagonal = row[j];
            row[j] = xh_smaller(replaced, 1 + xh_smaller(row[j], row[j - 1]));
        }
    }
    return row[length];
}

/* The distance of a word; words that begin with text come first. */
static int64_t distance(const char *text, const char *word)
{
    size_t length = strlen(text);

    return length >= 3 && strncasecmp(text, word, length) == 0
               ? 0
               : xh_text_distance(text, word);
}

int xh_text_nearest(const char *text, const char *const *words, int count)
{
    int nearest = 0;

    for (int i = 1; i < count; i++)
        if (distance(text, words[i]) < distance(text, words[nearest]))
            nearest = i;
    return nearest;
}

bool xh_text_is_near(const char *text, const char *word)
{
    size_t length = strlen(text);
    int64_t most = length < 5 ? 1 : xh_larger(2, (int64_t)length / 3);

    return strcasecmp(text, word) == 0 ||
           (length >= 2 && distance(text, word) <= most);
}

bool xh_text_number(const char *text, double *x_p)
{
    static const char units[] = "kKMGT", behind[] = "iB";
    static const double factors[] = {1e3, 1e3, 1e6, 1e9, 1e12};
    char *end;
    double x = strtod(text, &end);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;

    if (end == text || isnan(x))
        return false;
    if (unit != NULL && end[1 + strspn(end + 1, behind)] == '\0')
        x *= factors[unit - units];
    *x_p = x;
    return true;
}

void xh_text_append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list values;

    va_start(values, format);
    vsnprintf(text + length, size - length, format, values);
    va_end(values);
}

/* Write `count` of a large unit, and the rest in small units: "2 h 10 min". */
static xh_words_t two_units(double count, int small, const char *large_name,
                            const char *small_name)
{
    long all = lround(count * small), left = all % small;
    xh_words_t words;

    if (left == 0)
        snprintf(words.text, sizeof(words.text), "%ld %s", all / small,
                 large_name);
    else
        snprintf(words.text, sizeof(words.text), "%ld %s %ld %s", all / small,
                 large_name, left, small_name);
    return words;
}

xh_words_t xh_text_seconds(double seconds)
{
    enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };
    xh_words_t words;

    if (seconds >= 2e9) /* longer than a life */
        snprintf(words.text, sizeof(words.text), "%.0f years",
                 seconds / (365.25 * DAY));
    else if (seconds >= 47.5 * HOUR)
        return two_units(seconds / DAY, 24, "d", "h");
    else if (seconds >= 119.5 * MINUTE)
        return two_units(seconds / HOUR, 60, "h", "min");
    else if (seconds >= 119.5)
        snprintf(words.text, sizeof(words.text), "%.0f min", seconds / MINUTE);
    else if (seconds >= 9.95)
        snprintf(words.text, sizeof(words.text), "%.0f s", seconds);
    else if (seconds >= 0.0995 || seconds <= 0.0)
        snprintf(words.text, sizeof(words.text), "%.2g s", seconds);
    else
        snprintf(words.text, sizeof(words.text), "%.2g ms", 1e3 * seconds);
    return words;
}

xh_words_t xh_text_plain(double x, int digits)
{
    bool is_short = fabs(x) < pow(10.0, digits) - 0.5;
    xh_words_t words;

    snprintf(words.text, sizeof(words.text), is_short ? "%.*g" : "%.*f",
             is_short ? digits : 0, x);
    return words;
}

xh_words_t xh_text_rate(double rate)
{
    static const char *const unit[] = {"Mflop/s", "Gflop/s", "Tflop/s",
                                       "Pflop/s", "Eflop/s"};
    int i = 0, digits;
    xh_words_t words;

    for (rate *= 1e-6; rate >= 999.5 && i < 4; i++)
        rate *= 1e-3;
    digits = rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0;
    snprintf(words.text, sizeof(words.text), "%.*f %s", digits, rate, unit[i]);
    return words;
}

xh_status_t xh_text_close(FILE *out, char **text, const char *what)
{
    bool whole = out != NULL && ferror(out) == 0;

    if (out != NULL && fclose(out) == 0 && whole)
        return XH_OK;
    xh_log_error("cannot write %s: there is no memory for it", what);
    free(*text);
    *text = NULL;
    return XH_ERR_MEMORY;
}

char *xh_text_read(const char *path, size_t most, size_t *length_p)
{
    FILE *file = fopen(path, "rb");
    char *text = file != NULL ? malloc(most) : NULL;
    size_t length = text != NULL ? fread(text, 1, most, file) : most;
    int why = text != NULL && length == most ? EFBIG : errno;

    if (length < most && !ferror(file)) {
        text[length] = '\0';
        *length_p = length;
        fclose(file);
        return text;
    }
    if (file != NULL)
        fclose(file);
    free(text);
    errno = why;
    return NULL;
}
