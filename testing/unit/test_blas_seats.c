/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads the solver lets into the BLAS library at once. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include "hybrid/cpu/product/blas.h"
#include "testing/unit/unit.h"

enum { CALLERS = HYB_BLAS_CALLERS + 50, CALLS = 2, MICROSECONDS = 10000 };

static atomic_int inside, most, calls;

void dgemm_(const char *transa, const char *transb, const int *m, const int *n,
            const int *k, const double *alpha, const double *a, const int *lda,
            const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

/* In place of the library's: it only counts who is in it. */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n,
            const int *k, const double *alpha, const double *a, const int *lda,
            const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc)
{
    int now = atomic_fetch_add(&inside, 1) + 1, before = most;

    (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha;
    (void)a, (void)lda, (void)b, (void)ldb, (void)beta, (void)c, (void)ldc;
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        ;
    usleep(MICROSECONDS);
    atomic_fetch_add(&calls, 1);
    atomic_fetch_sub(&inside, 1);
}

static void *call(void *start)
{
    double x = 1.0;
    const xh_view_t one = {&x, 1, 1, 1};
    const xh_gemm_t product = {.alpha = 1.0, .a = one, .b = one, .c = one};
    xh_status_t status = XH_OK;

    pthread_barrier_wait(start);
    for (int i = 0; i < CALLS && status == XH_OK; i++)
        status = hyb_blas_gemm(&product);
    return NULL;
}

TEST(no_more_threads_are_in_the_library_than_it_bears)
{
    static pthread_t thread[CALLERS];
    pthread_barrier_t start;

    assert_int_equal(pthread_barrier_init(&start, NULL, CALLERS), 0);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, call, &start), 0);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    pthread_barrier_destroy(&start);
    assert_int_equal(calls, CALLERS * CALLS);
    assert_int_equal(inside, 0);
    assert_in_range(most, 1, HYB_BLAS_CALLERS);
}

TEST_MAIN()
