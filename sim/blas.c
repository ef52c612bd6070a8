/* SPDX-License-Identifier: BSD-3-Clause */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "hpl.h"
#include "sim/model.h"

/* Replacements for the BLAS of hpl/, and for copies. */

void __wrap_HPL_daxpy(int n, double alpha, const double *x, int incx, double *y,
                      int incy)
{
    sim_charge_search(24.0 * n);
}

void __wrap_HPL_dcopy(int n, const double *x, int incx, double *y, int incy)
{
    sim_charge_search(16.0 * n);
}

void __wrap_HPL_dscal(int n, double alpha, double *x, int incx)
{
    sim_charge_search(16.0 * n);
}

void __wrap_HPL_dswap(int n, double *x, int incx, double *y, int incy)
{
    sim_charge_search(32.0 * n);
}

int __wrap_HPL_idamax(int n, const double *x, int incx)
{
    sim_charge_search(8.0 * n);
    return 0;
}

void __wrap_HPL_dgemv(enum HPL_ORDER order, enum HPL_TRANS trans, int m, int n,
                      double alpha, const double *a, int lda, const double *x,
                      int incx, double beta, double *y, int incy)
{
    sim_charge_search(8.0 * m * n);
}

void __wrap_HPL_dger(enum HPL_ORDER order, int m, int n, double alpha,
                     const double *x, int incx, const double *y, int incy,
                     double *a, int lda)
{
    sim_charge_search(16.0 * m * n);
}

void __wrap_HPL_dtrsv(enum HPL_ORDER order, enum HPL_UPLO uplo,
                      enum HPL_TRANS trans, enum HPL_DIAG diag, int n,
                      const double *a, int lda, double *x, int incx)
{
    sim_charge_search(4.0 * n * n);
}

void __wrap_HPL_dgemm(enum HPL_ORDER order, enum HPL_TRANS transa,
                      enum HPL_TRANS transb, int m, int n, int k, double alpha,
                      const double *a, int lda, const double *b, int ldb,
                      double beta, double *c, int ldc)
{
    sim_charge_product(m, n, k);
}

void __wrap_HPL_dtrsm(enum HPL_ORDER order, enum HPL_SIDE side,
                      enum HPL_UPLO uplo, enum HPL_TRANS trans,
                      enum HPL_DIAG diag, int m, int n, double alpha,
                      const double *a, int lda, double *b, int ldb)
{
    sim_charge_solve(side == HplLeft ? m : n, side == HplLeft ? n : m);
}

void __wrap_HPL_dlacpy(int m, int n, const double *a, int lda, double *b,
                       int ldb)
{
    sim_charge_move(16.0 * m * n);
}

void __wrap_HPL_dlatcpy(int m, int n, const double *a, int lda, double *b,
                        int ldb)
{
    sim_charge_move(16.0 * m * n);
}
