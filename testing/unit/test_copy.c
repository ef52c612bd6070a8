/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

#include "hybrid/device/copy.h"

enum { MOST = 40, MARGIN = 8 }; /* a few cache lines; doubles around them */

static double value(int i)
{
    return 1.0 + i;
}

/* Copy n doubles to place `at` and look at all around them. */
static void copies_only(int n, int at)
{
    _Alignas(64) double to[MARGIN + MOST + MARGIN] = {0.0};
    double from[MOST];

    for (int i = 0; i < n; i++)
        from[i] = value(i);
    hyb_copy_past_caches(to + at, from, n);
    for (int i = 0; i < MARGIN + MOST + MARGIN; i++)
        assert_true(to[i] == (i >= at && i < at + n ? value(i - at) : 0.0));
}

TEST(any_length_comes_to_any_place)
{
    for (int n = 0; n <= MOST; n++)
        for (int at = 0; at <= MARGIN; at++)
            copies_only(n, at);
}

/* As views of a matrix are. */
TEST(a_source_may_begin_anywhere)
{
    _Alignas(64) double from[MOST], to[MOST];

    for (int i = 0; i < MOST; i++)
        from[i] = value(i);
    for (int first = 0; first < MARGIN; first++) {
        hyb_copy_past_caches(to, from + first, MOST - first);
        for (int i = 0; i < MOST - first; i++)
            assert_true(to[i] == value(first + i));
    }
}

TEST_MAIN()
