/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_AUXIL_H
#define HPL_AUXIL_H

#include "hpl_misc.h"

void HPL_abort(int LINE, const char *SRNAME, const char *FORM, ...);
void HPL_dlacpy(const int M, const int N, const double *A, const int LDA, double *B, const int LDB);
double HPL_dlamch(const HPL_T_MACH CMACH);
double HPL_dlange(const HPL_T_NORM NORM, const int M, const int N, const double *A, const int LDA);
void HPL_dlatcpy(const int M, const int N, const double *A, const int LDA, double *B, const int LDB);
void HPL_fprintf(FILE *STREAM, const char *FORM, ...);
void HPL_warn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM, ...);

#endif
