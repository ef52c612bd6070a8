/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/status.h"
#include "testing/unit/unit.h"

TEST(every_status_has_words_of_its_own)
{
    for (int a = 0; a < XH_STATUS_COUNT; a++) {
        assert_non_null(xh_status_text((xh_status_t)a));
        for (int b = 0; b < a; b++)
            assert_string_not_equal(xh_status_text((xh_status_t)a),
                                    xh_status_text((xh_status_t)b));
    }
}

TEST(a_number_that_is_no_status_has_words_too)
{
    assert_string_equal(xh_status_text(XH_STATUS_COUNT), "unknown status");
    assert_string_equal(xh_status_text((xh_status_t)-1), "unknown status");
}
