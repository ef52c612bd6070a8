/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PAUXIL_H
#define HPL_PAUXIL_H

#include "hpl_misc.h"

int HPL_indxg2l(const int IG, const int INB, const int NB, const int SRCPROC, const int NPROCS);
void HPL_indxg2lp(int *IL, int *PROC, const int IG, const int INB, const int NB, const int SRCPROC, const int NPROCS);
int HPL_indxg2p(const int IG, const int INB, const int NB, const int SRCPROC, const int NPROCS);
int HPL_indxl2g(const int IL, const int INB, const int NB, const int PROC, const int SRCPROC, const int NPROCS);
void HPL_infog2l(int I, int J, const int IMB, const int MB, const int INB, const int NB, const int RSRC, const int CSRC, const int MYROW, const int MYCOL, const int NPROW, const int NPCOL, int *II, int *JJ, int *PROW, int *PCOL);
int HPL_numroc(const int N, const int INB, const int NB, const int PROC, const int SRCPROC, const int NPROCS);
int HPL_numrocI(const int N, const int I, const int INB, const int NB, const int PROC, const int SRCPROC, const int NPROCS);
void HPL_pabort(int LINE, const char *SRNAME, const char *FORM, ...);
double HPL_pdlamch(MPI_Comm COMM, const HPL_T_MACH CMACH);
double HPL_pdlange(const HPL_T_grid *GRID, const HPL_T_NORM NORM, const int M, const int N, const int NB, const double *A, const int LDA);
void HPL_pdlaprnt(const HPL_T_grid *GRID, const int M, const int N, const int NB, double *A, const int LDA, const int IAROW, const int IACOL, const char *CMATNM);
void HPL_pwarn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM, ...);

#endif
