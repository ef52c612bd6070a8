/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/timer/stopwatch.h"

static hpl_stopwatches_t timers;

void HPL_timer_boot(void)
{
    timers = (hpl_stopwatches_t){.disabled = false};
}

void HPL_timer_enable(void)
{
    timers.disabled = false;
}

void HPL_timer_disable(void)
{
    timers.disabled = true;
}

void HPL_timer(const int IT)
{
    hpl_stopwatch_toggle(&timers, IT);
}

double HPL_timer_inquire(const HPL_T_TIME TMTYPE, const int IT)
{
    hpl_seconds_t total = hpl_stopwatch_read(&timers, IT);

    return TMTYPE == HPL_WALL_TIME ? total.wall : total.cpu;
}

double HPL_timer_cputime(void)
{
    return hpl_seconds_now().cpu;
}

double HPL_timer_walltime(void)
{
    return hpl_seconds_now().wall;
}
