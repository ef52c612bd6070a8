/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include "base/clock.h"
#include "hpl.h"

/* Seconds, as a moment or as a length of time. */
typedef struct {
    double wall, cpu; /* base/clock.h; of this process */
} seconds_t;

/* stopwatches that are enabled and disabled together */
typedef struct {
    bool disabled;
    bool runs[HPL_NTIMER];
    seconds_t started[HPL_NTIMER]; /* when, while it runs */
    seconds_t total[HPL_NTIMER];   /* of the times it has run */
} stopwatches_t;

static stopwatches_t timers, ptimers;

static seconds_t now(void)
{
    return (seconds_t){xh_clock_now(), xh_clock_read(CLOCK_PROCESS_CPUTIME_ID)};
}

static bool usable(const stopwatches_t *set, int i)
{
    return !set->disabled && i >= 0 && i < HPL_NTIMER;
}

/* Start stopwatch i, or stop it and add up. */
static void toggle(stopwatches_t *set, int i)
{
    seconds_t moment;

    if (!usable(set, i))
        return;
    moment = now();
    if (set->runs[i]) {
        set->total[i].wall += moment.wall - set->started[i].wall;
        set->total[i].cpu += moment.cpu - set->started[i].cpu;
    }
    set->started[i] = moment;
    set->runs[i] = !set->runs[i];
}

static double inquire(const stopwatches_t *set, bool wall, int i)
{
    if (!usable(set, i))
        return HPL_TIMER_ERROR;
    return wall ? set->total[i].wall : set->total[i].cpu;
}

/* ---- upstream's two sets ------------------------------------------------- */

#define SET(name, set, type_t, WALL)                                           \
    void name##_boot(void)                                                     \
    {                                                                          \
        set = (stopwatches_t){.disabled = false};                              \
    }                                                                          \
    void name##_enable(void)                                                   \
    {                                                                          \
        set.disabled = false;                                                  \
    }                                                                          \
    void name##_disable(void)                                                  \
    {                                                                          \
        set.disabled = true;                                                   \
    }                                                                          \
    void name(int IT)                                                          \
    {                                                                          \
        toggle(&set, IT);                                                      \
    }                                                                          \
    double name##_inquire(type_t TMTYPE, int IT)                               \
    {                                                                          \
        return inquire(&set, TMTYPE == WALL, IT);                              \
    }                                                                          \
    double name##_cputime(void)                                                \
    {                                                                          \
        return now().cpu;                                                      \
    }                                                                          \
    double name##_walltime(void)                                               \
    {                                                                          \
        return now().wall;                                                     \
    }

SET(HPL_timer, timers, HPL_T_TIME, HPL_WALL_TIME)
SET(HPL_ptimer, ptimers, HPL_T_PTIME, HPL_WALL_PTIME)

void HPL_ptimer_combine(MPI_Comm COMM, HPL_T_PTIME_OP OPE, HPL_T_PTIME TMTYPE,
                        int N, int IBEG, double *TIMES)
{
    static const HPL_T_OP operators[] = {
        [HPL_AMAX_PTIME - HPL_AMAX_PTIME] = HPL_max,
        [HPL_AMIN_PTIME - HPL_AMAX_PTIME] = HPL_min,
        [HPL_SUM_PTIME - HPL_AMAX_PTIME] = HPL_sum,
    };

    for (int i = 0; i < N; i++)
        TIMES[i] = HPL_ptimer_inquire(TMTYPE, IBEG + i);
    if (!ptimers.disabled)
        HPL_all_reduce(TIMES, N, HPL_DOUBLE, operators[OPE - HPL_AMAX_PTIME],
                       COMM);
}
