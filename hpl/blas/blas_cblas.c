/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"

#ifdef HPL_CALL_CBLAS

/*
 * Declared here, as BLAS libraries have their header in various places and by
 * various names. Enumerations have the values of HPL's; an index is an int in
 * some libraries, and a size_t in others, of which the lower half is taken.
 */
void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y,
                 int incy);
void cblas_dcopy(int n, const double *x, int incx, double *y, int incy);
void cblas_dscal(int n, double alpha, double *x, int incx);
void cblas_dswap(int n, double *x, int incx, double *y, int incy);
int cblas_idamax(int n, const double *x, int incx);
void cblas_dgemv(enum HPL_ORDER order, enum HPL_TRANS trans, int m, int n,
                 double alpha, const double *a, int lda, const double *x,
                 int incx, double beta, double *y, int incy);
void cblas_dger(enum HPL_ORDER order, int m, int n, double alpha,
                const double *x, int incx, const double *y, int incy, double *a,
                int lda);
void cblas_dtrsv(enum HPL_ORDER order, enum HPL_UPLO uplo, enum HPL_TRANS trans,
                 enum HPL_DIAG diag, int n, const double *a, int lda, double *x,
                 int incx);
void cblas_dgemm(enum HPL_ORDER order, enum HPL_TRANS transa,
                 enum HPL_TRANS transb, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb,
                 double beta, double *c, int ldc);
void cblas_dtrsm(enum HPL_ORDER order, enum HPL_SIDE side, enum HPL_UPLO uplo,
                 enum HPL_TRANS trans, enum HPL_DIAG diag, int m, int n,
                 double alpha, const double *a, int lda, double *b, int ldb);

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
    return N > 0 ? cblas_idamax(N, X, INCX) : 0;
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
