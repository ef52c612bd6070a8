/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: blas */
#include "testing/unit/unit.h"
#include "hpl.h"

/*
 * Every routine in both storage orders against sums written out. Entries are
 * small integers and triangles have a unit or power-of-two diagonal, so
 * results are exact.
 */
enum { MOST = 7, LD = 9, SIZE = LD * LD };

static const enum HPL_ORDER orders[] = {HplColumnMajor, HplRowMajor};
static const enum HPL_TRANS transes[] = {HplNoTrans, HplTrans, HplConjTrans};
static const enum HPL_UPLO uplos[] = {HplUpper, HplLower};
static const enum HPL_DIAG diags[] = {HplUnit, HplNonUnit};
static const enum HPL_SIDE sides[] = {HplLeft, HplRight};

#define EACH(i, array) for (i = 0; i < COUNT_OF(array); i++)

static int position(enum HPL_ORDER order, int i, int j)
{
    return order == HplColumnMajor ? i + j * LD : i * LD + j;
}

/* op( a )(i, j) */
static double at(enum HPL_ORDER order, enum HPL_TRANS trans, const double *a,
                 int i, int j)
{
    return trans == HplNoTrans ? a[position(order, i, j)]
                               : a[position(order, j, i)];
}

static void fill(double *a, int salt)
{
    for (int i = 0; i < SIZE; i++)
        a[i] = (i * 31 + salt * 17) % 11 - 5;
}

TEST(dgemm_is_the_sum_of_products)
{
    double a[SIZE], b[SIZE], c[SIZE], was[SIZE], sum;
    size_t o, ta, tb;
    int m = 5, n = 3, k = 7, l;

    fill(a, 1);
    fill(b, 2);
    fill(was, 3);
    EACH(o, orders)
    EACH(ta, transes)
    EACH(tb, transes)
    {
        memcpy(c, was, sizeof(c));
        HPL_dgemm(orders[o], transes[ta], transes[tb], m, n, k, 2.0, a, LD, b,
                  LD, -3.0, c, LD);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                sum = 0.0;
                for (l = 0; l < k; l++)
                    sum += at(orders[o], transes[ta], a, i, l) *
                           at(orders[o], transes[tb], b, l, j);
                l = position(orders[o], i, j);
                assert_true(c[l] == 2.0 * sum - 3.0 * was[l]);
            }
    }
}

TEST(dgemv_is_the_sum_of_products)
{
    double a[SIZE], x[2 * SIZE], y[3 * SIZE], sum;
    size_t o, t;
    int m = 5, n = 3, rows, cols;

    fill(a, 1);
    fill(x, 2);
    EACH(o, orders)
    EACH(t, transes)
    {
        fill(y, 3);
        rows = transes[t] == HplNoTrans ? m : n;
        cols = m + n - rows;
        HPL_dgemv(orders[o], transes[t], m, n, 2.0, a, LD, x, 2, 0.0, y, 3);
        for (int i = 0; i < rows; i++) {
            sum = 0.0;
            for (int j = 0; j < cols; j++)
                sum += at(orders[o], transes[t], a, i, j) * x[2 * j];
            assert_true(y[3 * i] == 2.0 * sum);
        }
    }
}

TEST(dger_adds_the_outer_product)
{
    double a[SIZE], was[SIZE], x[SIZE], y[SIZE];
    size_t o;
    int m = 5, n = 3, p;

    fill(was, 1);
    fill(x, 2);
    fill(y, 3);
    EACH(o, orders)
    {
        memcpy(a, was, sizeof(a));
        HPL_dger(orders[o], m, n, -2.0, x, 1, y, 2, a, LD);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                p = position(orders[o], i, j);
                assert_true(a[p] == was[p] - 2.0 * x[i] * y[2 * j]);
            }
    }
}

typedef struct {
    enum HPL_ORDER order;
    enum HPL_UPLO uplo;
    enum HPL_TRANS trans;
    enum HPL_DIAG diag;
} triangle_t;

