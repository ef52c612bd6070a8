/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"

#ifndef HPL_CALL_CBLAS
#include <stdbool.h>
#include "hpl/blas/fortran.h"

/*
 * A row-major matrix is the transpose of a column-major one: row-major calls
 * exchange operands, sides and triangles in place of moving data.
 */

static const char *trans_word(enum HPL_TRANS trans)
{
    return trans == HplNoTrans ? "N" : "T";
}

static const char *side_word(enum HPL_SIDE side)
{
    return side == HplLeft ? "L" : "R";
}

static const char *uplo_word(enum HPL_UPLO uplo)
{
    return uplo == HplUpper ? "U" : "L";
}

static const char *diag_word(enum HPL_DIAG diag)
{
    return diag == HplUnit ? "U" : "N";
}

static enum HPL_TRANS other_trans(enum HPL_TRANS trans)
{
    return trans == HplNoTrans ? HplTrans : HplNoTrans;
}

static enum HPL_UPLO other_uplo(enum HPL_UPLO uplo)
{
    return uplo == HplUpper ? HplLower : HplUpper;
}

static enum HPL_SIDE other_side(enum HPL_SIDE side)
{
    return side == HplLeft ? HplRight : HplLeft;
}

void HPL_daxpy(const int N, const double ALPHA, const double *X, const int INCX,
               double *Y, const int INCY)
{
    const hpl_f77_int_t n = N, incx = INCX, incy = INCY;

    HPL_F77_DAXPY(&n, &ALPHA, X, &incx, Y, &incy);
}

void HPL_dcopy(const int N, const double *X, const int INCX, double *Y,
               const int INCY)
{
    const hpl_f77_int_t n = N, incx = INCX, incy = INCY;

    HPL_F77_DCOPY(&n, X, &incx, Y, &incy);
}

void HPL_dscal(const int N, const double ALPHA, double *X, const int INCX)
{
    const hpl_f77_int_t n = N, incx = INCX;

    HPL_F77_DSCAL(&n, &ALPHA, X, &incx);
}

void HPL_dswap(const int N, double *X, const int INCX, double *Y,
               const int INCY)
{
    const hpl_f77_int_t n = N, incx = INCX, incy = INCY;

    HPL_F77_DSWAP(&n, X, &incx, Y, &incy);
}

int HPL_idamax(const int N, const double *X, const int INCX)
{
    const hpl_f77_int_t n = N, incx = INCX;

    return N > 0 ? (int)HPL_F77_IDAMAX(&n, X, &incx) - 1 : 0;
}

void HPL_dgemv(const enum HPL_ORDER ORDER, const enum HPL_TRANS TRANS,
               const int M, const int N, const double ALPHA, const double *A,
               const int LDA, const double *X, const int INCX,
               const double BETA, double *Y, const int INCY)
{
    const hpl_f77_int_t m = M, n = N, lda = LDA, incx = INCX, incy = INCY;

    if (ORDER == HplColumnMajor)
        HPL_F77_DGEMV(trans_word(TRANS), &m, &n, &ALPHA, A, &lda, X, &incx,
                      &BETA, Y, &incy, 1);
    else
        HPL_F77_DGEMV(trans_word(other_trans(TRANS)), &n, &m, &ALPHA, A, &lda,
                      X, &incx, &BETA, Y, &incy, 1);
}

void HPL_dger(const enum HPL_ORDER ORDER, const int M, const int N,
              const double ALPHA, const double *X, const int INCX, double *Y,
              const int INCY, double *A, const int LDA)
{
    const hpl_f77_int_t m = M, n = N, lda = LDA, incx = INCX, incy = INCY;

    if (ORDER == HplColumnMajor)
        HPL_F77_DGER(&m, &n, &ALPHA, X, &incx, Y, &incy, A, &lda);
    else
        HPL_F77_DGER(&n, &m, &ALPHA, Y, &incy, X, &incx, A, &lda);
}

void HPL_dtrsv(const enum HPL_ORDER ORDER, const enum HPL_UPLO UPLO,
               const enum HPL_TRANS TRANS, const enum HPL_DIAG DIAG,
               const int N, const double *A, const int LDA, double *X,
               const int INCX)
{
    const hpl_f77_int_t n = N, lda = LDA, incx = INCX;
    const bool exchange = ORDER == HplRowMajor;

    HPL_F77_DTRSV(uplo_word(exchange ? other_uplo(UPLO) : UPLO),
                  trans_word(exchange ? other_trans(TRANS) : TRANS),
                  diag_word(DIAG), &n, A, &lda, X, &incx, 1, 1, 1);
}

void HPL_dgemm(const enum HPL_ORDER ORDER, const enum HPL_TRANS TRANSA,
               const enum HPL_TRANS TRANSB, const int M, const int N,
               const int K, const double ALPHA, const double *A, const int LDA,
               const double *B, const int LDB, const double BETA, double *C,
               const int LDC)
{
    const hpl_f77_int_t m = M, n = N, k = K, lda = LDA, ldb = LDB, ldc = LDC;

    if (ORDER == HplColumnMajor)
        HPL_F77_DGEMM(trans_word(TRANSA), trans_word(TRANSB), &m, &n, &k,
                      &ALPHA, A, &lda, B, &ldb, &BETA, C, &ldc, 1, 1);
    else
        HPL_F77_DGEMM(trans_word(TRANSB), trans_word(TRANSA), &n, &m, &k,
                      &ALPHA, B, &ldb, A, &lda, &BETA, C, &ldc, 1, 1);
}

void HPL_dtrsm(const enum HPL_ORDER ORDER, const enum HPL_SIDE SIDE,
               const enum HPL_UPLO UPLO, const enum HPL_TRANS TRANS,
               const enum HPL_DIAG DIAG, const int M, const int N,
               const double ALPHA, const double *A, const int LDA, double *B,
               const int LDB)
{
    const hpl_f77_int_t m = M, n = N, lda = LDA, ldb = LDB;

    if (ORDER == HplColumnMajor)
        HPL_F77_DTRSM(side_word(SIDE), uplo_word(UPLO), trans_word(TRANS),
                      diag_word(DIAG), &m, &n, &ALPHA, A, &lda, B, &ldb, 1, 1,
                      1, 1);
    else
        HPL_F77_DTRSM(side_word(other_side(SIDE)), uplo_word(other_uplo(UPLO)),
                      trans_word(TRANS), diag_word(DIAG), &n, &m, &ALPHA, A,
                      &lda, B, &ldb, 1, 1, 1, 1);
}

#endif
