/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"

#ifndef HPL_CALL_CBLAS
#include <stdbool.h>

/*
 * How this machine's Fortran BLAS is called, from F2CDEFS: the decoration of
 * names (-DAdd_, the default, -DAdd__, -DNoChange, -DUpCase) and
 * -DF77_INTEGER=<type>. Lengths of character arguments are passed last
 * (-DStringSunStyle, the only style supported); libraries that expect none
 * ignore them. With -DHPL_CALL_CBLAS none of this is used.
 */
#if defined(StringStructVal) || defined(StringStructPtr) ||                    \
    defined(StringCrayStyle)
#error "F2CDEFS: of the styles of strings only -DStringSunStyle is supported"
#endif

#if defined(NoChange)
#define F77(lower, UPPER) lower
#elif defined(UpCase)
#define F77(lower, UPPER) UPPER
#else /* names of the BLAS hold no underscore, so Add__ adds one too */
#define F77(lower, UPPER) lower##_
#endif

#ifndef F77_INTEGER
#define F77_INTEGER int
#endif

typedef const F77_INTEGER *f77_in_t; /* Fortran passes addresses */

#define F77_DAXPY F77(daxpy, DAXPY)
#define F77_DCOPY F77(dcopy, DCOPY)
#define F77_DGEMM F77(dgemm, DGEMM)
#define F77_DGEMV F77(dgemv, DGEMV)
#define F77_DGER F77(dger, DGER)
#define F77_DSCAL F77(dscal, DSCAL)
#define F77_DSWAP F77(dswap, DSWAP)
#define F77_DTRSM F77(dtrsm, DTRSM)
#define F77_DTRSV F77(dtrsv, DTRSV)
#define F77_IDAMAX F77(idamax, IDAMAX)

#define INT(n) (&(const F77_INTEGER){n})

/* The reference BLAS's own interface: netlib.org/blas. */
void F77_DAXPY(f77_in_t n, const double *alpha, const double *x, f77_in_t incx,
               double *y, f77_in_t incy);
void F77_DCOPY(f77_in_t n, const double *x, f77_in_t incx, double *y,
               f77_in_t incy);
void F77_DSCAL(f77_in_t n, const double *alpha, double *x, f77_in_t incx);
void F77_DSWAP(f77_in_t n, double *x, f77_in_t incx, double *y, f77_in_t incy);
F77_INTEGER F77_IDAMAX(f77_in_t n, const double *x, f77_in_t incx);
void F77_DGEMV(const char *trans, f77_in_t m, f77_in_t n, const double *alpha,
               const double *a, f77_in_t lda, const double *x, f77_in_t incx,
               const double *beta, double *y, f77_in_t incy,
               size_t trans_length);
void F77_DGER(f77_in_t m, f77_in_t n, const double *alpha, const double *x,
              f77_in_t incx, const double *y, f77_in_t incy, double *a,
              f77_in_t lda);
void F77_DTRSV(const char *uplo, const char *trans, const char *diag,
               f77_in_t n, const double *a, f77_in_t lda, double *x,
               f77_in_t incx, size_t uplo_length, size_t trans_length,
               size_t diag_length);
void F77_DGEMM(const char *transa, const char *transb, f77_in_t m, f77_in_t n,
               f77_in_t k, const double *alpha, const double *a, f77_in_t lda,
               const double *b, f77_in_t ldb, const double *beta, double *c,
               f77_in_t ldc, size_t transa_length, size_t transb_length);
void F77_DTRSM(const char *side, const char *uplo, const char *transa,
               const char *diag, f77_in_t m, f77_in_t n, const double *alpha,
               const double *a, f77_in_t lda, double *b, f77_in_t ldb,
               size_t side_length, size_t uplo_length, size_t transa_length,
               size_t diag_length);

/*
 * A row-major matrix is the transpose of a column-major one: row-major calls
 * exchange operands, sides and triangles instead of moving data.
 */

