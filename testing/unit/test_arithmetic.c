/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

#include <fenv.h>
#include <math.h>
#include "base/arithmetic.h"
#include "base/exact.h"
#include "testing/unit/capture.h"

enum { N = 97 };

static double l[N * N], u[N * N], product[N * N], other[N * N];

static xh_view_t all(double *data)
{
    return (xh_view_t){data, N, N, N};
}

static double at(const double *v, int i, int j)
{
    return v[i + j * N];
}

/* What is said of found, "" if it is right. */
static const char *said_of(double *found, double *expected, bool *right_p)
{
    xh_exact_t checks = {0};

    return heard(*right_p = xh_exact_is_right(
                     &checks, all(found), all(expected), "C - A B", "core 3"));
}

TEST(products_of_many_terms_are_exact_in_any_order)
{
    static const int64_t terms[] = {1, 2, 1000, 4096, 4097, 1000000};

    for (size_t i = 0; i < COUNT_OF(terms); i++) {
        int bits = xh_exact_bits(terms[i]);
        double most = ldexp(1.0, bits) - 1.0;

        assert_true(bits >= 1 && bits <= 20);
        assert_true((double)terms[i] * most * most + most < 0x1p53);
    }
    assert_int_equal(xh_exact_bits(4096), 20);
}

TEST(equal_seeds_give_equal_integers_of_both_signs)
{
    int negative = 0;

    xh_exact_integers(all(l), 20, 1);
    xh_exact_integers(all(u), 20, 1);
    xh_exact_integers(all(product), 20, 2);
    assert_memory_equal(l, u, sizeof(l));
    assert_memory_not_equal(l, product, sizeof(l));
    for (int i = 0; i < N * N; i++) {
        assert_true(l[i] == floor(l[i]) && fabs(l[i]) < 0x1p20);
        negative += l[i] < 0;
    }
    assert_in_range(negative, N * N / 3, N * N * 2 / 3);
}

/* (I + N)(I - N + N^2) = I if N^3 = 0. */
TEST(a_lower_triangle_has_an_exact_inverse)
{
    xh_exact_lower(all(l), 1);
    memset(u, 0, sizeof(u));
    for (int i = 0; i < N; i++)
        u[i + i * N] = 1.0;
    for (int c = 0; c < N; c++) /* substitution, column by column */
        for (int p = 0; p < N; p++)
            for (int i = p + 1; i < N; i++)
                u[i + c * N] -= at(l, i, p) * at(u, p, c);
    memset(product, 0, sizeof(product));
    xh_exact_multiply(1.0, all(l), all(u), all(product));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            assert_true(at(product, i, j) == (i == j));
            assert_true(at(l, i, j) == (i == j) ||
                        (i > j && fabs(at(l, i, j)) < 1.0));
            assert_true(at(u, i, j) * 16 == floor(at(u, i, j) * 16));
        }
}

TEST(an_upper_triangle_has_powers_of_two_on_its_diagonal)
{
    int exponent;

    xh_exact_upper(all(u), 1);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            assert_true(
                i < j ? at(u, i, j) == floor(at(u, i, j))
                      : (i > j ? at(u, i, j) == 0
                               : fabs(frexp(at(u, i, i), &exponent)) == 0.5));
}

TEST(one_wrong_element_is_named_with_what_was_expected)
{
    bool right;

    xh_exact_integers(all(product), 10, 1);
    xh_exact_copy(all(product), all(other));
    assert_string_equal(said_of(other, product, &right), "");
    assert_true(right);
    product[5 + 7 * N] = 4.0;
    other[5 + 7 * N] = nextafter(4.0, 5.0);
    assert_in(said_of(other, product, &right),
              "C - A B, on core 3: element (5, 7) of 97 x 97: "
              "expected 4, found 4.0000000000000009; 1 elements");
    assert_false(right);
    other[5 + 7 * N] = NAN;
    said_of(other, product, &right);
    assert_false(right);
}

TEST(the_first_of_several_wrong_results_is_said)
{
    xh_exact_t checks = {0};
    double is = 1.0, should_be = 2.0;
    xh_view_t found = {&is, 1, 1, 1}, expected = {&should_be, 1, 1, 1};

    capture_begin();
    xh_exact_is_right(&checks, found, expected, "one", "core 1");
    xh_exact_is_right(&checks, found, expected, "two", "core 1");
    assert_null(strstr(capture_end(NULL), "two"));
    assert_int_equal(checks.wrong, 2);
}

/* ---- arithmetic ---------------------------------------------------------- */

static const char *said_of_arithmetic(bool *right_p)
{
    xh_exact_t checks = {0};

    return heard(*right_p = xh_arithmetic_is_right(&checks, "core 3"));
}

TEST(this_machine_computes_as_ieee_754_has_it)
{
    bool right;

    assert_string_equal(said_of_arithmetic(&right), "");
    assert_true(right);
}

TEST(another_direction_of_rounding_is_found)
{
    static const int directions[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const char *said;
    bool right;

    for (size_t i = 0; i < COUNT_OF(directions); i++) {
        assert_int_equal(fesetround(directions[i]), 0);
        said = said_of_arithmetic(&right);
        fesetround(FE_TONEAREST);
        assert_false(right);
        assert_in(said, "arithmetic is not IEEE 754");
    }
}

#ifdef __SSE2__
#include <xmmintrin.h>

static void set_mode(unsigned bit, bool on)
{
    _mm_setcsr(on ? _mm_getcsr() | bit : _mm_getcsr() & ~bit);
}
#else
static void set_mode(unsigned bit, bool on)
{
    (void)bit;
    (void)on;
    skip();
}
#endif

TEST(subnormal_numbers_that_become_zero_are_found)
{
    static const unsigned bits[] = {1u << 15, 1u << 6}; /* results, operands */
    static const char *const words[] = {"subnormal results",
                                        "subnormal operands"};
    const char *said;
    bool right;

    for (size_t i = 0; i < COUNT_OF(bits); i++) {
        set_mode(bits[i], true);
        said = said_of_arithmetic(&right);
        set_mode(bits[i], false);
        assert_false(right);
        assert_in(said, words[i]);
    }
}

TEST(subnormal_numbers_are_turned_on_again_with_one_warning)
{
    bool right;
    const char *said;

    set_mode(1u << 15 | 1u << 6, true);
    said = heard(xh_arithmetic_keep_subnormals());
    assert_in(said, "turned off subnormal numbers");
    assert_string_equal(said_of_arithmetic(&right), "");
    assert_true(right);
    set_mode(1u << 15, true);
    assert_string_equal(heard(xh_arithmetic_keep_subnormals()), "");
    assert_string_equal(said_of_arithmetic(&right), "");
}

TEST(without_a_cause_there_is_no_warning)
{
    assert_string_equal(heard(xh_arithmetic_keep_subnormals()), "");
}

TEST_MAIN()
