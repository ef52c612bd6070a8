/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PTIMER_H
#define HPL_PTIMER_H

#include "hpl_misc.h"

void HPL_ptimer_boot(void);
void HPL_ptimer(const int I);
void HPL_ptimer_enable(void);
void HPL_ptimer_disable(void);
double HPL_ptimer_inquire(const HPL_T_PTIME TMTYPE, const int I);
void HPL_ptimer_combine(MPI_Comm COMM, const HPL_T_PTIME_OP OPE, const HPL_T_PTIME TMTYPE, const int N, const int IBEG, double *TIMES);
double HPL_ptimer_cputime(void);
double HPL_ptimer_walltime(void);

#endif
