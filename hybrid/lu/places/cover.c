/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/places/cover.h"

#include <math.h>

static void remove_part(hyb_cover_t *cover, int i)
{
    cover->part[i] = cover->part[--cover->count];
}

static void remove_oldest(hyb_cover_t *cover)
{
    int oldest = 0;

    for (int i = 1; i < cover->count; i++)
        if (cover->part[i].end < cover->part[oldest].end)
            oldest = i;
    cover->before = cover->part[oldest].end;
    remove_part(cover, oldest);
}

double hyb_cover_add(hyb_cover_t *cover, double begin, double end)
{
    double from = fmax(begin, cover->before), to = end, fresh = to - from;

    if (fresh <= 0.0)
        return 0.0;
    begin = from;
    for (int i = cover->count - 1; i >= 0; i--) {
        double first = cover->part[i].begin, last = cover->part[i].end;

        if (first > to || last < from)
            continue;
        fresh -= fmin(last, to) - fmax(first, from);
        begin = fmin(begin, first);
        end = fmax(end, last);
        remove_part(cover, i);
    }
    if (cover->count == HYB_COVER_PARTS)
        remove_oldest(cover);
    cover->part[cover->count].begin = begin;
    cover->part[cover->count++].end = end;
    return fmax(fresh, 0.0);
}
