/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/iterations.h"
#include <math.h>
#include <stdbool.h>
#include "testing/unit/unit.h"

enum { CELLS_MOST = 64 };

static const HPL_T_grid row_of_two = {.nprow = 1, .npcol = 2};
static const hyb_observer_t small = {
    .grid = &row_of_two, .n = 300, .nb = 100, .iterations = 3};

static hyb_iterations_t record;

/* a row of CSV, cut at its commas, quotes removed */
typedef struct {
    char text[1024];
    const char *cell[CELLS_MOST];
    int cells;
} line_t;

static void end_cell(line_t *line, char **out_p)
{
    *(*out_p)++ = '\0';
    assert_true(line->cells < CELLS_MOST);
}

/* Line number index of csv. */
static line_t *cut(const char *csv, int index)
{
    static line_t line;
    char *out = line.text;
    bool quoted = false;

    for (; index > 0; index--) {
        csv = strchr(csv, '\n');
        assert_non_null(csv++);
    }
    assert_true(*csv != '\0');
    line.cells = 0;
    line.cell[line.cells++] = out;
    for (; *csv != '\n' || quoted; csv++) {
        assert_true(*csv != '\0');
        if (*csv == '"' && quoted && csv[1] == '"')
            *out++ = *csv++;
        else if (*csv == '"')
            quoted = !quoted;
        else if (*csv != ',' || quoted)
            *out++ = *csv;
        else {
            end_cell(&line, &out);
            line.cell[line.cells++] = out;
        }
    }
    *out = '\0';
    return &line;
}

static int lines(const char *csv)
{
    int count = 0;

    for (; *csv != '\0'; csv++)
        count += *csv == '\n';
    return count;
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

/* The cell of line number index under the column name. */
static const char *cell(int index, const char *name)
{
    const char *csv = csv_of(0, 0.0);
    line_t *line = cut(csv, 0);
    int column = 0;

    while (column < line->cells && strcmp(line->cell[column], name) != 0)
        column++;
    assert_true(column < line->cells);
    line = cut(csv, index);
    return line->cell[column];
}

/* A case with a record to which rows of the small run are added. */
static int record_begin(void **state)
{
    (void)state;
    hyb_iterations_begin(&record, &small);
    return 0;
}

static int record_end(void **state)
{
    (void)state;
    hyb_iterations_free(&record);
    return 0;
}

#define TEST_OF_RECORD(name) TEST_WITH(name, record_begin, record_end)

TEST_OF_RECORD(every_line_has_the_columns_of_the_first)
{
    hyb_iteration_t row = {.iteration = 1, .reason = "a, b"};
    const char *csv;
    int cells;

    hyb_iterations_add(&record, &row);
    row.devices = HYB_ITERATION_DEVICES;
    hyb_iterations_add(&record, &row);
    csv = csv_of(0, 0.0);
    assert_int_equal(lines(csv), 3);
    cells = cut(csv, 0)->cells;
    assert_int_equal(cut(csv, 1)->cells, cells);
    assert_int_equal(cut(csv, 2)->cells, cells);
}

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
                                 .device_wait = {12, 13}};
    static const char wanted[] =
        "rank,run,n,nb,p,q,iteration,mode,reason,columns_left,panel_threads,"
        "begin,seconds,gflops,share_used,share_measured,panel,broadcast,"
        "exchange,swap,solve,update_host,wait_panel,wait_exchange,wait_device,"
        "update_device_0,update_device_1,update_device_2,update_device_3,"
        "update_device_4,update_device_5,update_device_6,update_device_7,"
        "device_wait_0,device_wait_1,device_wait_2,device_wait_3,"
        "device_wait_4,device_wait_5,device_wait_6,device_wait_7\n"
        "0,0,300,100,1,2,7,2,\"less time\",12345,3,20.5,0.25,512.5,0.75,"
        "0.8125,1,2,3,4,5,6,7,8,9,10,11,,,,,,,12,13,,,,,,\n";

    hyb_iterations_add(&record, &row);
    assert_string_equal(csv_of(0, 0.0), wanted);
}

TEST_OF_RECORD(what_is_not_known_is_an_empty_cell)
{
    const hyb_iteration_t row = {
        .share_used = NAN, .share_measured = INFINITY, .gflops = 0};

    hyb_iterations_add(&record, &row);
    assert_string_equal(cell(1, "share_used"), "");
    assert_string_equal(cell(1, "share_measured"), "");
    assert_string_equal(cell(1, "reason"), "");
    assert_string_equal(cell(1, "gflops"), "0");
}

TEST_OF_RECORD(a_reason_may_hold_commas_and_quotes)
{
    const hyb_iteration_t row = {.reason = "probe, of \"2\"", .mode = 1};

    hyb_iterations_add(&record, &row);
    assert_string_equal(cell(1, "reason"), "probe, of \"2\"");
    assert_string_equal(cell(1, "columns_left"), "0");
}

TEST_OF_RECORD(only_process_0_names_the_columns)
{
    const hyb_iteration_t row = {.iteration = 5};

    assert_int_equal(lines(csv_of(0, 0.0)), 1);
    assert_string_equal(csv_of(3, 0.0), "");
    hyb_iterations_add(&record, &row);
    assert_int_equal(lines(csv_of(3, 0.0)), 1);
    assert_string_equal(cut(csv_of(3, 0.0), 0)->cell[0], "3");
}

TEST_OF_RECORD(begin_counts_from_zero)
{
    const hyb_iteration_t row = {.begin = 1000.5};

    hyb_iterations_add(&record, &row);
    assert_string_equal(cut(csv_of(1, 1000.0), 0)->cell[11], "0.5");
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
    assert_int_equal(lines(csv_of(0, 0.0)), 1 + 1 + 100);
    assert_string_equal(cell(1, "run"), "0");
    assert_string_equal(cell(1, "n"), "300");
    assert_string_equal(cell(2, "run"), "1");
    assert_string_equal(cell(101, "n"), "700");
    assert_string_equal(cell(101, "p"), "3");
    assert_string_equal(cell(101, "iteration"), "99");
}

TEST_OF_RECORD(rows_without_room_are_left_out)
{
    hyb_iteration_t row = {.mode = 0};

    for (row.iteration = 0; row.iteration < 10; row.iteration++)
        hyb_iterations_add(&record, &row);
    assert_int_equal(lines(csv_of(0, 0.0)), 1 + 3);
    assert_string_equal(cell(3, "iteration"), "2");
}

TEST(without_a_run_no_row_is_kept)
{
    const hyb_iteration_t row = {.mode = 0};

    hyb_iterations_add(&record, &row);
    assert_int_equal(lines(csv_of(0, 0.0)), 1);
}

TEST_MAIN()
