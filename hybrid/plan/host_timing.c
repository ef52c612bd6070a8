/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/host_timing.h"

#include <stddef.h>
#include "base/clock.h"
#include "base/median.h"

enum { MOST_CALLS = 16 };

/* The seconds of all runs. */
static void time_runs(const xhost_timed_t *timed, int calls, double *seconds)
{
    double begun;
    int i;

    for (i = 0; i < calls; i++) {
        if (timed->prepare != NULL)
            timed->prepare(timed->context);
        begun = xh_clock_now();
        timed->run(timed->context);
        seconds[i] = xh_clock_now() - begun;
    }
}

double xhost_median_seconds(const xhost_timed_t *timed, int calls)
{
    double seconds[MOST_CALLS];

    time_runs(timed, calls, seconds);
    return xh_median(seconds, calls);
}

double xhost_least_seconds(const xhost_timed_t *timed, int calls)
{
    double seconds[MOST_CALLS];

    time_runs(timed, calls, seconds);
    xh_sort(seconds, calls);
    return seconds[0];
}

/* Two rounds of a multiplication that spreads its low bits upwards. */
double xhost_value(int64_t i, int64_t j)
{
    const uint64_t odd = 0xd1342543de82ef95u;
    uint64_t x = ((uint64_t)i << 32) + (uint64_t)j + 1;

    x *= odd;
    x = (x ^ x >> 29) * odd;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-53 - 0.5;
}

void xhost_fill(xh_view_t v, int64_t from, int64_t first, int64_t step)
{
    int64_t i, j;

    for (j = first; j < v.cols; j += step)
        for (i = 0; i < v.rows; i++)
            v.data[i + j * v.ld] = xhost_value(from + i, j);
}
