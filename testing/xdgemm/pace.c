/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/pace.h"

#include <math.h>

#define LONGEST 1.0 /* seconds of a window */
#define WINDOWS 40  /* of shorter tortures */
#define LAST 0.1    /* part of the time that counts as the end */
#define SPACINGS 100

void xdg_pace_begin(xdg_pace_t *pace, double seconds)
{
    *pace = (xdg_pace_t){.window = fmin(LONGEST, seconds / WINDOWS),
                         .spacing = seconds / SPACINGS,
                         .best = NAN,
                         .marks = 1}; /* nothing at time 0 */
}

static double rate_between(xdg_mark_t from, xdg_mark_t to)
{
    return (to.total - from.total) / (to.time - from.time);
}

void xdg_pace_add(xdg_pace_t *pace, double time, double total)
{
    const xdg_mark_t now = {time, total};

    if (time - pace->window_begin.time >= pace->window &&
        pace->windows <= XDG_PACE_WINDOWS) {
        if (pace->windows++ > 0)
            pace->best =
                fmax(pace->best, rate_between(pace->window_begin, now));
        pace->window_begin = now;
    }
    if (time - pace->mark[pace->marks - 1].time >= pace->spacing &&
        pace->marks < XDG_PACE_MARKS)
        pace->mark[pace->marks++] = now;
    pace->last = now;
}

double xdg_pace_start(const xdg_pace_t *pace)
{
    return pace->best;
}

double xdg_pace_end(const xdg_pace_t *pace)
{
    int i = pace->marks - 1;

    while (i > 0 && pace->mark[i].time > (1.0 - LAST) * pace->last.time)
        i--;
    return pace->last.time > 0.0 ? rate_between(pace->mark[i], pace->last)
                                 : NAN;
}
