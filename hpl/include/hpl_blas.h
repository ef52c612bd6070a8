/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_BLAS_H
#define HPL_BLAS_H

/*
 * The BLAS this library needs, over CBLAS with -DHPL_CALL_CBLAS and over the
 * Fortran BLAS without. In all of it:
 *
 * N, M, K  sizes; a call with M or N <= 0 changes nothing
 * X, Y     vectors; element i is X[i * INCX]. A negative increment runs
 *          backwards from X[(1 - N) * INCX]
 * A, B, C  matrices in the ORDER given: element (i, j) is A[i + j * LDA]
 *          (HplColumnMajor), LDA >= max(1, rows), or A[i * LDA + j]
 *          (HplRowMajor), LDA >= max(1, columns)
 * op( A )  A (HplNoTrans) or its transpose (HplTrans, HplConjTrans)
 *
 * All arrays are local host memory; outputs overlap no input.
 */
#include "hpl_misc.h"

/* Y := ALPHA * X + Y */
void HPL_daxpy(int N, double ALPHA, const double *X, int INCX, double *Y,
               int INCY);

/* Y := X */
void HPL_dcopy(int N, const double *X, int INCX, double *Y, int INCY);

/* X := ALPHA * X */
void HPL_dscal(int N, double ALPHA, double *X, int INCX);

/* Exchange X and Y. */
void HPL_dswap(int N, double *X, int INCX, double *Y, int INCY);

/* First i, from 0, that maximises | X[i * INCX] |, INCX > 0; 0 for N <= 0. */
int HPL_idamax(int N, const double *X, int INCX);

/* Y := ALPHA * op( A ) * X + BETA * Y; A is M x N. */
void HPL_dgemv(enum HPL_ORDER ORDER, enum HPL_TRANS TRANS, int M, int N,
               double ALPHA, const double *A, int LDA, const double *X,
               int INCX, double BETA, double *Y, int INCY);

/* A := ALPHA * X * Y^T + A; A is M x N. */
void HPL_dger(enum HPL_ORDER ORDER, int M, int N, double ALPHA, const double *X,
              int INCX, double *Y, int INCY, double *A, int LDA);

/* X := op( A )^-1 * X; A is the UPLO triangle, N x N, with a unit or stored
 * diagonal. */
void HPL_dtrsv(enum HPL_ORDER ORDER, enum HPL_UPLO UPLO, enum HPL_TRANS TRANS,
               enum HPL_DIAG DIAG, int N, const double *A, int LDA, double *X,
               int INCX);

/* C := ALPHA * op( A ) * op( B ) + BETA * C; C is M x N, op( A ) M x K. */
void HPL_dgemm(enum HPL_ORDER ORDER, enum HPL_TRANS TRANSA,
               enum HPL_TRANS TRANSB, int M, int N, int K, double ALPHA,
               const double *A, int LDA, const double *B, int LDB, double BETA,
               double *C, int LDC);

/*
 * B := ALPHA * op( A )^-1 * B (HplLeft) or ALPHA * B * op( A )^-1 (HplRight).
 * B is M x N, A a triangle of order M or N, as in HPL_dtrsv.
 */
void HPL_dtrsm(enum HPL_ORDER ORDER, enum HPL_SIDE SIDE, enum HPL_UPLO UPLO,
               enum HPL_TRANS TRANS, enum HPL_DIAG DIAG, int M, int N,
               double ALPHA, const double *A, int LDA, double *B, int LDB);

#endif
