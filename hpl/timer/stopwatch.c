/* SPDX-License-Identifier: BSD-3-Clause */
#include <time.h>
#include "base/clock.h"
#include "hpl/timer/stopwatch.h"

hpl_seconds_t hpl_seconds_now(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (hpl_seconds_t){.wall = xh_clock_now(),
                           .cpu = (double)used.tv_sec +
                                  1e-9 * (double)used.tv_nsec};
}

static bool usable(const hpl_stopwatches_t *set, int i)
{
    return !set->disabled && i >= 0 && i < HPL_NTIMER;
}

void hpl_stopwatch_toggle(hpl_stopwatches_t *set, int i)
{
    hpl_seconds_t now, *started, *total;

    if (!usable(set, i))
        return;
    now = hpl_seconds_now();
    started = &set->slot[i].started;
    total = &set->slot[i].total;
    if (set->slot[i].runs) {
        total->wall += now.wall - started->wall;
        total->cpu += now.cpu - started->cpu;
    }
    *started = now;
    set->slot[i].runs = !set->slot[i].runs;
}

hpl_seconds_t hpl_stopwatch_read(const hpl_stopwatches_t *set, int i)
{
    if (!usable(set, i))
        return (hpl_seconds_t){HPL_TIMER_ERROR, HPL_TIMER_ERROR};
    return set->slot[i].total;
}
