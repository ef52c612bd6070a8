/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/product.h"
#include "testing/unit/unit.h"

enum { M = 5, N = 6, K = 7, LD = 10 };

static double a[LD * LD], b[LD * LD], c[LD * LD];

static xh_gemm_t product_of(xh_trans_t trans_a, xh_trans_t trans_b)
{
    return (xh_gemm_t){
        .trans_a = trans_a,
        .trans_b = trans_b,
        .alpha = 2.0,
        .beta = 3.0,
        .a = {a, trans_a == XH_TRANS ? K : M, trans_a == XH_TRANS ? M : K, LD},
        .b = {b, trans_b == XH_TRANS ? N : K, trans_b == XH_TRANS ? K : N, LD},
        .c = {c, M, N, LD}};
}

/* The product without and with each transposition. */
static void for_all(void (*check)(xh_gemm_t product))
{
    check(product_of(XH_NO_TRANS, XH_NO_TRANS));
    check(product_of(XH_NO_TRANS, XH_TRANS));
    check(product_of(XH_TRANS, XH_NO_TRANS));
    check(product_of(XH_TRANS, XH_TRANS));
}

static void check_size(xh_gemm_t p)
{
    assert_int_equal(xh_gemm_depth(&p), K);
    assert_true(xh_gemm_flop(&p) == 2.0 * M * N * K);
    assert_true(xh_gemm_conforms(&p));
}

TEST_CALL(depth_and_flop_do_not_depend_on_transpositions, for_all(check_size))

/* p is fine until *number, an element of it, is changed by change. */
static void check_refused(const xh_gemm_t *p, int64_t *number, int64_t change)
{
    assert_true(xh_gemm_conforms(p));
    *number += change;
    assert_false(xh_gemm_conforms(p));
    *number -= change;
}

static void check_views(xh_gemm_t p)
{
    xh_view_t *views[] = {&p.a, &p.b, &p.c};

    for (int i = 0; i < 3; i++) {
        check_refused(&p, &views[i]->rows, 1);
        check_refused(&p, &views[i]->cols, -1);
        check_refused(&p, &views[i]->rows, -LD);
        check_refused(&p, &views[i]->ld, -LD + 1);
        check_refused(&p, &views[i]->ld, -LD);
    }
}

TEST_CALL(views_that_do_not_fit_are_refused, for_all(check_views))

TEST(empty_matrices_conform)
{
    xh_gemm_t p = {.a = {a, 0, 0, 1}, .b = {b, 0, 0, 1}, .c = {c, 0, 0, 1}};

    assert_true(xh_gemm_conforms(&p));
    assert_true(xh_gemm_flop(&p) == 0.0);
    p.c.ld = 0;
    assert_false(xh_gemm_conforms(&p));
}

/* Rows 1 .. 3 and columns 2 .. 5 of C. */
static void check_part(xh_gemm_t whole)
{
    xh_gemm_t p = xh_gemm_part(&whole, (xh_rectangle_t){1, 3, 2, 4});

    assert_true(xh_gemm_conforms(&p));
    assert_int_equal(xh_gemm_depth(&p), K);
    assert_true(p.alpha == 2.0 && p.beta == 3.0);
    assert_int_equal(p.c.rows, 3);
    assert_int_equal(p.c.cols, 4);
    assert_ptr_equal(p.a.data, whole.trans_a == XH_TRANS ? a + LD : a + 1);
    assert_ptr_equal(p.b.data, whole.trans_b == XH_TRANS ? b + 2 : b + 2 * LD);
    assert_ptr_equal(p.c.data, c + 1 + 2 * LD);
    assert_true(p.a.ld == LD && p.b.ld == LD && p.c.ld == LD);
}

TEST_CALL(a_part_has_its_rows_of_a_and_columns_of_b, for_all(check_part))