/* The letter of an option in Fortran, and that of the opposite option. */
static const char letters[][2] = {
    [HplNoTrans] = {'N', 'T'},   [HplTrans] = {'T', 'N'},
    [HplConjTrans] = {'T', 'N'}, [HplUpper] = {'U', 'L'},
    [HplLower] = {'L', 'U'},     [HplNonUnit] = {'N', 'U'},
    [HplUnit] = {'U', 'N'},      [HplLeft] = {'L', 'R'},
    [HplRight] = {'R', 'L'},
};

void HPL_daxpy(int N, double ALPHA, const double *X, int INCX, double *Y,
               int INCY)
{
    F77_DAXPY(INT(N), &ALPHA, X, INT(INCX), Y, INT(INCY));
}

void HPL_dcopy(int N, const double *X, int INCX, double *Y, int INCY)
{
    F77_DCOPY(INT(N), X, INT(INCX), Y, INT(INCY));
}

void HPL_dscal(int N, double ALPHA, double *X, int INCX)
{
    F77_DSCAL(INT(N), &ALPHA, X, INT(INCX));
}

void HPL_dswap(int N, double *X, int INCX, double *Y, int INCY)
{
    F77_DSWAP(INT(N), X, INT(INCX), Y, INT(INCY));
}

int HPL_idamax(int N, const double *X, int INCX)
{
    return N > 0 ? (int)F77_IDAMAX(INT(N), X, INT(INCX)) - 1 : 0;
}

void HPL_dgemv(enum HPL_ORDER ORDER, enum HPL_TRANS TRANS, int M, int N,
               double ALPHA, const double *A, int LDA, const double *X,
               int INCX, double BETA, double *Y, int INCY)
{
    const bool rows = ORDER == HplRowMajor;

    F77_DGEMV(&letters[TRANS][rows], INT(rows ? N : M), INT(rows ? M : N),
              &ALPHA, A, INT(LDA), X, INT(INCX), &BETA, Y, INT(INCY), 1);
}

void HPL_dger(enum HPL_ORDER ORDER, int M, int N, double ALPHA, const double *X,
              int INCX, double *Y, int INCY, double *A, int LDA)
{
    const bool rows = ORDER == HplRowMajor;

    F77_DGER(INT(rows ? N : M), INT(rows ? M : N), &ALPHA, rows ? Y : X,
             INT(rows ? INCY : INCX), rows ? X : Y, INT(rows ? INCX : INCY), A,
             INT(LDA));
}

void HPL_dtrsv(enum HPL_ORDER ORDER, enum HPL_UPLO UPLO, enum HPL_TRANS TRANS,
               enum HPL_DIAG DIAG, int N, const double *A, int LDA, double *X,
               int INCX)
{
    const bool rows = ORDER == HplRowMajor;

    F77_DTRSV(&letters[UPLO][rows], &letters[TRANS][rows], letters[DIAG],
              INT(N), A, INT(LDA), X, INT(INCX), 1, 1, 1);
}

void HPL_dgemm(enum HPL_ORDER ORDER, enum HPL_TRANS TRANSA,
               enum HPL_TRANS TRANSB, int M, int N, int K, double ALPHA,
               const double *A, int LDA, const double *B, int LDB, double BETA,
               double *C, int LDC)
{
    if (ORDER == HplRowMajor) {
        HPL_dgemm(HplColumnMajor, TRANSB, TRANSA, N, M, K, ALPHA, B, LDB, A,
                  LDA, BETA, C, LDC);
        return;
    }
    F77_DGEMM(letters[TRANSA], letters[TRANSB], INT(M), INT(N), INT(K), &ALPHA,
              A, INT(LDA), B, INT(LDB), &BETA, C, INT(LDC), 1, 1);
}

void HPL_dtrsm(enum HPL_ORDER ORDER, enum HPL_SIDE SIDE, enum HPL_UPLO UPLO,
               enum HPL_TRANS TRANS, enum HPL_DIAG DIAG, int M, int N,
               double ALPHA, const double *A, int LDA, double *B, int LDB)
{
    const bool rows = ORDER == HplRowMajor;

    F77_DTRSM(&letters[SIDE][rows], &letters[UPLO][rows], letters[TRANS],
              letters[DIAG], INT(rows ? N : M), INT(rows ? M : N), &ALPHA, A,
              INT(LDA), B, INT(LDB), 1, 1, 1, 1);
}

#endif
