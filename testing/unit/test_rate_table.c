/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/rate_table.h"

#include <math.h>
#include "testing/unit/unit.h"

/* Sizes 256 .. 4096 at depths 256 and 1024; larger and deeper is faster. */
static hyb_rate_table_t grid(void)
{
    hyb_rate_table_t table = {0};

    for (int64_t size = 4096; size >= 256; size /= 2)
        for (int64_t depth = 256; depth <= 1024; depth *= 4)
            assert_ok(hyb_rate_table_set(&table, size, depth,
                                         1e9 * (double)size * (double)depth));
    return table;
}

static void assert_close(double x, double expected)
{
    assert_true(fabs(x - expected) <= 1e-12 * expected);
}

/* ---- points and rates -----------------------------------------------------
 */

TEST(points_are_kept_in_order)
{
    hyb_rate_table_t table = grid();

    assert_int_equal(table.count, 10);
    for (int i = 0; i < table.count; i++) {
        assert_int_equal(table.point[i].depth, i < 5 ? 256 : 1024);
        assert_int_equal(table.point[i].size, 256 << i % 5);
    }
}

TEST(a_point_measured_again_is_replaced)
{
    hyb_rate_table_t table = grid();

    assert_ok(hyb_rate_table_set(&table, 512, 256, 7.0));
    assert_int_equal(table.count, 10);
    assert_true(hyb_rate_table_rate(&table, 512, 512, 256) == 7.0);
}

TEST(impossible_points_are_refused)
{
    hyb_rate_table_t table = {0};
    int i;

    assert_int_equal(hyb_rate_table_set(&table, 0, 1, 1.0), XH_ERR_ARG);
    assert_int_equal(hyb_rate_table_set(&table, 1, -1, 1.0), XH_ERR_ARG);
    assert_int_equal(hyb_rate_table_set(&table, 1, 1, 0.0), XH_ERR_ARG);
    assert_int_equal(hyb_rate_table_set(&table, 1, 1, NAN), XH_ERR_ARG);
    assert_int_equal(hyb_rate_table_set(&table, 1, 1, INFINITY), XH_ERR_ARG);
    assert_int_equal(table.count, 0);
    for (i = 1; i <= HYB_RATE_POINTS; i++)
        assert_ok(hyb_rate_table_set(&table, i, 1, 1.0));
    assert_int_equal(hyb_rate_table_set(&table, i, 1, 1.0), XH_ERR_ARG);
    assert_ok(hyb_rate_table_set(&table, 1, 1, 2.0));
}

TEST(a_rate_at_a_point_is_the_measured_one)
{
    hyb_rate_table_t table = grid();
    const hyb_rate_point_t *p;

    for (p = table.point; p < table.point + table.count; p++)
        assert_close(hyb_rate_table_rate(&table, p->size, p->size, p->depth),
                     p->rate);
}

TEST(between_points_logarithms_are_interpolated)
{
    hyb_rate_table_t table = {0};

    hyb_rate_table_set(&table, 100, 10, 4.0);
    hyb_rate_table_set(&table, 1600, 10, 8.0);
    hyb_rate_table_set(&table, 200, 1000, 10.0);
    assert_close(hyb_rate_table_rate(&table, 400, 400, 10), 6.0);
    assert_close(hyb_rate_table_rate(&table, 200, 200, 10), 5.0);
    assert_close(hyb_rate_table_rate(&table, 400, 400, 100), 8.0);
}

TEST(outside_the_nearest_point_counts)
{
    hyb_rate_table_t table = grid();

    assert_close(hyb_rate_table_rate(&table, 1, 1, 1), 1e9 * 256 * 256);
    assert_close(hyb_rate_table_rate(&table, 9999, 9999, 9999),
                 1e9 * 4096 * 1024);
    assert_close(hyb_rate_table_rate(&table, 9999, 9999, 2), 1e9 * 4096 * 256);
    assert_close(hyb_rate_table_rate(&table, 3, 3, 1024), 1e9 * 256 * 1024);
}

TEST(a_flat_tile_counts_as_a_smaller_square)
{
    hyb_rate_table_t table = grid();

    assert_close(hyb_rate_table_rate(&table, 768, 384, 256), 1e9 * 512 * 256);
    assert_close(hyb_rate_table_rate(&table, 384, 768, 256), 1e9 * 512 * 256);
}

TEST(only_what_was_set_is_there)
{
    hyb_rate_table_t table = grid(), empty = {0};

    assert_true(hyb_rate_table_has(&table, 256, 256));
    assert_true(hyb_rate_table_has(&table, 4096, 1024));
    assert_false(hyb_rate_table_has(&table, 4096, 512));
    assert_false(hyb_rate_table_has(&table, 4097, 1024));
    assert_false(hyb_rate_table_has(&empty, 256, 256));
}

