/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_TIMER_H
#define HPL_TIMER_H

#include "hpl_misc.h"

void HPL_timer_boot(void);
void HPL_timer(const int I);
void HPL_timer_enable(void);
void HPL_timer_disable(void);
double HPL_timer_inquire(const HPL_T_TIME TMTYPE, const int I);
double HPL_timer_cputime(void);
double HPL_timer_walltime(void);

#endif
