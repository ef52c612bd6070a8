/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stddef.h>
#include "hybrid/engine/host/blas.h"

/* Weak: a program without BLAS links too. */
extern void dgemm_(const char *transa, const char *transb, const int *m,
                   const int *n, const int *k, const double *alpha,
                   const double *a, const int *lda, const double *b,
                   const int *ldb, const double *beta, double *c,
                   const int *ldc) __attribute__((weak));

bool hyb_blas_present(void)
{
    return dgemm_ != NULL;
}

static const char *letter(hyb_trans_t op)
{
    return op == HYB_NO_TRANS ? "N" : "T";
}

xh_status_t hyb_blas_gemm(const hyb_gemm_t *p)
{
    int64_t k = p->trans_a == HYB_NO_TRANS ? p->a.cols : p->a.rows;
    int64_t sizes[] = {p->c.rows, p->c.cols, k, p->a.ld, p->b.ld, p->c.ld};
    int s[sizeof(sizes) / sizeof(sizes[0])];
    size_t i;

    if (!hyb_blas_present())
        return XH_ERR_INTERNAL;
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (sizes[i] < 0 || sizes[i] > INT_MAX)
            return XH_ERR_ARG;
        s[i] = (int)sizes[i];
    }
    dgemm_(letter(p->trans_a), letter(p->trans_b), &s[0], &s[1], &s[2],
           &p->alpha, p->a.data, &s[3], p->b.data, &s[4], &p->beta, p->c.data,
           &s[5]);
    return XH_OK;
}
