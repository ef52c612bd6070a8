/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PTIMER_H
#define HPL_PTIMER_H

#include "hpl_misc.h"

/*
 * A second set of stopwatches, with the functions of hpl_timer.h, whose
 * readings can be combined over processes.
 */
#define HPL_NPTIMER 64
#define HPL_PTIMER_STARTFLAG 5.0
#define HPL_PTIMER_ERROR -1.0

/* Slots that the solver uses when built with -DHPL_DETAILED_TIMING. */
#define HPL_TIMING_BEG 11
#define HPL_TIMING_N 6
#define HPL_TIMING_RPFACT 11 /* recursive panel factorization */
#define HPL_TIMING_PFACT 12  /* its leaves */
#define HPL_TIMING_MXSWP 13  /* pivot search and exchange */
#define HPL_TIMING_UPDATE 14 /* trailing update */
#define HPL_TIMING_LASWP 15  /* row exchange */
#define HPL_TIMING_PTRSV 16  /* triangular solve */

void HPL_ptimer_boot(void);
void HPL_ptimer(int IT);
void HPL_ptimer_enable(void);
void HPL_ptimer_disable(void);
double HPL_ptimer_inquire(HPL_T_PTIME TMTYPE, int IT);
double HPL_ptimer_cputime(void);
double HPL_ptimer_walltime(void);

/*
 * Combine the readings of timers IBEG .. IBEG + N - 1 over the processes of
 * COMM by OPE; collective.
 *
 * TIMES  out  N seconds, the same on all processes; HPL_PTIMER_ERROR each
 *             while disabled
 */
void HPL_ptimer_combine(MPI_Comm COMM, HPL_T_PTIME_OP OPE, HPL_T_PTIME TMTYPE,
                        int N, int IBEG, double *TIMES);

#endif
