/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"
#include "hpl.h"
#include "hpl/blas/matrix.h"

/*
 * Every mix of stored forms and of small shapes against loops. Entries are
 * small integers, so results are exact.
 */
enum { MOST = 6, LD = 70, SIZE = LD * LD, GUARD = 1000 };

static const enum HPL_TRANS forms[] = {HplNoTrans, HplTrans};
static double storage[3][SIZE], before[SIZE];

static double *address(hpl_matrix_t m, int i, int j)
{
    return m.trans == HplNoTrans ? m.data + i + j * m.ld
                                 : m.data + j + i * m.ld;
}

static double value(int i, int j, int salt)
{
    return (i * 5 + j * 3 + salt) % 7 - 3;
}

/* An m x n view whose elements are known and whose surroundings are GUARD. */
static hpl_matrix_t view(int which, int m, int n, enum HPL_TRANS form)
{
    hpl_matrix_t v = {storage[which], LD, form};

    for (int i = 0; i < SIZE; i++)
        storage[which][i] = GUARD;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            *address(v, i, j) = value(i, j, which);
    return v;
}

/* Compare the view with expect(i, j, from), and all around it with GUARD. */
static void check(hpl_matrix_t v, int m, int n, double (*expect)(int, int, int),
                  int from)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            assert_true(*address(v, i, j) == expect(i, j, from));
            *address(v, i, j) = GUARD;
        }
    for (int i = 0; i < SIZE; i++)
        before[i] = GUARD;
    assert_memory_equal(v.data, before, sizeof(before));
}

static double minus_product(int i, int j, int k)
{
    double sum = value(i, j, 2);

    for (int l = 0; l < k; l++)
        sum -= value(i, l, 0) * value(l, j, 1);
    return sum;
}

/* forms of three views, by the bits of mix */
static void check_gemm(int m, int n, int k, int mix)
{
    hpl_matrix_t a = view(0, m, k, forms[mix & 1]);
    hpl_matrix_t b = view(1, k, n, forms[mix >> 1 & 1]);
    hpl_matrix_t c = view(2, m, n, forms[mix >> 2 & 1]);

    hpl_matrix_gemm(m, n, k, a, b, c);
    check(c, m, n, minus_product, k);
}

TEST(gemm_subtracts_the_product_in_every_mix_of_forms)
{
    for (int mix = 0; mix < 8; mix++)
        for (int m = 0; m <= MOST; m += 1 + m / 2)
            for (int n = 0; n <= MOST; n += 1 + n / 2)
                for (int k = 0; k <= MOST; k += 1 + k / 2)
                    check_gemm(m, n, k, mix);
}

/* L x, where x is what trsm must find again: the right-hand side */
static double right_hand_side(int i, int j)
{
    double sum = value(i, j, 1);

    for (int l = 0; l < i; l++)
        sum += value(i, l, 0) * value(l, j, 1);
    return sum;
}

static void check_trsm(int m, int n, int mix)
{
    hpl_matrix_t l = view(0, m, m, forms[mix & 1]);
    hpl_matrix_t b = view(1, m, n, forms[mix >> 1 & 1]);

    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            *address(b, i, j) = right_hand_side(i, j);
    hpl_matrix_trsm_unit_lower(m, n, l, b);
    check(b, m, n, value, 1);
}

TEST(trsm_solves_with_the_unit_lower_triangle_in_all_forms)
{
    for (int mix = 0; mix < 4; mix++)
        for (int m = 0; m <= MOST; m++)
            for (int n = 0; n <= MOST; n++)
                check_trsm(m, n, mix);
}

TEST(copy_moves_every_element_between_all_forms)
{
    static const int sizes[] = {0, 1, 2, 31, 32, 33, 64, 69};
    int m, n;
    hpl_matrix_t to;

    for (int mix = 0; mix < 4; mix++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                m = sizes[i];
                n = sizes[j];
                to = view(1, m, n, forms[mix >> 1]);
                hpl_matrix_copy(m, n, view(0, m, n, forms[mix & 1]), to);
                check(to, m, n, value, 0);
            }
}

TEST_MAIN()
