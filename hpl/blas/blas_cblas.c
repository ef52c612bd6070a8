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

void HPL_daxpy(int N, double ALPHA, const double *X, int INCX, double *Y,
               int INCY)
{
    cblas_daxpy(N, ALPHA, X, INCX, Y, INCY);
}

void HPL_dcopy(int N, const double *X, int INCX, double *Y, int INCY)
{
    cblas_dcopy(N, X, INCX, Y, INCY);
}

void HPL_dscal(int N, double ALPHA, double *X, int INCX)
{
    cblas_dscal(N, ALPHA, X, INCX);
}

void HPL_dswap(int N, double *X, int INCX, double *Y, int INCY)
{
    cblas_dswap(N, X, INCX, Y, INCY);
}

int HPL_idamax(int N, const double *X, int INCX)
{
    return N > 0 ? cblas_idamax(N, X, INCX) : 0;
}

void HPL_dgemv(enum HPL_ORDER ORDER, enum HPL_TRANS TRANS, int M, int N,
               double ALPHA, const double *A, int LDA, const double *X,
               int INCX, double BETA, double *Y, int INCY)
{
    cblas_dgemv(ORDER, TRANS, M, N, ALPHA, A, LDA, X, INCX, BETA, Y, INCY);
}

void HPL_dger(enum HPL_ORDER ORDER, int M, int N, double ALPHA, const double *X,
              int INCX, double *Y, int INCY, double *A, int LDA)
{
    cblas_dger(ORDER, M, N, ALPHA, X, INCX, Y, INCY, A, LDA);
}

void HPL_dtrsv(enum HPL_ORDER ORDER, enum HPL_UPLO UPLO, enum HPL_TRANS TRANS,
               enum HPL_DIAG DIAG, int N, const double *A, int LDA, double *X,
               int INCX)
{
    cblas_dtrsv(ORDER, UPLO, TRANS, DIAG, N, A, LDA, X, INCX);
}

void HPL_dgemm(enum HPL_ORDER ORDER, enum HPL_TRANS TRANSA,
               enum HPL_TRANS TRANSB, int M, int N, int K, double ALPHA,
               const double *A, int LDA, const double *B, int LDB, double BETA,
               double *C, int LDC)
{
    cblas_dgemm(ORDER, TRANSA, TRANSB, M, N, K, ALPHA, A, LDA, B, LDB, BETA, C,
                LDC);
}

void HPL_dtrsm(enum HPL_ORDER ORDER, enum HPL_SIDE SIDE, enum HPL_UPLO UPLO,
               enum HPL_TRANS TRANS, enum HPL_DIAG DIAG, int M, int N,
               double ALPHA, const double *A, int LDA, double *B, int LDB)
{
    cblas_dtrsm(ORDER, SIDE, UPLO, TRANS, DIAG, M, N, ALPHA, A, LDA, B, LDB);
}

#endif
