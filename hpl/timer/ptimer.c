/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/timer/stopwatch.h"

static hpl_stopwatches_t timers;

void HPL_ptimer_boot(void)
{
    timers = (hpl_stopwatches_t){.disabled = false};
}

void HPL_ptimer_enable(void)
{
    timers.disabled = false;
}

void HPL_ptimer_disable(void)
{
    timers.disabled = true;
}

void HPL_ptimer(const int IT)
{
    hpl_stopwatch_toggle(&timers, IT);
}

double HPL_ptimer_inquire(const HPL_T_PTIME TMTYPE, const int IT)
{
    hpl_seconds_t total = hpl_stopwatch_read(&timers, IT);

    return TMTYPE == HPL_WALL_PTIME ? total.wall : total.cpu;
}

void HPL_ptimer_combine(MPI_Comm COMM, const HPL_T_PTIME_OP OPE,
                        const HPL_T_PTIME TMTYPE, const int N, const int IBEG,
                        double *TIMES)
{
    static const HPL_T_OP operators[] = {
        [HPL_AMAX_PTIME - HPL_AMAX_PTIME] = HPL_max,
        [HPL_AMIN_PTIME - HPL_AMAX_PTIME] = HPL_min,
        [HPL_SUM_PTIME - HPL_AMAX_PTIME] = HPL_sum,
    };
    int i;

    for (i = 0; i < N; i++)
        TIMES[i] = HPL_ptimer_inquire(TMTYPE, IBEG + i);
    if (!timers.disabled)
        HPL_all_reduce(TIMES, N, HPL_DOUBLE, operators[OPE - HPL_AMAX_PTIME],
                       COMM);
}

double HPL_ptimer_cputime(void)
{
    return hpl_seconds_now().cpu;
}

double HPL_ptimer_walltime(void)
{
    return hpl_seconds_now().wall;
}