TEST(an_empty_table_knows_no_rate)
{
    hyb_rate_table_t table = {0};

    assert_true(hyb_rate_table_rate(&table, 100, 100, 100) == 0.0);
}

/* ---- text -----------------------------------------------------------------
 */

TEST(a_printed_table_reads_back)
{
    hyb_rate_table_t table = grid(), back = {0}, empty = {0};
    char text[HYB_RATE_TEXT], again[HYB_RATE_TEXT];

    table.point[3].rate = 1.0 / 3.0;
    table.link_rate = 55e9;
    table.commit_rate = 11e9;
    assert_ok(hyb_rate_table_print(&table, "NVIDIA H200", text, sizeof(text)));
    assert_ok(hyb_rate_table_parse(text, "NVIDIA H200", &back));
    assert_int_equal(back.count, table.count);
    assert_true(fabs(back.point[3].rate - 1.0 / 3.0) < 1e-6);
    assert_true(back.link_rate == 55e9);
    assert_true(back.commit_rate == 11e9);
    hyb_rate_table_print(&back, "NVIDIA H200", again, sizeof(again));
    assert_string_equal(text, again);
    hyb_rate_table_print(&empty, "", text, sizeof(text));
    assert_ok(hyb_rate_table_parse(text, "", &back));
    assert_int_equal(back.count, 0);
    assert_true(back.link_rate == 0.0);
}

TEST(a_full_table_fits_its_text)
{
    hyb_rate_table_t table = {.link_rate = 1.23456e-300,
                              .commit_rate = 1.23456e-300},
                     back;
    char text[HYB_RATE_TEXT];

    for (int i = 0; i < HYB_RATE_POINTS; i++)
        hyb_rate_table_set(&table, 1000000000 + i, 1000000000, 1.23456e-300);
    assert_ok(hyb_rate_table_print(&table, "x", text, sizeof(text)));
    assert_ok(hyb_rate_table_parse(text, "x", &back));
    assert_int_equal(back.count, HYB_RATE_POINTS);
}

TEST(a_text_that_is_too_long_is_not_begun)
{
    hyb_rate_table_t table = grid();
    char text[HYB_RATE_TEXT], small[HYB_RATE_TEXT];
    size_t length;

    hyb_rate_table_print(&table, "x", text, sizeof(text));
    length = strlen(text);
    for (size_t size = 0; size <= length; size++) {
        memset(small, '#', sizeof(small));
        assert_int_equal(hyb_rate_table_print(&table, "x", small, size),
                         XH_ERR_ARG);
        assert_int_equal(small[0], '#');
    }
    assert_ok(hyb_rate_table_print(&table, "x", small, length + 1));
    assert_string_equal(text, small);
}

TEST(another_model_is_refused)
{
    hyb_rate_table_t table = grid(), back = {.count = -7};
    char text[HYB_RATE_TEXT];

    hyb_rate_table_print(&table, "NVIDIA H200", text, sizeof(text));
    assert_int_equal(hyb_rate_table_parse(text, "NVIDIA H100", &back),
                     XH_ERR_INPUT);
    assert_int_equal(hyb_rate_table_parse(text, "NVIDIA H20", &back),
                     XH_ERR_INPUT);
    assert_int_equal(back.count, -7);
}

/* What older programs wrote, who measured the link one way at a time. */
TEST(the_older_form_is_refused)
{
    static const char text[] = "tile rates 2\nx\n5e+10 bytes/s each way\n"
                               "1 points: size depth flop/s\n512 256 1e+12\n";
    hyb_rate_table_t back;

    assert_int_equal(hyb_rate_table_parse(text, "x", &back), XH_ERR_INPUT);
}

/* Every text one byte away, or cut short, is refused or means a table. */
TEST(damaged_text_is_refused)
{
    hyb_rate_table_t table = grid(), back;
    char text[HYB_RATE_TEXT], bad[HYB_RATE_TEXT], again[HYB_RATE_TEXT];
    size_t length;

    hyb_rate_table_print(&table, "x y", text, sizeof(text));
    length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        memcpy(bad, text, length + 1);
        bad[i] = '\0';
        assert_int_equal(hyb_rate_table_parse(bad, "x y", &back), XH_ERR_INPUT);
        for (size_t c = 1; c < 256; c++) {
            bad[i] = (char)c;
            if (hyb_rate_table_parse(bad, "x y", &back) != XH_OK)
                continue;
            hyb_rate_table_print(&back, "x y", again, sizeof(again));
            assert_string_equal(again, bad);
        }
    }
}

TEST_MAIN()
