/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/rate_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"

/* ---- points -------------------------------------------------------------- */

/* Below, at or above zero: is p before, the same as or after (size, depth)? */
static int compare(const hyb_rate_point_t *p, int64_t size, int64_t depth)
{
    if (p->depth != depth)
        return p->depth < depth ? -1 : 1;
    return (p->size > size) - (p->size < size);
}

xh_status_t hyb_rate_table_set(hyb_rate_table_t *table, int64_t size,
                               int64_t depth, double rate)
{
    hyb_rate_point_t *p = table->point, *end = p + table->count;

    if (size < 1 || depth < 1 || !(rate > 0.0) || !isfinite(rate))
        return XH_ERR_ARG;
    while (p < end && compare(p, size, depth) < 0)
        p++;
    if (p == end || compare(p, size, depth) != 0) {
        if (table->count == HYB_RATE_POINTS)
            return XH_ERR_ARG;
        memmove(p + 1, p, (size_t)(end - p) * sizeof(*p));
        table->count++;
    }
    *p = (hyb_rate_point_t){size, depth, rate};
    return XH_OK;
}

bool hyb_rate_table_has(const hyb_rate_table_t *table, int64_t size,
                        int64_t depth)
{
    const hyb_rate_point_t *p = table->point, *end = p + table->count;

    while (p < end && compare(p, size, depth) != 0)
        p++;
    return p < end;
}

/* ---- interpolation ------------------------------------------------------- */

/* A line over log x through (x0, y0) and (x1, y1), constant beyond both. */
static double between(double x, double x0, double y0, double x1, double y1)
{
    if (x <= x0 || x1 <= x0)
        return y0;
    if (x >= x1)
        return y1;
    return y0 + (y1 - y0) * log(x / x0) / log(x1 / x0);
}

/* The rate at size along the points from p to end, all of one depth. */
static double rate_along(const hyb_rate_point_t *p, const hyb_rate_point_t *end,
                         double size)
{
    while (p + 1 < end && (double)p[1].size <= size)
        p++;
    if (p + 1 == end)
        return p->rate;
    return between(size, (double)p[0].size, p[0].rate, (double)p[1].size,
                   p[1].rate);
}

static const hyb_rate_point_t *end_of_depth(const hyb_rate_point_t *p,
                                            const hyb_rate_point_t *end)
{
    int64_t depth = p->depth;

    while (p < end && p->depth == depth)
        p++;
    return p;
}

double hyb_rate_table_rate(const hyb_rate_table_t *table, int64_t rows,
                           int64_t cols, int64_t depth)
{
    const hyb_rate_point_t *p = table->point, *end = p + table->count, *next;
    double size =
        2.0 * (double)rows * (double)cols / ((double)rows + (double)cols);

    if (table->count == 0)
        return 0.0;
    next = end_of_depth(p, end);
    while (next < end && next->depth <= depth) {
        p = next;
        next = end_of_depth(p, end);
    }
    if (next == end)
        return rate_along(p, end, size);
    return between((double)depth, (double)p->depth, rate_along(p, next, size),
                   (double)next->depth,
                   rate_along(next, end_of_depth(next, end), size));
}

/* ---- text ---------------------------------------------------------------- */

typedef struct { /* text that grows; ok ends when it does not fit */
    char *at;
    size_t left;
    bool ok;
} writer_t;

__attribute__((format(printf, 2, 3))) static void put(writer_t *w,
                                                      const char *format, ...)
{
    va_list values;
    int length;

    va_start(values, format);
    length = vsnprintf(w->at, w->left, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= w->left) {
        w->ok = false;
        return;
    }
    w->at += length;
    w->left -= (size_t)length;
}

xh_status_t hyb_rate_table_print(const hyb_rate_table_t *table,
                                 const char *model, char *text_p, size_t size)
{
    char text[HYB_RATE_TEXT];
    writer_t w = {text, size < sizeof(text) ? size : sizeof(text), true};
    const hyb_rate_point_t *p = table->point;

    put(&w, "tile rates 3\n%s\n%.6g bytes/s each way\n", model,
        table->link_rate);
    put(&w, "%.6g bytes/s committed by a thread\n", table->commit_rate);
    put(&w, "%d points: size depth flop/s\n", table->count);
    for (; p < table->point + table->count; p++)
        put(&w, "%" PRId64 " %" PRId64 " %.6g\n", p->size, p->depth, p->rate);
    if (!w.ok)
        return XH_ERR_ARG;
    memcpy(text_p, text, sizeof(text) - w.left + 1);
    return XH_OK;
}

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');

    return end == NULL ? text + strlen(text) : end + 1;
}

static bool is_rate(double x)
{
    return x >= 0.0 && isfinite(x);
}

/* Whatever is not exactly as print would write it is refused in the end. */
xh_status_t hyb_rate_table_parse(const char *text, const char *model,
                                 hyb_rate_table_t *table_p)
{
    const char *link = next_line(next_line(text)), *commit = next_line(link);
    const char *line = next_line(next_line(commit));
    hyb_rate_table_t table = {.link_rate = strtod(link, NULL),
                              .commit_rate = strtod(commit, NULL)};
    char again[HYB_RATE_TEXT];
    char *after;

    if (!is_rate(table.link_rate) || !is_rate(table.commit_rate))
        return XH_ERR_INPUT;
    for (; *line != '\0'; line = next_line(line)) {
        int64_t size = strtoll(line, &after, 10);
        int64_t depth = strtoll(after, &after, 10);
        double rate = strtod(after, &after);

        if (hyb_rate_table_set(&table, size, depth, rate) != XH_OK)
            return XH_ERR_INPUT;
    }
    if (hyb_rate_table_print(&table, model, again, sizeof(again)) != XH_OK ||
        strcmp(again, text) != 0)
        return XH_ERR_INPUT;
    *table_p = table;
    return XH_OK;
}
