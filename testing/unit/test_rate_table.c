/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/rate_table.h"

#include <math.h>
#include "testing/unit/unit.h"

/* Sizes 256 .. 4096 at depths 256 and 1024; larger and deeper is faster. */
static hyb_rate_table_t grid(void)
{
    hyb_rate_table_t table = {0};
    int64_t size, depth;

    for (size = 4096; size >= 256; size /= 2)
        for (depth = 256; depth <= 1024; depth *= 4)
            assert_int_equal(
                hyb_rate_table_set(&table, size, depth,
                                   1e9 * (double)size * (double)depth),
                XH_OK);
    return table;
}

static void assert_close(double x, double expected)
{
    assert_true(fabs(x - expected) <= 1e-12 * expected);
}

/* ---- points and rates -----------------------------------------------------
 */

static void points_are_kept_in_order(void **state)
{
    hyb_rate_table_t table = grid();
    int i;

    (void)state;
    assert_int_equal(table.count, 10);
    for (i = 0; i < table.count; i++) {
        assert_int_equal(table.point[i].depth, i < 5 ? 256 : 1024);
        assert_int_equal(table.point[i].size, 256 << i % 5);
    }
}

static void a_point_measured_again_is_replaced(void **state)
{
    hyb_rate_table_t table = grid();

    (void)state;
    assert_int_equal(hyb_rate_table_set(&table, 512, 256, 7.0), XH_OK);
    assert_int_equal(table.count, 10);
    assert_true(hyb_rate_table_rate(&table, 512, 512, 256) == 7.0);
}

static void impossible_points_are_refused(void **state)
{
    hyb_rate_table_t table = {0};
    int i;

    (void)state;
    assert_int_equal(hyb_rate_table_set(&table, 0, 1, 1.0), XH_ERR_ARG);
    assert_int_equal(hyb_rate_table_set(&table, 1, -1, 1.0), XH_ERR_ARG);
    assert_int_equal(hyb_rate_table_set(&table, 1, 1, 0.0), XH_ERR_ARG);
    assert_int_equal(hyb_rate_table_set(&table, 1, 1, NAN), XH_ERR_ARG);
    assert_int_equal(hyb_rate_table_set(&table, 1, 1, INFINITY), XH_ERR_ARG);
    assert_int_equal(table.count, 0);
    for (i = 1; i <= HYB_RATE_POINTS; i++)
        assert_int_equal(hyb_rate_table_set(&table, i, 1, 1.0), XH_OK);
    assert_int_equal(hyb_rate_table_set(&table, i, 1, 1.0), XH_ERR_ARG);
    assert_int_equal(hyb_rate_table_set(&table, 1, 1, 2.0), XH_OK);
}

static void a_rate_at_a_point_is_the_measured_one(void **state)
{
    hyb_rate_table_t table = grid();
    const hyb_rate_point_t *p;

    (void)state;
    for (p = table.point; p < table.point + table.count; p++)
        assert_close(hyb_rate_table_rate(&table, p->size, p->size, p->depth),
                     p->rate);
}

static void between_points_logarithms_are_interpolated(void **state)
{
    hyb_rate_table_t table = {0};

    (void)state;
    hyb_rate_table_set(&table, 100, 10, 4.0);
    hyb_rate_table_set(&table, 1600, 10, 8.0);
    hyb_rate_table_set(&table, 200, 1000, 10.0);
    assert_close(hyb_rate_table_rate(&table, 400, 400, 10), 6.0);
    assert_close(hyb_rate_table_rate(&table, 200, 200, 10), 5.0);
    assert_close(hyb_rate_table_rate(&table, 400, 400, 100), 8.0);
}

static void outside_the_nearest_point_counts(void **state)
{
    hyb_rate_table_t table = grid();

    (void)state;
    assert_close(hyb_rate_table_rate(&table, 1, 1, 1), 1e9 * 256 * 256);
    assert_close(hyb_rate_table_rate(&table, 9999, 9999, 9999),
                 1e9 * 4096 * 1024);
    assert_close(hyb_rate_table_rate(&table, 9999, 9999, 2), 1e9 * 4096 * 256);
    assert_close(hyb_rate_table_rate(&table, 3, 3, 1024), 1e9 * 256 * 1024);
}

static void a_flat_tile_counts_as_a_smaller_square(void **state)
{
    hyb_rate_table_t table = grid();

    (void)state;
    assert_close(hyb_rate_table_rate(&table, 768, 384, 256), 1e9 * 512 * 256);
    assert_close(hyb_rate_table_rate(&table, 384, 768, 256), 1e9 * 512 * 256);
}

static void only_what_was_set_is_there(void **state)
{
    hyb_rate_table_t table = grid(), empty = {0};

    (void)state;
    assert_true(hyb_rate_table_has(&table, 256, 256));
    assert_true(hyb_rate_table_has(&table, 4096, 1024));
    assert_false(hyb_rate_table_has(&table, 4096, 512));
    assert_false(hyb_rate_table_has(&table, 4097, 1024));
    assert_false(hyb_rate_table_has(&empty, 256, 256));
}

static void an_empty_table_knows_no_rate(void **state)
{
    hyb_rate_table_t table = {0};

    (void)state;
    assert_true(hyb_rate_table_rate(&table, 100, 100, 100) == 0.0);
}

/* ---- text -----------------------------------------------------------------
 */

