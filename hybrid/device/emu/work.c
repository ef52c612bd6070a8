/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/emu/work.h"

#include <stddef.h>
#include <string.h>

/* Bound when the plug-in is loaded, to what the program was linked with. */
__attribute__((weak)) void
dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n,
       const int *k, const double *alpha, const double *a, const int *lda,
       const double *b, const int *ldb, const double *beta, double *c,
       const int *ldc, size_t trans_a_length, size_t trans_b_length);

bool hyb_emu_work_has_blas(void)
{
    return dgemm_ != NULL;
}

void hyb_emu_work_copy(hyb_view_t from, hyb_view_t to)
{
    size_t column = (size_t)from.rows * sizeof(double);
    int64_t j;

    if (from.ld == from.rows && to.ld == to.rows) {
        memcpy(to.data, from.data, column * (size_t)from.cols);
        return;
    }
    for (j = 0; j < from.cols; j++)
        memcpy(to.data + j * to.ld, from.data + j * from.ld, column);
}

static int64_t inner(const hyb_gemm_t *p)
{
    return p->trans_a == HYB_TRANS ? p->a.rows : p->a.cols;
}

static double element(hyb_view_t v, hyb_trans_t trans, int64_t i, int64_t j)
{
    return trans == HYB_TRANS ? v.data[j + i * v.ld] : v.data[i + j * v.ld];
}

static void gemm_by_loops(const hyb_gemm_t *p)
{
    int64_t i, j, l;

    for (j = 0; j < p->c.cols; j++)
        for (i = 0; i < p->c.rows; i++) {
            double *c = &p->c.data[i + j * p->c.ld];
            double sum = 0;

            for (l = 0; l < inner(p); l++)
                sum += element(p->a, p->trans_a, i, l) *
                       element(p->b, p->trans_b, l, j);
            *c = p->alpha * sum + (p->beta == 0 ? 0 : p->beta * *c);
        }
}

static void gemm_by_blas(const hyb_gemm_t *p)
{
    const char *trans_a = p->trans_a == HYB_TRANS ? "T" : "N";
    const char *trans_b = p->trans_b == HYB_TRANS ? "T" : "N";
    const int m = (int)p->c.rows, n = (int)p->c.cols, k = (int)inner(p);
    const int lda = (int)p->a.ld, ldb = (int)p->b.ld, ldc = (int)p->c.ld;

    dgemm_(trans_a, trans_b, &m, &n, &k, &p->alpha, p->a.data, &lda, p->b.data,
           &ldb, &p->beta, p->c.data, &ldc, 1, 1);
}

void hyb_emu_work_gemm(const hyb_gemm_t *product)
{
    if (hyb_emu_work_has_blas())
        gemm_by_blas(product);
    else
        gemm_by_loops(product);
}

void hyb_emu_work_flip(hyb_view_t v)
{
    double *x = &v.data[v.rows / 2 + v.cols / 2 * v.ld];
    uint64_t bits;

    memcpy(&bits, x, sizeof(bits));
    bits ^= UINT64_C(1) << 62;
    memcpy(x, &bits, sizeof(bits));
}
