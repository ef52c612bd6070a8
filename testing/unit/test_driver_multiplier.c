/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/multiplier.h"

#include <math.h>
#include "base/blas_library.h"
#include "base/settings.h"
#include "testing/unit/unit.h"

static hyb_multiplier_t choose(double kernel, double blas)
{
    return hyb_multiplier_choose((hyb_multiplier_rates_t){kernel, blas});
}

static void the_blas_is_taken_where_it_is_clearly_faster(void **state)
{
    (void)state;
    assert_int_equal(choose(50e9, 80e9), HYB_BY_BLAS);
    assert_int_equal(choose(50e9, 53e9), HYB_BY_BLAS);
    assert_int_equal(choose(50e9, 52e9), HYB_BY_KERNEL);
    assert_int_equal(choose(50e9, 50e9), HYB_BY_KERNEL);
    assert_int_equal(choose(50e9, 10e9), HYB_BY_KERNEL);
}

static void what_was_not_measured_is_not_taken(void **state)
{
    (void)state;
    assert_int_equal(choose(50e9, 0.0), HYB_BY_KERNEL);
    assert_int_equal(choose(0.0, 0.0), HYB_BY_KERNEL);
    assert_int_equal(choose(0.0, 50e9), HYB_BY_KERNEL);
}

static void both_have_a_rate_where_both_are(void **state)
{
    hyb_multiplier_rates_t rates =
        hyb_multiplier_measure(hyb_kernel_find(XH_ISA_PORTABLE));

    (void)state;
    assert_true(rates.kernel > 0.0 && isfinite(rates.kernel));
    assert_true(rates.blas > 0.0 && isfinite(rates.blas));
}

/* What kernel=name gives, our kernel being the slowest there is. */
static hyb_multiplier_t with_setting(const char *assignment)
{
    assert_int_equal(xh_settings_load(), XH_OK);
    assert_int_equal(xh_settings_assign(assignment), XH_OK);
    return hyb_multiplier_of_setting(hyb_kernel_find(XH_ISA_PORTABLE));
}

static void a_setting_that_names_one_is_followed(void **state)
{
    (void)state;
    assert_int_equal(with_setting("kernel=blas"), HYB_BY_BLAS);
    assert_int_equal(with_setting("kernel=portable"), HYB_BY_KERNEL);
    assert_int_equal(with_setting("kernel=avx512"), HYB_BY_KERNEL);
}

static void
a_blas_of_several_threads_a_call_is_not_taken_by_itself(void **state)
{
    (void)state;
    if (xh_blas_library_set_threads(2) != 2)
        skip();
    assert_int_equal(with_setting("kernel=auto"), HYB_BY_KERNEL);
    xh_blas_library_set_threads(1);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(the_blas_is_taken_where_it_is_clearly_faster),
    cmocka_unit_test(what_was_not_measured_is_not_taken),
    cmocka_unit_test(both_have_a_rate_where_both_are),
    cmocka_unit_test(a_setting_that_names_one_is_followed),
    cmocka_unit_test(a_blas_of_several_threads_a_call_is_not_taken_by_itself),
};

UNIT_MAIN(cases)
