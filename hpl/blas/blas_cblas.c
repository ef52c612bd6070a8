/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"

#ifdef HPL_CALL_CBLAS

/*
 * CBLAS is declared here, because BLAS libraries install its header in various
 * places and under various names. Its enumerations have the values of HPL's. An
 * index is an int in some libraries, and a size_t in others, whose lower half
 * is used.
 */
#define FORWARD(name, parameters, arguments)                                   \
    void cblas_##name parameters;                                              \
    void HPL_##name parameters                                                 \
    {                                                                          \
        cblas_##name arguments;                                                \
    }

FORWARD(daxpy,
        (int n, double alpha, const double *x, int incx, double *y, int incy),
        (n, alpha, x, incx, y, incy))
FORWARD(dcopy, (int n, const double *x, int incx, double *y, int incy),
        (n, x, incx, y, incy))
FORWARD(dscal, (int n, double alpha, double *x, int incx), (n, alpha, x, incx))
FORWARD(dswap, (int n, double *x, int incx, double *y, int incy),
        (n, x, incx, y, incy))
FORWARD(dgemv,
        (enum HPL_ORDER order, enum HPL_TRANS trans, int m, int n, double alpha,
         const double *a, int lda, const double *x, int incx, double beta,
         double *y, int incy),
        (order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy))
FORWARD(dger,
        (enum HPL_ORDER order, int m, int n, double alpha, const double *x,
         int incx, double *y, int incy, double *a, int lda),
        (order, m, n, alpha, x, incx, y, incy, a, lda))
FORWARD(dtrsv,
        (enum HPL_ORDER order, enum HPL_UPLO uplo, enum HPL_TRANS trans,
         enum HPL_DIAG diag, int n, const double *a, int lda, double *x,
         int incx),
        (order, uplo, trans, diag, n, a, lda, x, incx))
FORWARD(dgemm,
        (enum HPL_ORDER order, enum HPL_TRANS transa, enum HPL_TRANS transb,
         int m, int n, int k, double alpha, const double *a, int lda,
         const double *b, int ldb, double beta, double *c, int ldc),
        (order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
FORWARD(dtrsm,
        (enum HPL_ORDER order, enum HPL_SIDE side, enum HPL_UPLO uplo,
         enum HPL_TRANS trans, enum HPL_DIAG diag, int m, int n, double alpha,
         const double *a, int lda, double *b, int ldb),
        (order, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb))

int cblas_idamax(int n, const double *x, int incx);

int HPL_idamax(int N, const double *X, int INCX)
{
    return N > 0 ? cblas_idamax(N, X, INCX) : 0;
}

#endif