static void a_printed_table_reads_back(void **state)
{
    hyb_rate_table_t table = grid(), back = {0}, empty = {0};
    char text[HYB_RATE_TEXT], again[HYB_RATE_TEXT];

    (void)state;
    table.point[3].rate = 1.0 / 3.0;
    table.link_rate = 55e9;
    table.commit_rate = 11e9;
    assert_int_equal(
        hyb_rate_table_print(&table, "NVIDIA H200", text, sizeof(text)), XH_OK);
    assert_int_equal(hyb_rate_table_parse(text, "NVIDIA H200", &back), XH_OK);
    assert_int_equal(back.count, table.count);
    assert_true(fabs(back.point[3].rate - 1.0 / 3.0) < 1e-6);
    assert_true(back.link_rate == 55e9);
    assert_true(back.commit_rate == 11e9);
    hyb_rate_table_print(&back, "NVIDIA H200", again, sizeof(again));
    assert_string_equal(text, again);
    hyb_rate_table_print(&empty, "", text, sizeof(text));
    assert_int_equal(hyb_rate_table_parse(text, "", &back), XH_OK);
    assert_int_equal(back.count, 0);
    assert_true(back.link_rate == 0.0);
}

static void a_full_table_fits_its_text(void **state)
{
    hyb_rate_table_t table = {.link_rate = 1.23456e-300,
                              .commit_rate = 1.23456e-300},
                     back;
    char text[HYB_RATE_TEXT];
    int i;

    (void)state;
    for (i = 0; i < HYB_RATE_POINTS; i++)
        hyb_rate_table_set(&table, 1000000000 + i, 1000000000, 1.23456e-300);
    assert_int_equal(hyb_rate_table_print(&table, "x", text, sizeof(text)),
                     XH_OK);
    assert_int_equal(hyb_rate_table_parse(text, "x", &back), XH_OK);
    assert_int_equal(back.count, HYB_RATE_POINTS);
}

static void a_text_that_is_too_long_is_not_begun(void **state)
{
    hyb_rate_table_t table = grid();
    char text[HYB_RATE_TEXT], small[HYB_RATE_TEXT];
    size_t length, size;

    (void)state;
    hyb_rate_table_print(&table, "x", text, sizeof(text));
    length = strlen(text);
    for (size = 0; size <= length; size++) {
        memset(small, '#', sizeof(small));
        assert_int_equal(hyb_rate_table_print(&table, "x", small, size),
                         XH_ERR_ARG);
        assert_int_equal(small[0], '#');
    }
    assert_int_equal(hyb_rate_table_print(&table, "x", small, length + 1),
                     XH_OK);
    assert_string_equal(text, small);
}

static void another_model_is_refused(void **state)
{
    hyb_rate_table_t table = grid(), back = {.count = -7};
    char text[HYB_RATE_TEXT];

    (void)state;
    hyb_rate_table_print(&table, "NVIDIA H200", text, sizeof(text));
    assert_int_equal(hyb_rate_table_parse(text, "NVIDIA H100", &back),
                     XH_ERR_INPUT);
    assert_int_equal(hyb_rate_table_parse(text, "NVIDIA H20", &back),
                     XH_ERR_INPUT);
    assert_int_equal(back.count, -7);
}

/* What older programs wrote, who measured the link one way at a time. */
static void the_older_form_is_refused(void **state)
{
    static const char text[] = "tile rates 2\nx\n5e+10 bytes/s each way\n"
                               "1 points: size depth flop/s\n512 256 1e+12\n";
    hyb_rate_table_t back;

    (void)state;
    assert_int_equal(hyb_rate_table_parse(text, "x", &back), XH_ERR_INPUT);
}

/* Every text one byte away, or cut short, is refused or means a table. */
static void damaged_text_is_refused(void **state)
{
    hyb_rate_table_t table = grid(), back;
    char text[HYB_RATE_TEXT], bad[HYB_RATE_TEXT], again[HYB_RATE_TEXT];
    size_t length, i, c;

    (void)state;
    hyb_rate_table_print(&table, "x y", text, sizeof(text));
    length = strlen(text);
    for (i = 0; i < length; i++) {
        memcpy(bad, text, length + 1);
        bad[i] = '\0';
        assert_int_equal(hyb_rate_table_parse(bad, "x y", &back), XH_ERR_INPUT);
        for (c = 1; c < 256; c++) {
            bad[i] = (char)c;
            if (hyb_rate_table_parse(bad, "x y", &back) != XH_OK)
                continue;
            hyb_rate_table_print(&back, "x y", again, sizeof(again));
            assert_string_equal(again, bad);
        }
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(points_are_kept_in_order),
    cmocka_unit_test(a_point_measured_again_is_replaced),
    cmocka_unit_test(impossible_points_are_refused),
    cmocka_unit_test(a_rate_at_a_point_is_the_measured_one),
    cmocka_unit_test(between_points_logarithms_are_interpolated),
    cmocka_unit_test(outside_the_nearest_point_counts),
    cmocka_unit_test(a_flat_tile_counts_as_a_smaller_square),
    cmocka_unit_test(only_what_was_set_is_there),
    cmocka_unit_test(an_empty_table_knows_no_rate),
    cmocka_unit_test(a_printed_table_reads_back),
    cmocka_unit_test(a_full_table_fits_its_text),
    cmocka_unit_test(a_text_that_is_too_long_is_not_begun),
    cmocka_unit_test(another_model_is_refused),
    cmocka_unit_test(the_older_form_is_refused),
    cmocka_unit_test(damaged_text_is_refused),
};
UNIT_MAIN(cases)
