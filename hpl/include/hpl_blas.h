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
void HPL_daxpy(const int N, const double ALPHA, const double *X, const int INCX,
               double *Y, const int INCY);

/* Y := X */
void HPL_dcopy(const int N, const double *X, const int INCX, double *Y,
               const int INCY);

/* X := ALPHA * X */
void HPL_dscal(const int N, const double ALPHA, double *X, const int INCX);

/* Exchange X and Y. */
void HPL_dswap(const int N, double *X, const int INCX, double *Y,
               const int INCY);

/* First i, from 0, that maximises | X[i * INCX] |, INCX > 0; 0 for N <= 0. */
int HPL_idamax(const int N, const double *X, const int INCX);

/* Y := ALPHA * op( A ) * X + BETA * Y; A is M x N. */
void HPL_dgemv(const enum HPL_ORDER ORDER, const enum HPL_TRANS TRANS,
               const int M, const int N, const double ALPHA, const double *A,
               const int LDA, const double *X, const int INCX,
               const double BETA, double *Y, const int INCY);

/* A := ALPHA * X * Y^T + A; A is M x N. */
void HPL_dger(const enum HPL_ORDER ORDER, const int M, const int N,
              const double ALPHA, const double *X, const int INCX, double *Y,
              const int INCY, double *A, const int LDA);

/* X := op( A )^-1 * X; A is N x N, its UPLO triangle, DIAG 1 or stored. */
void HPL_dtrsv(const enum HPL_ORDER ORDER, const enum HPL_UPLO UPLO,
               const enum HPL_TRANS TRANS, const enum HPL_DIAG DIAG,
               const int N, const double *A, const int LDA, double *X,
               const int INCX);

/* C := ALPHA * op( A ) * op( B ) + BETA * C; C is M x N, op( A ) M x K. */
void HPL_dgemm(const enum HPL_ORDER ORDER, const enum HPL_TRANS TRANSA,
               const enum HPL_TRANS TRANSB, const int M, const int N,
               const int K, const double ALPHA, const double *A, const int LDA,
               const double *B, const int LDB, const double BETA, double *C,
               const int LDC);

/*
 * B := ALPHA * op( A )^-1 * B (HplLeft) or ALPHA * B * op( A )^-1 (HplRight).
 * B is M x N, A a triangle of order M or N, as in HPL_dtrsv.
 */
void HPL_dtrsm(const enum HPL_ORDER ORDER, const enum HPL_SIDE SIDE,
               const enum HPL_UPLO UPLO, const enum HPL_TRANS TRANS,
               const enum HPL_DIAG DIAG, const int M, const int N,
               const double ALPHA, const double *A, const int LDA, double *B,
               const int LDB);

#endif
