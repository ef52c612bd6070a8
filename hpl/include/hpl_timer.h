/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_TIMER_H
#define HPL_TIMER_H

#include "hpl_misc.h"

/*
 * HPL_NTIMER stopwatches that count wall and CPU seconds of this process. While
 * they are disabled, HPL_timer does nothing and readings are errors.
 */
#define HPL_NTIMER 64
#define HPL_TIMER_STARTFLAG 5.0
#define HPL_TIMER_ERROR -1.0

/* Set every timer to zero, stopped, and enable them all. */
void HPL_timer_boot(void);

/* Start timer IT, 0 <= IT < HPL_NTIMER; the next call stops it and adds the
 * time to its total. */
void HPL_timer(int IT);

void HPL_timer_enable(void);
void HPL_timer_disable(void);

/* Total seconds of timer IT; HPL_TIMER_ERROR while disabled. */
double HPL_timer_inquire(HPL_T_TIME TMTYPE, int IT);

/* CPU seconds this process has used. */
double HPL_timer_cputime(void);

/* Seconds since some fixed moment: base/clock.h's xh_clock_now. */
double HPL_timer_walltime(void);

#endif
