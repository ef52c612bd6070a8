/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: json */
#include "testing/json/json.h"

#include <math.h>
#include "testing/unit/unit.h"

/* value as text on one line; it is given back. */
static void assert_is(json_t *value, const char *text)
{
    char *found =
        json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);

    json_decref(value);
    assert_non_null(found);
    assert_string_equal(found, text);
    free(found);
}

TEST(a_number_that_is_not_finite_is_null)
{
    assert_is(xh_json_number(0.5), "0.5");
    assert_is(xh_json_number(1.0 / 3), "0.33333333333333331");
    assert_is(xh_json_number(NAN), "null");
    assert_is(xh_json_number(INFINITY), "null");
    assert_is(xh_json_number(-INFINITY), "null");
}

TEST(text_that_is_no_utf8_loses_only_those_bytes)
{
    assert_is(xh_json_text("node \xc3\xa4"), "\"node \xc3\xa4\"");
    assert_is(xh_json_text("node \xff!"), "\"node ?!\"");
    assert_is(xh_json_text(""), "null");
    assert_is(xh_json_text(NULL), "null");
}

TEST(a_moment_is_utc_with_three_digits)
{
    const struct timespec first = {0, 0}, last = {1790000000, 999999999};

    setenv("TZ", "Asia/Tokyo", 1);
    assert_is(xh_json_moment(&first), "\"1970-01-01T00:00:00.000Z\"");
    assert_is(xh_json_moment(&last), "\"2026-09-21T14:13:20.999Z\"");
}

/* The rows of csv as one line. */
static void assert_rows(const char *csv, const char *text)
{
    assert_is(xh_json_table(csv, strlen(csv)), text);
}

TEST(rows_of_csv_become_objects)
{
    assert_rows("a,b,c\n1,2.5,x\n-3,1e3,y\n",
                "[{\"a\":1,\"b\":2.5,\"c\":\"x\"},"
                "{\"a\":-3,\"b\":1000.0,\"c\":\"y\"}]");
    assert_rows("a\n7", "[{\"a\":7}]");
}

TEST(an_empty_cell_is_no_member)
{
    assert_rows("a,b,c\n1,,\n,,3\n", "[{\"a\":1},{\"c\":3}]");
    assert_rows("a,b\n\"\",1\n", "[{\"b\":1}]");
}

TEST(a_quoted_cell_is_text_whatever_is_in_it)
{
    assert_rows("a,b\n\"k = 3, then \"\"4\"\"\",1\n",
                "[{\"a\":\"k = 3, then \\\"4\\\"\",\"b\":1}]");
    assert_rows("a,b\n\"12\",1\n", "[{\"a\":\"12\",\"b\":1}]");
    assert_rows("a\n\"open", "[{\"a\":\"open\"}]");
}

TEST(a_table_without_rows_is_an_empty_list_and_a_cell_without_a_name_left_out)
{
    assert_rows("", "[]");
    assert_rows("a,b\n", "[]");
    assert_rows("a\n1,2,3\n", "[{\"a\":1}]");
    assert_rows("a,b\n1\n", "[{\"a\":1}]");
}
