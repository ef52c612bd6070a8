/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/emu_fixture.h"

/* The program has a BLAS library because it is called here. */
void dgemm_(const char *trans_a, const char *trans_b, const int *m,
            const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *b, const int *ldb, const double *beta,
            double *c, const int *ldc, size_t trans_a_length,
            size_t trans_b_length);

static void it_multiplies_with_the_programs_library(void **state)
{
    const double one = 1, two = 2;
    const int n = 1;
    double c = 0;
    int lines;

    (void)state;
    dgemm_("N", "N", &n, &n, &n, &one, &two, &n, &two, &n, &one, &c, &n, 1, 1);
    assert_true(c == 4);
    capture_begin();
    hyb_device_close(emu_open(0, NULL));
    capture_end(&lines);
    assert_int_equal(lines, 0);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(whole_matrices_come_back, emu_open_shared,
                                    device_cases_close),
    cmocka_unit_test_setup_teardown(
        copies_keep_every_element_and_touch_no_other, emu_open_shared,
        device_cases_close),
    cmocka_unit_test_setup_teardown(copies_are_between_host_and_device,
                                    emu_open_shared, device_cases_close),
    cmocka_unit_test_setup_teardown(traffic_is_the_bytes_of_copies,
                                    emu_open_shared, device_cases_close),
    cmocka_unit_test_setup_teardown(products_are_those_of_three_loops,
                                    emu_open_shared, device_cases_close),
    cmocka_unit_test_setup_teardown(a_product_over_nothing_scales,
                                    emu_open_shared, device_cases_close),
    cmocka_unit_test_setup_teardown(with_beta_zero_c_is_not_read,
                                    emu_open_shared, device_cases_close),
    cmocka_unit_test_setup(it_multiplies_with_the_programs_library,
                           emu_default_settings),
};
UNIT_MAIN(cases)
