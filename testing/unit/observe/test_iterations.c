/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/iterations.h"
#include <math.h>
#include "testing/unit/unit.h"

static const HPL_T_grid row_of_two = {.nprow = 1, .npcol = 2};
static const hyb_observer_t small = {
    .grid = &row_of_two, .n = 300, .nb = 100, .iterations = 3};

static hyb_iterations_t record;

static int count(const char *text, char wanted)
{
    int found = 0;

    for (; *text != '\0'; text++)
        found += *text == wanted;
    return found;
}

/* The record as CSV, valid until the next call. */
static const char *csv_of(int rank, double zero)
{
    static char *text;
    size_t size = 0;

    free(text);
    text = NULL;
    assert_ok(hyb_iterations_csv(&record, rank, zero, &text, &size));
    assert_int_equal(strlen(text), size);
    return text;
}

/* Line number index begins so. */
static void assert_begins(int index, const char *text)
{
    const char *line = csv_of(0, 0.0);

    for (; index > 0; index--)
        line = strchr(line, '\n') + 1;
    if (strncmp(line, text, strlen(text)) != 0)
        fail_msg("'%s' does not begin with '%s'", line, text);
}

/* A case with a record to which rows of the small run are added. */
UNIT_STEP(record_begin)
{
    hyb_iterations_begin(&record, &small);
}

UNIT_STEP(record_end)
{
    hyb_iterations_free(&record);
}

#define TEST_OF_RECORD(name) TEST_WITH(name, record_begin, record_end)

TEST_OF_RECORD(a_value_stands_under_its_name)
{
    const hyb_iteration_t row = {.iteration = 7,
                                 .mode = 2,
                                 .reason = "less time",
                                 .columns_left = 12345,
                                 .panel_threads = 3,
                                 .devices = 2,
                                 .begin = 20.5,
                                 .seconds = 0.25,
                                 .gflops = 512.5,
                                 .share_used = 0.75,
                                 .share_measured = 0.8125,
                                 .panel = 1,
                                 .broadcast = 2,
                                 .exchange = 3,
                                 .swap = 4,
                                 .solve = 5,
                                 .update_host = 6,
                                 .wait_panel = 7,
                                 .wait_exchange = 8,
                                 .wait_device = 9,
                                 .update_device = {10, 11},
                                 .device_wait = {12, 13},
                                 .link_wait = {14, 15},
                                 .panel_device = 16};
    static const char wanted[] =
        "rank,run,n,nb,p,q,iteration,mode,reason,columns_left,panel_threads,"
        "begin,seconds,gflops,share_used,share_measured,panel,broadcast,"
        "exchange,swap,solve,update_host,wait_panel,wait_exchange,wait_device,"
        "update_device_0,update_device_1,update_device_2,update_device_3,"
        "update_device_4,update_device_5,update_device_6,update_device_7,"
        "device_wait_0,device_wait_1,device_wait_2,device_wait_3,"
        "device_wait_4,device_wait_5,device_wait_6,device_wait_7,"
        "link_wait_0,link_wait_1,link_wait_2,link_wait_3,"
        "link_wait_4,link_wait_5,link_wait_6,link_wait_7,panel_device\n"
        "0,0,300,100,1,2,7,2,\"less time\",12345,3,20.5,0.25,512.5,0.75,"
        "0.8125,1,2,3,4,5,6,7,8,9,10,11,,,,,,,12,13,,,,,,,14,15,,,,,,,16\n";

    hyb_iterations_add(&record, &row);
    assert_string_equal(csv_of(0, 0.0), wanted);
}

TEST_OF_RECORD(what_is_not_known_is_empty_and_a_reason_may_hold_anything)
{
    const hyb_iteration_t unknown = {
        .share_used = NAN, .share_measured = INFINITY, .gflops = 0};
    const hyb_iteration_t quoted = {.reason = "probe, of \"2\"", .mode = 1};

    hyb_iterations_add(&record, &unknown);
    hyb_iterations_add(&record, &quoted);
    assert_begins(1, "0,0,300,100,1,2,0,0,,0,0,0,0,0,,,0,");
    assert_begins(2, "0,0,300,100,1,2,0,1,\"probe, of \"\"2\"\"\",0,");
}

TEST_OF_RECORD(only_process_0_names_the_columns)
{
    const hyb_iteration_t row = {.iteration = 5};

    assert_int_equal(count(csv_of(0, 0.0), '\n'), 1);
    assert_string_equal(csv_of(3, 0.0), "");
    hyb_iterations_add(&record, &row);
    assert_int_equal(count(csv_of(3, 0.0), '\n'), 1);
    assert_in(csv_of(3, 0.0), "3,0,300,100,1,2,5,");
}

TEST_OF_RECORD(runs_are_counted_and_have_their_own_size)
{
    const HPL_T_grid grid = {.nprow = 3, .npcol = 4};
    const hyb_observer_t larger = {
        .grid = &grid, .n = 700, .nb = 7, .iterations = 100};
    hyb_iteration_t row = {.iteration = 0};

    hyb_iterations_add(&record, &row);
    hyb_iterations_begin(&record, &larger);
    for (row.iteration = 0; row.iteration < 100; row.iteration++)
        hyb_iterations_add(&record, &row);
    assert_int_equal(count(csv_of(0, 0.0), '\n'), 1 + 1 + 100);
    assert_begins(1, "0,0,300,100,1,2,0,");
    assert_begins(2, "0,1,700,7,3,4,0,");
    assert_begins(101, "0,1,700,7,3,4,99,");
}

TEST_OF_RECORD(rows_without_room_are_left_out)
{
    hyb_iteration_t row = {.mode = 0};

    for (row.iteration = 0; row.iteration < 10; row.iteration++)
        hyb_iterations_add(&record, &row);
    assert_int_equal(count(csv_of(0, 0.0), '\n'), 1 + 3);
    assert_begins(3, "0,0,300,100,1,2,2,");
}
