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
    int i;

    for (i = 0; i < n; i++)
        from[i] = value(i);
    hyb_copy_past_caches(to + at, from, n);
    for (i = 0; i < MARGIN + MOST + MARGIN; i++)
        assert_true(to[i] == (i >= at && i < at + n ? value(i - at) : 0.0));
}

static void any_length_comes_to_any_place(void **state)
{
    int n, at;

    (void)state;
    for (n = 0; n <= MOST; n++)
        for (at = 0; at <= MARGIN; at++)
            copies_only(n, at);
}

/* As views of a matrix are. */
static void a_source_may_begin_anywhere(void **state)
{
    _Alignas(64) double from[MOST], to[MOST];
    int first, i;

    (void)state;
    for (i = 0; i < MOST; i++)
        from[i] = value(i);
    for (first = 0; first < MARGIN; first++) {
        hyb_copy_past_caches(to, from + first, MOST - first);
        for (i = 0; i < MOST - first; i++)
            assert_true(to[i] == value(first + i));
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(any_length_comes_to_any_place),
    cmocka_unit_test(a_source_may_begin_anywhere),
};
UNIT_MAIN(cases)
