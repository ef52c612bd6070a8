/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

#include <fenv.h>
#include "base/arithmetic.h"
#include "testing/unit/base/capture.h"

/* "": it is right. */
static const char *said_of_arithmetic(void)
{
    _Atomic int wrong = 0;
    bool right;
    const char *said = heard(right = xh_arithmetic_is_right(&wrong));

    assert_true(right == (wrong == 0) && right == (said[0] == '\0'));
    return said;
}

TEST(this_machine_computes_as_ieee_754_has_it)
{
    assert_string_equal(said_of_arithmetic(), "");
}

TEST(another_direction_of_rounding_is_found)
{
    static const int directions[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const char *said;

    for (size_t i = 0; i < COUNT_OF(directions); i++) {
        assert_int_equal(fesetround(directions[i]), 0);
        said = said_of_arithmetic();
        fesetround(FE_TONEAREST);
        assert_in(said, "arithmetic is not IEEE 754");
        assert_in(said, ", on core ");
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

    for (size_t i = 0; i < COUNT_OF(bits); i++) {
        set_mode(bits[i], true);
        said = said_of_arithmetic();
        set_mode(bits[i], false);
        assert_in(said, words[i]);
    }
}

TEST(subnormal_numbers_are_turned_on_again_with_one_warning)
{
    const char *said;

    set_mode(1u << 15 | 1u << 6, true);
    said = heard(xh_arithmetic_keep_subnormals());
    assert_in(said, "turned off subnormal numbers");
    assert_string_equal(said_of_arithmetic(), "");
    set_mode(1u << 15, true);
    assert_string_equal(heard(xh_arithmetic_keep_subnormals()), "");
    assert_string_equal(said_of_arithmetic(), "");
}
