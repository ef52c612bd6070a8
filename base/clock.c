/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

#include <stddef.h>

static xh_clock_fn_t installed;
static void *installed_context;

double xh_clock_read(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double xh_clock_wall(void)
{
    return xh_clock_read(CLOCK_MONOTONIC);
}

double xh_clock_now(void)
{
    return installed != NULL ? installed(installed_context) : xh_clock_wall();
}

struct timespec xh_clock_timespec(double seconds)
{
    time_t whole = (time_t)seconds;

    return (struct timespec){whole, (long)(1e9 * (seconds - (double)whole))};
}

void xh_clock_sleep(double seconds)
{
    const struct timespec t = xh_clock_timespec(seconds);

    nanosleep(&t, NULL);
}

void xh_clock_install(xh_clock_fn_t fn, void *context)
{
    installed = fn;
    installed_context = context;
}
