/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/request.h"
#include "testing/unit/capture.h"
#include "testing/unit/unit.h"

static xhpl_request_t request;

static xh_status_t read_time(const char *text)
{
    return xhpl_request_read(&(xhpl_request_words_t){.time = text}, &request);
}

static xh_status_t read_memory(const char *text)
{
    return xhpl_request_read(&(xhpl_request_words_t){.memory = text}, &request);
}

TEST(who_asks_for_nothing_gets_80_percent)
{
    assert_ok(xhpl_request_read(&(xhpl_request_words_t){0}, &request));
    assert_true(request.memory_share == 0.8);
    assert_true(request.seconds == 0.0 && request.memory_bytes == 0.0);
    assert_int_equal(request.nodes + request.ranks_per_node, 0);
}

TEST(time_is_in_seconds_minutes_or_hours)
{
    static const struct {
        const char *text;
        double seconds;
    } of[] = {{"90", 90}, {"90s", 90}, {"10m", 600}, {"1.5h", 5400}};

    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        assert_ok(read_time(of[i].text));
        assert_true(request.seconds == of[i].seconds);
    }
}

TEST(memory_is_a_share_or_bytes)
{
    assert_ok(read_memory("50%"));
    assert_true(request.memory_share == 0.5 && request.memory_bytes == 0.0);
    assert_ok(read_memory("100%"));
    assert_ok(read_memory("12G"));
    assert_true(request.memory_bytes == 12.0 * (1 << 30));
    assert_ok(read_memory("0.5T"));
    assert_true(request.memory_bytes == 0x1p39);
    assert_ok(read_memory("512M"));
    assert_true(request.memory_bytes == 0x1p29);
}

TEST(what_is_neither_is_refused_and_changes_nothing)
{
    static const char *const wrong[] = {"",    "-1",   "0",   "ten", "5x",
                                        "5mm", "1e",   "nan", "inf", " 5",
                                        "5 ",  "0x10", "1e9h"};
    const char *said;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        request.seconds = 7;
        capture_begin();
        xh_status_t time = read_time(wrong[i]), memory = read_memory(wrong[i]);
        said = capture_end(NULL);
        assert_int_equal(time, XH_ERR_INPUT);
        assert_int_equal(memory, XH_ERR_INPUT);
        assert_non_null(strstr(said, "--time: '"));
        assert_non_null(strstr(said, "--memory: '"));
        assert_true(request.seconds == 7);
    }
}

/* What is said where an option's value is refused. */
static const char *refusal(const xhpl_request_words_t *words)
{
    xh_status_t status;
    const char *said;

    capture_begin();
    status = xhpl_request_read(words, &request);
    said = capture_end(NULL);
    assert_int_equal(status, XH_ERR_INPUT);
    return said;
}

#define REFUSAL(option, value)                                                 \
    refusal(&(xhpl_request_words_t){.option = (value)})

TEST(a_refusal_shows_the_form_and_the_nearest)
{
    static const struct {
        const char *text, *end;
    } times[] = {{"10min", "such as 10m; the nearest is 10m\n"},
                 {"90sec", "; the nearest is 90s\n"},
                 {"5x", "; the nearest is 5s\n"},
                 {"1000000h", "; the nearest is 2777h\n"},
                 {"ten", "such as 10m\n"},
                 {"0", "such as 10m\n"},
                 {"", "such as 10m\n"}},
      memories[] = {{"12GB", "such as 12G; the nearest is 12G\n"},
                    {"120%", "; the nearest is 100%\n"},
                    {"1.5g", "; the nearest is 1.5G\n"},
                    {"all", "such as 12G\n"}},
      nodes[] = {{"1.5", "such as 4; the nearest is 2\n"},
                 {"0", "; the nearest is 1\n"},
                 {"9999999", "; the nearest is 1048576\n"},
                 {"many", "such as 4\n"}};
    size_t i;

    for (i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        assert_non_null(strstr(REFUSAL(time, times[i].text), times[i].end));
    for (i = 0; i < sizeof(memories) / sizeof(memories[0]); i++)
        assert_non_null(
            strstr(REFUSAL(memory, memories[i].text), memories[i].end));
    for (i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
        assert_non_null(strstr(REFUSAL(nodes, nodes[i].text), nodes[i].end));
}

TEST(more_than_all_memory_is_refused)
{
    capture_begin();
    xh_status_t status = read_memory("100.1%");
    assert_non_null(strstr(capture_end(NULL), "100.1%"));
    assert_int_equal(status, XH_ERR_INPUT);
}

TEST(nodes_and_ranks_are_whole_numbers)
{
    xhpl_request_words_t words = {.nodes = "16", .ranks_per_node = "4"};

    assert_ok(xhpl_request_read(&words, &request));
    assert_int_equal(request.nodes, 16);
    assert_int_equal(request.ranks_per_node, 4);
    words.nodes = "1.5";
    capture_begin();
    xh_status_t status = xhpl_request_read(&words, &request);
    assert_non_null(strstr(capture_end(NULL), "--nodes: '1.5'"));
    assert_int_equal(status, XH_ERR_INPUT);
    words = (xhpl_request_words_t){.ranks_per_node = "99999999999"};
    capture_begin();
    status = xhpl_request_read(&words, &request);
    assert_non_null(strstr(capture_end(NULL), "--ranks-per-node"));
    assert_int_equal(status, XH_ERR_INPUT);
}

/* Two nodes with three processes on one and two on the other. */
TEST(a_job_is_as_started_but_for_what_is_said)
{
    static const xhpl_extent_t started = {2, 3, 5};
    static const struct {
        int nodes, ranks;
        xhpl_extent_t extent;
    } of[] = {{0, 0, {2, 3, 5}},
              {8, 0, {8, 3, 24}},
              {0, 4, {2, 4, 8}},
              {8, 4, {8, 4, 32}},
              {1 << 20, 1 << 20, {1 << 20, 1 << 20, INT64_C(1) << 40}}};

    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        xhpl_request_t asked = {.nodes = of[i].nodes,
                                .ranks_per_node = of[i].ranks};
        xhpl_extent_t extent = xhpl_request_extent(&asked, &started);

        assert_int_equal(extent.nodes, of[i].extent.nodes);
        assert_int_equal(extent.ranks_per_node, of[i].extent.ranks_per_node);
        assert_true(extent.processes == of[i].extent.processes);
    }
}

TEST_MAIN()
