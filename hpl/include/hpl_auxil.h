/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_AUXIL_H
#define HPL_AUXIL_H

#include "hpl_misc.h"

/*
 * Write one line on stderr - SRNAME, LINE and the message of printf's FORM -
 * and exit with status 3. LINE <= 0 is left out. For programs without MPI; see
 * HPL_pabort.
 */
void HPL_abort(int LINE, const char *SRNAME, const char *FORM, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/* Write the same line on STREAM, as a warning. */
void HPL_warn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM, ...)
    __attribute__((format(printf, 4, 5)));

/* Call fprintf, then flush STREAM. */
void HPL_fprintf(FILE *STREAM, const char *FORM, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * B := A
 *
 * A  in   M x N, column-major, LDA >= max(1, M)
 * B  out  M x N, column-major, LDB >= max(1, M); does not overlap A
 */
void HPL_dlacpy(int M, int N, const double *A, int LDA, double *B, int LDB);

/*
 * B := A^T
 *
 * A  in   N x M, column-major, LDA >= max(1, N)
 * B  out  M x N, column-major, LDB >= max(1, M); does not overlap A
 */
void HPL_dlatcpy(int M, int N, const double *A, int LDA, double *B, int LDB);

/* The machine constant CMACH of double arithmetic, described at HPL_T_MACH. */
double HPL_dlamch(HPL_T_MACH CMACH);

/*
 * Norm of A, M x N, column-major, LDA >= max(1, M): its largest entry
 * (HPL_NORM_A), column sum (HPL_NORM_1) or row sum (HPL_NORM_I) in absolute
 * value; 0 for an empty matrix. A NaN anywhere gives NaN.
 */
double HPL_dlange(HPL_T_NORM NORM, int M, int N, const double *A, int LDA);

#endif
