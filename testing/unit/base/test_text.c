/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "testing/unit/unit.h"

/* Capitals are equal to small letters; a long word is no danger. */
TEST(a_distance_counts_single_edits)
{
    static const struct {
        const char *from, *to;
        int edits;
    } of[] = {{"", "", 0},
              {"abc", "", 3},
              {"", "abc", 3},
              {"kitten", "sitting", 3},
              {"sitting", "kitten", 3},
              {"panel", "pael", 1},
              {"ab", "ba", 2},
              {"BLAS_Threads", "blas_threads", 0}};
    char a[1001] = "", b[1001] = "";

    for (size_t i = 0; i < COUNT_OF(of); i++)
        assert_int_equal(xh_text_distance(of[i].from, of[i].to), of[i].edits);
    memset(a, 'a', 1000);
    memset(b, 'b', 1000);
    assert_int_equal(xh_text_distance(a, b), 1000);
    assert_int_equal(xh_text_distance(a, ""), 1000);
    assert_int_equal(xh_text_distance("", a), 63);
}

TEST(a_number_may_have_a_unit_that_multiplies)
{
    static const struct {
        const char *text;
        double x;
    } of[] = {{"1k", 1e3},   {"100G", 1e11},   {"2Mi", 2e6}, {"1.5TB", 1.5e12},
              {"30s", 30.0}, {"500Ns", 500.0}, {"1e3", 1e3}, {"-1m", -1.0}};
    double x = 7.0;

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        assert_true(xh_text_number(of[i].text, &x));
        assert_true(x == of[i].x);
    }
    assert_false(xh_text_number("abc", &x) || xh_text_number("nan", &x) ||
                 xh_text_number("", &x));
}

TEST(seconds_are_said_in_units_of_people)
{
    static const struct {
        double seconds;
        const char *text;
    } of[] = {{0.0, "0 s"},       {0.00123, "1.2 ms"},   {0.35, "0.35 s"},
              {1.0, "1 s"},       {9.949, "9.9 s"},      {9.96, "10 s"},
              {119.0, "119 s"},   {119.9, "2 min"},      {1800.0, "30 min"},
              {1850.0, "31 min"}, {7190.0, "2 h"},       {7800.0, "2 h 10 min"},
              {86400.0, "24 h"},  {273600.0, "3 d 4 h"}, {6.3e9, "200 years"},
              {172799.0, "2 d"}};

    for (size_t i = 0; i < COUNT_OF(of); i++)
        assert_string_equal(xh_text_seconds(of[i].seconds).text, of[i].text);
}

TEST(rates_are_said_with_three_digits)
{
    static const struct {
        double rate;
        const char *text;
    } of[] = {{97.04e9, "97.0 Gflop/s"}, {11.22e12, "11.2 Tflop/s"},
              {999.6e9, "1.00 Tflop/s"}, {9308e9, "9.31 Tflop/s"},
              {216e9, "216 Gflop/s"},    {0.0, "0.00 Mflop/s"},
              {1.353e18, "1.35 Eflop/s"}};

    for (size_t i = 0; i < COUNT_OF(of); i++)
        assert_string_equal(xh_text_rate(of[i].rate).text, of[i].text);
}

TEST(numbers_have_no_exponent_where_they_are_large)
{
    assert_string_equal(xh_text_plain(1853.4, 3).text, "1853");
    assert_string_equal(xh_text_plain(999.6, 3).text, "1000");
    assert_string_equal(xh_text_plain(97.04, 3).text, "97");
    assert_string_equal(xh_text_plain(0.1234, 3).text, "0.123");
    assert_string_equal(xh_text_plain(1.2e5, 4).text, "120000");
}

TEST(the_nearest_word_is_the_first_at_least_distance)
{
    static const char *const words[] = {"left", "crout", "right", "light"};

    assert_int_equal(xh_text_nearest("crt", words, 4), 1);
    assert_int_equal(xh_text_nearest("ight", words, 4), 2);
    assert_int_equal(xh_text_nearest("LIGHT", words, 4), 3);
    assert_int_equal(xh_text_nearest("anything", words, 1), 0);
}

TEST(a_file_is_read_whole_or_not_at_all)
{
    char path[] = "/tmp/xhpl-text-XXXXXX", *text;
    int file = mkstemp(path);
    size_t length = 0;

    assert_true(file >= 0 && write(file, "a\0b\n", 4) == 4);
    close(file);
    text = xh_text_read(path, 5, &length);
    assert_true(text != NULL && length == 4);
    assert_memory_equal(text, "a\0b\n", 5);
    free(text);
    assert_true(xh_text_read(path, 4, &length) == NULL && errno == EFBIG);
    unlink(path);
    assert_true(xh_text_read(path, 5, &length) == NULL && errno == ENOENT);
    assert_true(xh_text_read("/", 5, &length) == NULL && errno == EISDIR);
}

TEST(only_a_word_that_may_have_been_meant_is_near)
{
    static const char *const near[][2] = {{"progres", "progress"},
                                          {"bcats", "bcast"},
                                          {"iter", "iterations"},
                                          {"nc", "n"},
                                          {"N", "n"},
                                          {"QUIET", "quiet"}};
    static const char *const far[][2] = {{"foo", "home"},     {"nope", "home"},
                                         {"i", "iterations"}, {"x", "n"},
                                         {"", "n"},           {"it", "l1"}};

    for (size_t i = 0; i < COUNT_OF(near); i++)
        assert_true(xh_text_is_near(near[i][0], near[i][1]));
    for (size_t i = 0; i < COUNT_OF(far); i++)
        assert_false(xh_text_is_near(far[i][0], far[i][1]));
}
