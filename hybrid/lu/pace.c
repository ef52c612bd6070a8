/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/pace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"

static const double least_flop = 1e7;

void hyb_pace_begin(hyb_pace_t *pace)
{
    if (pace->schedstat == 0)
        pace->schedstat =
            open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

void hyb_pace_end(hyb_pace_t *pace)
{
    if (pace->schedstat > 0)
        close(pace->schedstat);
    pace->schedstat = 0;
}

/* The second number: ns on a run queue. */
static double turns_of_others(const hyb_pace_t *pace)
{
    char text[80], *second;
    ssize_t length;

    if (pace->schedstat <= 0)
        return 0.0;
    length = pread(pace->schedstat, text, sizeof(text) - 1, 0);
    if (length <= 0)
        return 0.0;
    text[length] = '\0';
    strtoull(text, &second, 10);
    return 1e-9 * (double)strtoull(second, NULL, 10);
}

static double processor_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

hyb_pace_mark_t hyb_pace_mark(const hyb_pace_t *pace, double flop)
{
    if (flop < least_flop)
        return (hyb_pace_mark_t){.time = xh_clock_now()};
    return (hyb_pace_mark_t){.time = xh_clock_now(),
                             .cpu = processor_time(),
                             .turns = turns_of_others(pace)};
}

static void add(_Atomic double *sum, double more)
{
    double now = atomic_load_explicit(sum, memory_order_relaxed);

    atomic_store_explicit(sum, now + more, memory_order_relaxed);
}

void hyb_pace_add(hyb_pace_t *pace, hyb_pace_mark_t mark, double flop)
{
    hyb_pace_mark_t now;
    double turns;

    if (flop < least_flop)
        return;
    now = hyb_pace_mark(pace, flop);
    turns = now.turns - mark.turns;
    add(&pace->flop, flop);
    add(&pace->seconds, pace->schedstat > 0 ? now.time - mark.time - turns
                                            : now.cpu - mark.cpu);
    add(&pace->cpu, now.cpu - mark.cpu);
    add(&pace->turns, turns);
}
