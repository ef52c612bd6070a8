/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/device.h"
#include "testing/unit/emu_fixture.h"

static void it_multiplies_with_the_hosts_kernel(void **state)
{
    static const char *const kernels[] = {"kernel=auto", "kernel=portable",
                                          "kernel=blas"};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        void *fixture = NULL;

        assert_int_equal(xh_settings_assign(kernels[i]), XH_OK);
        assert_int_equal(emu_open_shared(&fixture), 0);
        products_are_those_of_three_loops(&fixture);
        device_cases_close(&fixture);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup(it_multiplies_with_the_hosts_kernel,
                           emu_default_settings),
};
UNIT_MAIN(cases)
