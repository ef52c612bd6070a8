/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include "hpl.h"
#include "hpl/blas/matrix.h"

/* Doubles from an element to the element below it, and to the element right of
 * it. */
static int step_down(hpl_matrix_t m)
{
    return m.trans == HplNoTrans ? 1 : m.ld;
}

static int step_right(hpl_matrix_t m)
{
    return m.trans == HplNoTrans ? m.ld : 1;
}

hpl_matrix_t hpl_matrix_at(hpl_matrix_t m, int i, int j)
{
    m.data += (size_t)i * (size_t)step_down(m);
    m.data += (size_t)j * (size_t)step_right(m);
    return m;
}

static hpl_matrix_t transpose(hpl_matrix_t m)
{
    m.trans = m.trans == HplNoTrans ? HplTrans : HplNoTrans;
    return m;
}

/* y := y - A x, where A is m x n and x and y are columns */
static void subtract_product(int m, int n, hpl_matrix_t a, hpl_matrix_t x,
                             hpl_matrix_t y)
{
    bool plain = a.trans == HplNoTrans;

    HPL_dgemv(HplColumnMajor, a.trans, plain ? m : n, plain ? n : m, -HPL_rone,
              a.data, a.ld, x.data, step_down(x), HPL_rone, y.data,
              step_down(y));
}

void hpl_matrix_gemm(int m, int n, int k, hpl_matrix_t a, hpl_matrix_t b,
                     hpl_matrix_t c)
{
    if (m <= 0 || n <= 0 || k <= 0)
        return;
    if (n == 1)
        subtract_product(m, k, a, b, c);
    else if (m == 1)
        subtract_product(n, k, transpose(b), transpose(a), transpose(c));
    else if (c.trans != HplNoTrans)
        hpl_matrix_gemm(n, m, k, transpose(b), transpose(a), transpose(c));
    else if (k == 1)
        HPL_dger(HplColumnMajor, m, n, -HPL_rone, a.data, step_down(a), b.data,
                 step_right(b), c.data, c.ld);
    else
        HPL_dgemm(HplColumnMajor, a.trans, b.trans, m, n, k, -HPL_rone, a.data,
                  a.ld, b.data, b.ld, HPL_rone, c.data, c.ld);
}

void hpl_matrix_trsm_unit_lower(int m, int n, hpl_matrix_t l, hpl_matrix_t b)
{
    enum HPL_UPLO stored = l.trans == HplNoTrans ? HplLower : HplUpper;
    enum HPL_TRANS other = transpose(l).trans;

    if (m <= 0 || n <= 0)
        return;
    if (n == 1)
        HPL_dtrsv(HplColumnMajor, stored, l.trans, HplUnit, m, l.data, l.ld,
                  b.data, step_down(b));
    else if (b.trans == HplNoTrans)
        HPL_dtrsm(HplColumnMajor, HplLeft, stored, l.trans, HplUnit, m, n,
                  HPL_rone, l.data, l.ld, b.data, b.ld);
    else /* B^T := B^T L^-T */
        HPL_dtrsm(HplColumnMajor, HplRight, stored, other, HplUnit, n, m,
                  HPL_rone, l.data, l.ld, b.data, b.ld);
}

void hpl_matrix_copy(int m, int n, hpl_matrix_t a, hpl_matrix_t b)
{
    bool plain = b.trans == HplNoTrans;
    int rows = plain ? m : n, cols = plain ? n : m;

    if (a.trans == b.trans)
        HPL_dlacpy(rows, cols, a.data, a.ld, b.data, b.ld);
    else
        HPL_dlatcpy(rows, cols, a.data, a.ld, b.data, b.ld);
}