/* op( a )(i, j), where the other triangle, and a unit diagonal, are implied */
static double in_triangle(const triangle_t *t, const double *a, int i, int j)
{
    int row = t->trans == HplNoTrans ? i : j, col = i + j - row;

    if (row == col)
        return t->diag == HplUnit ? 1.0 : a[position(t->order, row, col)];
    if ((row < col) != (t->uplo == HplUpper))
        return 0.0;
    return a[position(t->order, row, col)];
}

static void for_all_triangles(void (*check)(const triangle_t *, const double *))
{
    double a[SIZE];
    size_t o, u, t, d;

    fill(a, 1);
    for (int i = 0; i < MOST; i++)
        a[i + i * LD] = i % 2 == 0 ? 2.0 : -0.5;
    EACH(o, orders)
    EACH(u, uplos)
    EACH(t, transes)
    EACH(d, diags)
    check(&(triangle_t){orders[o], uplos[u], transes[t], diags[d]}, a);
}

static void check_dtrsv(const triangle_t *t, const double *a)
{
    double x[2 * SIZE], b[2 * SIZE], sum;

    fill(b, 2);
    memcpy(x, b, sizeof(x));
    HPL_dtrsv(t->order, t->uplo, t->trans, t->diag, MOST, a, LD, x, 2);
    for (int i = 0; i < MOST; i++) {
        sum = 0.0;
        for (int j = 0; j < MOST; j++)
            sum += in_triangle(t, a, i, j) * x[2 * j];
        assert_true(sum == b[2 * i]);
    }
}

TEST_CALL(dtrsv_solves_every_form_of_triangle, for_all_triangles(check_dtrsv))

/* op( a ) x = 2 b, or x op( a ) = 2 b, for b of 7 x 3 or 3 x 7 */
static void check_dtrsm(const triangle_t *t, const double *a)
{
    double x[SIZE], b[SIZE], sum;
    size_t s;
    int m, n;

    fill(b, 2);
    EACH(s, sides)
    {
        m = sides[s] == HplLeft ? MOST : 3;
        n = sides[s] == HplLeft ? 3 : MOST;
        memcpy(x, b, sizeof(x));
        HPL_dtrsm(t->order, sides[s], t->uplo, t->trans, t->diag, m, n, 2.0, a,
                  LD, x, LD);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                sum = 0.0;
                for (int l = 0; l < MOST; l++)
                    sum += sides[s] == HplLeft ? in_triangle(t, a, i, l) *
                                                     x[position(t->order, l, j)]
                                               : x[position(t->order, i, l)] *
                                                     in_triangle(t, a, l, j);
                assert_true(sum == 2.0 * b[position(t->order, i, j)]);
            }
    }
}

TEST_CALL(dtrsm_solves_every_form_of_triangle_from_both_sides,
          for_all_triangles(check_dtrsm))

TEST(vectors_are_taken_by_their_increments)
{
    double x[6] = {1, 0, 2, 0, 3, 0}, y[9] = {4, 0, 0, 5, 0, 0, 6, 0, 0};

    HPL_daxpy(3, 2.0, x, 2, y, 3);
    assert_true(y[0] == 6.0 && y[3] == 9.0 && y[6] == 12.0 && y[1] == 0.0);
    HPL_dscal(3, -1.0, x, 2);
    assert_true(x[0] == -1.0 && x[2] == -2.0 && x[4] == -3.0);
    HPL_dswap(3, x, 2, y, 3);
    assert_true(x[4] == 12.0 && y[6] == -3.0);
    HPL_dcopy(3, x, 2, y, 3);
    assert_true(y[0] == 6.0 && y[3] == 9.0 && y[6] == 12.0);
}

TEST(a_negative_increment_runs_backwards)
{
    double x[3] = {1, 2, 3}, y[3];

    HPL_dcopy(3, x, -1, y, 1);
    assert_true(y[0] == 3.0 && y[1] == 2.0 && y[2] == 1.0);
}

TEST(idamax_counts_from_0_and_takes_the_first_of_equals)
{
    double x[] = {1, 0, -3, 0, 3, 0, 2};

    assert_int_equal(HPL_idamax(4, x, 2), 1);
    assert_int_equal(HPL_idamax(1, x, 1), 0);
    assert_int_equal(HPL_idamax(0, x, 1), 0);
}
