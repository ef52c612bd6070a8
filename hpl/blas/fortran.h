/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_FORTRAN_H
#define HPL_FORTRAN_H

#include <stddef.h>

/*
 * How this machine's Fortran BLAS is called, from F2CDEFS: the decoration of
 * names (-DAdd_ when nothing is said, -DAdd__, -DNoChange, -DUpCase) and
 * -DF77_INTEGER=<type>. Lengths of character arguments stand after all others
 * (-DStringSunStyle, the only style there is here); libraries that expect none
 * ignore them. -DHPL_CALL_CBLAS does without all of this.
 */
#if defined(StringStructVal) || defined(StringStructPtr) ||                    \
    defined(StringCrayStyle)
#error "F2CDEFS: of the styles of strings only -DStringSunStyle is supported"
#endif

#if defined(NoChange)
#define HPL_F77(lower, UPPER) lower
#elif defined(UpCase)
#define HPL_F77(lower, UPPER) UPPER
#else /* names of the BLAS hold no underscore, so Add__ adds one too */
#define HPL_F77(lower, UPPER) lower##_
#endif

#ifndef F77_INTEGER
#define F77_INTEGER int
#endif

typedef F77_INTEGER hpl_f77_int_t;

#define HPL_F77_DAXPY HPL_F77(daxpy, DAXPY)
#define HPL_F77_DCOPY HPL_F77(dcopy, DCOPY)
#define HPL_F77_DGEMM HPL_F77(dgemm, DGEMM)
#define HPL_F77_DGEMV HPL_F77(dgemv, DGEMV)
#define HPL_F77_DGER HPL_F77(dger, DGER)
#define HPL_F77_DSCAL HPL_F77(dscal, DSCAL)
#define HPL_F77_DSWAP HPL_F77(dswap, DSWAP)
#define HPL_F77_DTRSM HPL_F77(dtrsm, DTRSM)
#define HPL_F77_DTRSV HPL_F77(dtrsv, DTRSV)
#define HPL_F77_IDAMAX HPL_F77(idamax, IDAMAX)

/* The reference BLAS's own interface: netlib.org/blas. */
void HPL_F77_DAXPY(const hpl_f77_int_t *n, const double *alpha, const double *x,
                   const hpl_f77_int_t *incx, double *y,
                   const hpl_f77_int_t *incy);
void HPL_F77_DCOPY(const hpl_f77_int_t *n, const double *x,
                   const hpl_f77_int_t *incx, double *y,
                   const hpl_f77_int_t *incy);
void HPL_F77_DSCAL(const hpl_f77_int_t *n, const double *alpha, double *x,
                   const hpl_f77_int_t *incx);
void HPL_F77_DSWAP(const hpl_f77_int_t *n, double *x, const hpl_f77_int_t *incx,
                   double *y, const hpl_f77_int_t *incy);
hpl_f77_int_t HPL_F77_IDAMAX(const hpl_f77_int_t *n, const double *x,
                             const hpl_f77_int_t *incx);
void HPL_F77_DGEMV(const char *trans, const hpl_f77_int_t *m,
                   const hpl_f77_int_t *n, const double *alpha, const double *a,
                   const hpl_f77_int_t *lda, const double *x,
                   const hpl_f77_int_t *incx, const double *beta, double *y,
                   const hpl_f77_int_t *incy, size_t trans_length);
void HPL_F77_DGER(const hpl_f77_int_t *m, const hpl_f77_int_t *n,
                  const double *alpha, const double *x,
                  const hpl_f77_int_t *incx, const double *y,
                  const hpl_f77_int_t *incy, double *a,
                  const hpl_f77_int_t *lda);
void HPL_F77_DTRSV(const char *uplo, const char *trans, const char *diag,
                   const hpl_f77_int_t *n, const double *a,
                   const hpl_f77_int_t *lda, double *x,
                   const hpl_f77_int_t *incx, size_t uplo_length,
                   size_t trans_length, size_t diag_length);
void HPL_F77_DGEMM(const char *transa, const char *transb,
                   const hpl_f77_int_t *m, const hpl_f77_int_t *n,
                   const hpl_f77_int_t *k, const double *alpha, const double *a,
                   const hpl_f77_int_t *lda, const double *b,
                   const hpl_f77_int_t *ldb, const double *beta, double *c,
                   const hpl_f77_int_t *ldc, size_t transa_length,
                   size_t transb_length);
void HPL_F77_DTRSM(const char *side, const char *uplo, const char *transa,
                   const char *diag, const hpl_f77_int_t *m,
                   const hpl_f77_int_t *n, const double *alpha, const double *a,
                   const hpl_f77_int_t *lda, double *b,
                   const hpl_f77_int_t *ldb, size_t side_length,
                   size_t uplo_length, size_t transa_length,
                   size_t diag_length);

#endif
