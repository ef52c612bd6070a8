/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: blas threads */
#include <math.h>
#include <pthread.h>
#include "base/blas_library.h"
#include "base/settings.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/cpu/product/gemm.h"
#include "testing/unit/base/framed.h"
#include "testing/unit/cpu/kernels.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"

/* How many are drawn: a sanitizer takes ten times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SHAPES = 8 };
#else
enum { SHAPES = 25 };
#endif

typedef struct {
    int64_t m, n, k;
    xh_trans_t ta, tb;
    double alpha, beta;
} case_t;

static void check(hyb_host_gemm_t *gemm, case_t x)
{
    framed_t a = x.ta == XH_NO_TRANS ? framed(x.m, x.k) : framed(x.k, x.m);
    framed_t b = x.tb == XH_NO_TRANS ? framed(x.k, x.n) : framed(x.n, x.k);
    framed_t c = framed(x.m, x.n), want = framed_copy(c);
    xh_gemm_t p = {x.ta, x.tb, x.alpha, x.beta, a.v, b.v, c.v};

    if (x.beta == 0.0 && x.m > 0 && x.n > 0)
        c.v.data[0] = NAN;
    three_loops(&p, want.v);
    assert_ok(hyb_host_gemm(gemm, &p));
    framed_compare(c, want, 1e-15 * (double)(x.k + 10));
    framed_release(a);
    framed_release(b);
    framed_release(c);
    framed_release(want);
}

typedef void (*body_t)(hyb_host_gemm_t *gemm);

static void with_kernel(body_t body, const hyb_kernel_t *kernel, int size)
{
    int cpu;
    hyb_host_gemm_t *gemm;
    hyb_team_t *team;

    xh_blas_library_set_threads(1); /* its own would run beside the team's */
    assert_true(xh_cpu_core_ids("", &cpu, 1) > 0);
    assert_ok(hyb_team_create(&cpu, 1, size, &team));
    assert_ok(hyb_host_gemm_create(team, kernel, &gemm));
    body(gemm);
    hyb_host_gemm_destroy(gemm);
    hyb_team_destroy(team);
}

static void with_every_kernel(body_t body)
{
    const hyb_kernel_t *kernel;

    for (int size = 1; size <= 2; size++) {
        FOR_EACH_KERNEL(kernel)
        with_kernel(body, kernel, size);
        if (hyb_blas_present())
            with_kernel(body, NULL, size);
    }
}

/*
 * A case that runs with every kernel that this processor has and with the BLAS
 * library, on one thread and two.
 */
#define TEST_WITH_ALL(sentence)                                                \
    static void sentence##_with(hyb_host_gemm_t *gemm);                        \
    TEST(sentence)                                                             \
    {                                                                          \
        with_every_kernel(sentence##_with);                                    \
    }                                                                          \
    static void sentence##_with(hyb_host_gemm_t *gemm)

/* Tiles are cut by any edge of C; a product may be deeper than one pass, and
 * have more rows than one thread packs at a time. */
TEST_WITH_ALL(any_shape_transposition_alpha_and_beta_is_right)
{
    static const double factors[] = {0.0, 1.0, -1.0, 0.75};

    for (int64_t m = 1; m <= 26; m += 5)
        for (int64_t n = 1; n <= 11; n++)
            check(gemm, (case_t){m, n, 7, XH_NO_TRANS, XH_NO_TRANS, 1, 1});
    for (int i = 0; i < SHAPES; i++)
        check(gemm, (case_t){rand() % 250, rand() % 450, rand() % 90,
                             rand() % 2 ? XH_TRANS : XH_NO_TRANS,
                             rand() % 2 ? XH_TRANS : XH_NO_TRANS,
                             factors[rand() % 4], factors[rand() % 4]});
    check(gemm, (case_t){30, 20, 1000, XH_NO_TRANS, XH_TRANS, -1, 0.5});
    check(gemm, (case_t){4200, 10, 9, XH_TRANS, XH_NO_TRANS, 1, -1});
}

/* ---- on any thread ------------------------------------------------------- */

enum { THREADS = 4, M = 90, N = 70, K = 500 };

typedef struct {
    xh_gemm_t product;
    xh_status_t status;
} alone_t;

static void *multiply_twice(void *argument)
{
    alone_t *x = argument;

    x->status = hyb_gemm_alone(&x->product);
    if (x->status == XH_OK)
        x->status = hyb_gemm_alone(&x->product);
    return NULL;
}

/* Each thread packs into memory of its own. */
static void check_threads(const char *kernel)
{
    framed_t a = framed(M, K), b = framed(K, N), want = framed(M, N);
    framed_t c[THREADS];
    pthread_t thread[THREADS];
    alone_t x[THREADS];

    assert_ok(xh_settings_load());
    assert_ok(xh_settings_assign(kernel));
    for (int i = 0; i < THREADS; i++) {
        c[i] = framed_copy(want);
        x[i].product =
            (xh_gemm_t){XH_NO_TRANS, XH_NO_TRANS, 2, 0, a.v, b.v, c[i].v};
        assert_int_equal(
            pthread_create(&thread[i], NULL, multiply_twice, &x[i]), 0);
    }
    three_loops(&x[0].product, want.v);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_ok(x[i].status);
        framed_compare(c[i], want, 1e-12);
        framed_release(c[i]);
    }
    framed_release(a);
    framed_release(b);
    framed_release(want);
}

TEST(threads_multiply_alone_at_the_same_time)
{
    xh_blas_library_set_threads(1);
    check_threads("kernel=auto");
    check_threads("kernel=portable");
    if (hyb_blas_present())
        check_threads("kernel=blas");
}

static void refuse(hyb_host_gemm_t *gemm)
{
    double x[4] = {1, 2, 3, 4};
    xh_view_t two = {x, 2, 2, 2}, one = {x, 1, 1, 1};
    xh_gemm_t p = {XH_NO_TRANS, XH_NO_TRANS, 1, 1, two, one, two};

    assert_int_equal(hyb_host_gemm(gemm, &p), XH_ERR_ARG);
    p.b = two;
    p.b.ld = 1;
    assert_int_equal(hyb_host_gemm(gemm, &p), XH_ERR_ARG);
}

TEST_CALL(shapes_that_do_not_conform_are_refused,
          with_kernel(refuse, widest_kernel(), 1))
