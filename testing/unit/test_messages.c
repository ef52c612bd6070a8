/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model.h"

#include <math.h>
#include "testing/unit/unit.h"

static void assert_near(double value, double wanted)
{
    assert_true(fabs(value - wanted) <= 1e-9 * fabs(wanted));
}

TEST(a_ring_passes_a_message_on)
{
    hyb_model_link_t link = {.latency = 1.0, .bandwidth = 10.0};

    for (int bcast = 0; bcast < 6; bcast++)
        assert_true(hyb_messages_broadcast(&link, bcast, 8, 0, 40) == 0.0);
    assert_near(hyb_messages_broadcast(&link, 0, 8, 7, 40), 7 * 5);
    assert_near(hyb_messages_broadcast(&link, 1, 8, 1, 40), 5);
    assert_true(hyb_messages_broadcast(&link, 2, 8, 7, 40) <
                hyb_messages_broadcast(&link, 0, 8, 7, 40));
    assert_near(hyb_messages_broadcast(&link, 4, 8, 3, 40),
                3 + 7 + 80 * 7 / 8. / 10);
    assert_near(hyb_messages_broadcast(&link, 5, 8, 1, 40), 5);
}

TEST(a_long_message_is_better_cut_in_pieces)
{
    hyb_model_link_t link = {.latency = 1e-6, .bandwidth = 1e9};

    assert_true(hyb_messages_broadcast(&link, 4, 16, 15, 1e8) <
                hyb_messages_broadcast(&link, 0, 16, 15, 1e8));
    assert_true(hyb_messages_broadcast(&link, 4, 16, 1, 8) >
                hyb_messages_broadcast(&link, 0, 16, 1, 8));
}

TEST(rounds_double_what_is_known)
{
    assert_int_equal(hyb_messages_rounds(1), 0);
    assert_int_equal(hyb_messages_rounds(2), 1);
    assert_int_equal(hyb_messages_rounds(5), 3);
    assert_int_equal(hyb_messages_rounds(8), 3);
}

/* Of a row of eight; BCAST 0 is a ring, 1 spares the next process. */
TEST(who_passes_a_panel_on_has_it_twice)
{
    assert_int_equal(hyb_messages_copies(0, 1, 0), 0);
    assert_int_equal(hyb_messages_copies(0, 8, 0), 1);
    assert_int_equal(hyb_messages_copies(0, 8, 3), 2);
    assert_int_equal(hyb_messages_copies(0, 8, 7), 1);
    assert_int_equal(hyb_messages_copies(1, 8, 0), 2);
    assert_int_equal(hyb_messages_copies(1, 8, 1), 1);
    assert_int_equal(hyb_messages_copies(5, 8, 1), 1);
}

TEST_MAIN()
