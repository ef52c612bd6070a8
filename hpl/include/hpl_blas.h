/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_BLAS_H
#define HPL_BLAS_H

#include "hpl_misc.h"

void HPL_daxpy(const int N, const double ALPHA, const double *X, const int INCX, double *Y, const int INCY);
void HPL_dcopy(const int N, const double *X, const int INCX, double *Y, const int INCY);
void HPL_dgemm(const enum HPL_ORDER ORDER, const enum HPL_TRANS TRANSA, const enum HPL_TRANS TRANSB, const int M, const int N, const int K, const double ALPHA, const double *A, const int LDA, const double *B, const int LDB, const double BETA, double *C, const int LDC);
void HPL_dgemv(const enum HPL_ORDER ORDER, const enum HPL_TRANS TRANS, const int M, const int N, const double ALPHA, const double *A, const int LDA, const double *X, const int INCX, const double BETA, double *Y, const int INCY);
void HPL_dger(const enum HPL_ORDER ORDER, const int M, const int N, const double ALPHA, const double *X, const int INCX, double *Y, const int INCY, double *A, const int LDA);
void HPL_dscal(const int N, const double ALPHA, double *X, const int INCX);
void HPL_dswap(const int N, double *X, const int INCX, double *Y, const int INCY);
void HPL_dtrsm(const enum HPL_ORDER ORDER, const enum HPL_SIDE SIDE, const enum HPL_UPLO UPLO, const enum HPL_TRANS TRANS, const enum HPL_DIAG DIAG, const int M, const int N, const double ALPHA, const double *A, const int LDA, double *B, const int LDB);
void HPL_dtrsv(const enum HPL_ORDER ORDER, const enum HPL_UPLO UPLO, const enum HPL_TRANS TRANS, const enum HPL_DIAG DIAG, const int N, const double *A, const int LDA, double *X, const int INCX);
int HPL_idamax(const int N, const double *X, const int INCX);

#endif
