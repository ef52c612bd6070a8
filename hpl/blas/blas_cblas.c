/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"

#ifdef HPL_CALL_CBLAS

void HPL_daxpy(const int N, const double ALPHA, const double *X, const int INCX,
               double *Y, const int INCY)
{
    cblas_daxpy(N, ALPHA, X, INCX, Y, INCY);
}

void HPL_dcopy(const int N, const double *X, const int INCX, double *Y,
               const int INCY)
{
    cblas_dcopy(N, X, INCX, Y, INCY);
}

void HPL_dscal(const int N, const double ALPHA, double *X, const int INCX)
{
    cblas_dscal(N, ALPHA, X, INCX);
}

void HPL_dswap(const int N, double *X, const int INCX, double *Y,
               const int INCY)
{
    cblas_dswap(N, X, INCX, Y, INCY);
}

int HPL_idamax(const int N, const double *X, const int INCX)
{
    return N > 0 ? (int)cblas_idamax(N, X, INCX) : 0;
}

void HPL_dgemv(const enum HPL_ORDER ORDER, const enum HPL_TRANS TRANS,
               const int M, const int N, const double ALPHA, const double *A,
               const int LDA, const double *X, const int INCX,
               const double BETA, double *Y, const int INCY)
{
    cblas_dgemv(ORDER, TRANS, M, N, ALPHA, A, LDA, X, INCX, BETA, Y, INCY);
}

void HPL_dger(const enum HPL_ORDER ORDER, const int M, const int N,
              const double ALPHA, const double *X, const int INCX, double *Y,
              const int INCY, double *A, const int LDA)
{
    cblas_dger(ORDER, M, N, ALPHA, X, INCX, Y, INCY, A, LDA);
}

void HPL_dtrsv(const enum HPL_ORDER ORDER, const enum HPL_UPLO UPLO,
               const enum HPL_TRANS TRANS, const enum HPL_DIAG DIAG,
               const int N, const double *A, const int LDA, double *X,
               const int INCX)
{
    cblas_dtrsv(ORDER, UPLO, TRANS, DIAG, N, A, LDA, X, INCX);
}

void HPL_dgemm(const enum HPL_ORDER ORDER, const enum HPL_TRANS TRANSA,
               const enum HPL_TRANS TRANSB, const int M, const int N,
               const int K, const double ALPHA, const double *A, const int LDA,
               const double *B, const int LDB, const double BETA, double *C,
               const int LDC)
{
    cblas_dgemm(ORDER, TRANSA, TRANSB, M, N, K, ALPHA, A, LDA, B, LDB, BETA, C,
                LDC);
}

void HPL_dtrsm(const enum HPL_ORDER ORDER, const enum HPL_SIDE SIDE,
               const enum HPL_UPLO UPLO, const enum HPL_TRANS TRANS,
               const enum HPL_DIAG DIAG, const int M, const int N,
               const double ALPHA, const double *A, const int LDA, double *B,
               const int LDB)
{
    cblas_dtrsm(ORDER, SIDE, UPLO, TRANS, DIAG, M, N, ALPHA, A, LDA, B, LDB);
}

#endif
