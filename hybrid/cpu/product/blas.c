/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include "base/product.h"
#include "hybrid/cpu/product/blas.h"

/* This symbol is weak, so that a program also links without BLAS. */
extern void dgemm_(const char *transa, const char *transb, const int *m,
                   const int *n, const int *k, const double *alpha,
                   const double *a, const int *lda, const double *b,
                   const int *ldb, const double *beta, double *c,
                   const int *ldc) __attribute__((weak));

/* The number of threads that may still enter the library; entering and leaving
 * are one atomic operation each. */
static sem_t seats;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_seats(void)
{
    sem_init(&seats, 0, HYB_BLAS_CALLERS);
}

bool hyb_blas_present(void)
{
    return dgemm_ != NULL;
}

static const char *letter(xh_trans_t op)
{
    return op == XH_NO_TRANS ? "N" : "T";
}

xh_status_t hyb_blas_gemm(const xh_gemm_t *p)
{
    int64_t sizes[] = {p->c.rows, p->c.cols, xh_gemm_depth(p),
                       p->a.ld,   p->b.ld,   p->c.ld};
    int s[sizeof(sizes) / sizeof(sizes[0])];

    if (!hyb_blas_present())
        return XH_ERR_INTERNAL;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (sizes[i] < 0 || sizes[i] > INT_MAX)
            return XH_ERR_ARG;
        s[i] = (int)sizes[i];
    }
    pthread_once(&once, make_seats);
    while (sem_wait(&seats) != 0 && errno == EINTR)
        ; /* a signal handler may interrupt the wait */
    dgemm_(letter(p->trans_a), letter(p->trans_b), &s[0], &s[1], &s[2],
           &p->alpha, p->a.data, &s[3], p->b.data, &s[4], &p->beta, p->c.data,
           &s[5]);
    sem_post(&seats);
    return XH_OK;
}
