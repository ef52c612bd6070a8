/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: blas */
/*
 * The BLAS library, one-threaded, called by more threads at once than OpenBLAS
 * has buffers. Left to itself it then ends the process or never returns.
 */
#include <pthread.h>
#include "base/blas_library.h"
#include "hybrid/cpu/product/blas.h"
#include "testing/unit/unit.h"

/* Calls last long enough to be interrupted: threads then meet in them. */
enum { CALLERS = 800, CALLS = 60, SIZE = 112 };

static double a[SIZE * SIZE], b[SIZE * SIZE], want[SIZE * SIZE];
static pthread_barrier_t start;

static xh_view_t view(double *data)
{
    return (xh_view_t){data, SIZE, SIZE, SIZE};
}

/* Small whole numbers: any order of summing gives the same. */
static void make_matrices(void)
{
    for (int i = 0; i < SIZE * SIZE; i++) {
        a[i] = i * 7 % 11 - 5;
        b[i] = i * 5 % 13 - 6;
    }
    for (int j = 0; j < SIZE; j++)
        for (int l = 0; l < SIZE; l++)
            for (int i = 0; i < SIZE; i++)
                want[i + j * SIZE] += a[i + l * SIZE] * b[l + j * SIZE];
}

/* Returns its argument if all products were right. */
static void *call(void *argument)
{
    double *c = calloc(SIZE * SIZE, sizeof(*c));
    xh_gemm_t p = {.alpha = 1.0, .a = view(a), .b = view(b), .c = view(c)};
    bool right = c != NULL;

    pthread_barrier_wait(&start);
    for (int i = 0; i < CALLS && right; i++)
        right =
            hyb_blas_gemm(&p) == XH_OK && memcmp(c, want, sizeof(want)) == 0;
    free(c);
    return right ? argument : NULL;
}

TEST(more_threads_may_call_than_the_library_has_buffers)
{
    static pthread_t thread[CALLERS];
    void *result;
    int right = 0;

    if (!hyb_blas_present())
        skip();
    xh_blas_library_set_threads(1);
    make_matrices();
    assert_int_equal(pthread_barrier_init(&start, NULL, CALLERS), 0);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, call, thread), 0);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(thread[i], &result), 0);
        right += result != NULL;
    }
    assert_int_equal(right, CALLERS);
    pthread_barrier_destroy(&start);
}
