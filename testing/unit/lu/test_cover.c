/* SPDX-License-Identifier: BSD-3-Clause */
/* The time that spans cover together. */
#include <stdbool.h>
#include "hybrid/lu/places/cover.h"
#include "testing/unit/unit.h"

static void assert_adds(hyb_cover_t *cover, double begin, double end,
                        double wanted)
{
    double fresh = hyb_cover_add(cover, begin, end);

    if (fresh != wanted)
        fail_msg("%g to %g added %g s, not %g", begin, end, fresh, wanted);
}

TEST(a_span_that_lasts_no_time_adds_none)
{
    hyb_cover_t cover = {.count = 0};

    assert_adds(&cover, 5.0, 5.0, 0.0);
    assert_adds(&cover, 5.0, 4.0, 0.0);
    assert_int_equal(cover.count, 0);
}

TEST(of_too_many_gaps_the_oldest_ones_count_as_covered)
{
    hyb_cover_t cover = {.count = 0};

    for (int i = 0; i < HYB_COVER_PARTS + 1; i++)
        assert_adds(&cover, 2.0 * i + 1.0, 2.0 * i + 2.0, 1.0);
    assert_int_equal(cover.count, HYB_COVER_PARTS);
    assert_adds(&cover, 0.0, 2.0, 0.0);
    assert_adds(&cover, 0.0, 4.0, 1.0); /* the gap from 2 to 3 */
}

/* Against one flag per second: spans that touch are one part. */
TEST(spans_in_any_order_cover_what_a_table_says)
{
    enum { SECONDS = 97, SPANS = 300 };
    bool covered[SECONDS + 1] = {false};
    hyb_cover_t cover = {.count = 0};
    unsigned random = 1;

    for (int i = 0; i < SPANS; i++) {
        int begin, end, wanted = 0, parts = 0;

        random = random * 1103515245U + 12345U;
        begin = (int)((random >> 16) % SECONDS);
        end = begin + (int)((random >> 24) % 4);
        end = end < SECONDS ? end : SECONDS;
        for (int s = begin; s < end; s++) {
            wanted += !covered[s];
            covered[s] = true;
        }
        for (int s = 0; s < SECONDS; s++)
            parts += covered[s] && !covered[s + 1];
        assert_adds(&cover, begin, end, wanted);
        assert_int_equal(cover.count, parts);
    }
}
