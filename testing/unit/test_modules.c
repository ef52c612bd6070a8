/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/modules.h"

#include <dlfcn.h>
#include "testing/unit/unit.h"

/* One of the C library's that programs seldom have. */
#define SELDOM "libresolv.so.2"

static void one_that_is_kept_stays_when_it_is_closed(void **state)
{
    void *handle = dlopen(SELDOM, RTLD_LAZY);

    (void)state;
    if (handle == NULL)
        skip();
    assert_int_equal(xh_modules_keep("libresolv"), 1);
    assert_int_equal(dlclose(handle), 0);
    assert_non_null(dlopen(SELDOM, RTLD_LAZY | RTLD_NOLOAD));
    assert_int_equal(xh_modules_keep("libresolv"), 1);
}

static void names_are_those_of_files(void **state)
{
    (void)state;
    assert_int_equal(xh_modules_keep("no such library"), 0);
    assert_int_equal(xh_modules_keep("/"), 0);
    assert_in_range(xh_modules_keep("libc.so"), 0, 1);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(one_that_is_kept_stays_when_it_is_closed),
    cmocka_unit_test(names_are_those_of_files),
};
UNIT_MAIN(cases)
