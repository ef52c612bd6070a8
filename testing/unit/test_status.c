/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/status.h"
#include "testing/unit/unit.h"

static void every_status_has_words_of_its_own(void **state)
{
    int a, b;

    (void)state;
    for (a = 0; a < XH_STATUS_COUNT; a++) {
        assert_non_null(xh_status_text((xh_status_t)a));
        for (b = 0; b < a; b++)
            assert_string_not_equal(xh_status_text((xh_status_t)a),
                                    xh_status_text((xh_status_t)b));
    }
}

static void a_number_that_is_no_status_has_words_too(void **state)
{
    (void)state;
    assert_string_equal(xh_status_text(XH_STATUS_COUNT), "unknown status");
    assert_string_equal(xh_status_text((xh_status_t)-1), "unknown status");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(every_status_has_words_of_its_own),
    cmocka_unit_test(a_number_that_is_no_status_has_words_too),
};
UNIT_MAIN(cases)
