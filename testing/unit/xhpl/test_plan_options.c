/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/plan_options.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"

static xhpl_plan_options_t options;

TEST(an_amount_is_a_number_and_a_unit)
{
    static const struct {
        xhpl_limit_t limit;
        const char *text;
        xhpl_plan_options_t found;
    } of[] = {{XHPL_TIME, "90", {.seconds = 90}},
              {XHPL_TIME, "90s", {.seconds = 90}},
              {XHPL_TIME, "10m", {.seconds = 600}},
              {XHPL_TIME, "1.5h", {.seconds = 5400}},
              {XHPL_MEMORY, "50%", {.memory_share = 0.5}},
              {XHPL_MEMORY, "100%", {.memory_share = 1}},
              {XHPL_MEMORY, "512M", {.memory_bytes = 0x1p29}},
              {XHPL_MEMORY, "12G", {.memory_bytes = 12 * 0x1p30}},
              {XHPL_MEMORY, "0.5T", {.memory_bytes = 0x1p39}},
              {XHPL_NODES, "16", {.nodes = 16}},
              {XHPL_RANKS_PER_NODE, "4", {.ranks_per_node = 4}}};

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        options = (xhpl_plan_options_t){0};
        assert_ok(xhpl_plan_option_read(of[i].limit, of[i].text, &options));
        assert_memory_equal(&options, &of[i].found, sizeof(options));
    }
}

TEST(the_last_of_several_amounts_of_memory_counts)
{
    assert_ok(xhpl_plan_option_read(XHPL_MEMORY, "12G", &options));
    assert_ok(xhpl_plan_option_read(XHPL_MEMORY, "50%", &options));
    assert_true(options.memory_share == 0.5 && options.memory_bytes == 0.0);
}

/* text is refused with a message that names option and ends so. */
static void assert_refused(xhpl_limit_t limit, const char *text,
                           const char *option, const char *end)
{
    options = (xhpl_plan_options_t){.seconds = 7};
    assert_said(xhpl_plan_option_read(limit, text, &options), XH_ERR_INPUT,
                option);
    assert_said(xhpl_plan_option_read(limit, text, &options), XH_ERR_INPUT,
                end);
    assert_true(options.seconds == 7 && options.memory_share == 0.0);
}

TEST(what_is_no_amount_is_refused_and_changes_nothing)
{
    static const char *const wrong[] = {"",    "-1",   "0",   "ten", "5x",
                                        "5mm", "1e",   "nan", "inf", " 5",
                                        "5 ",  "0x10", "1e9h"};

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_refused(XHPL_TIME, wrong[i], "--time: '", "such as 10m");
        assert_refused(XHPL_MEMORY, wrong[i], "--memory: '", "such as 12G");
        assert_refused(XHPL_NODES, wrong[i], "--nodes: '", "such as 4");
    }
}

TEST(a_refusal_shows_the_form_and_the_nearest)
{
    static const struct {
        xhpl_limit_t limit;
        const char *text, *end;
    } of[] = {{XHPL_TIME, "10min", "such as 10m; the nearest is 10m\n"},
              {XHPL_TIME, "90sec", "; the nearest is 90s\n"},
              {XHPL_TIME, "1k", "such as 10m\n"},
              {XHPL_MEMORY, "100", "such as 12G\n"},
              {XHPL_TIME, "1000000h", "; the nearest is 2777h\n"},
              {XHPL_MEMORY, "12GB", "such as 12G; the nearest is 12G\n"},
              {XHPL_MEMORY, "120%", "; the nearest is 100%\n"},
              {XHPL_MEMORY, "1.5g", "; the nearest is 1.5G\n"},
              {XHPL_MEMORY, "all", "such as 12G\n"},
              {XHPL_NODES, "1.5", "such as 4; the nearest is 2\n"},
              {XHPL_NODES, "0", "; the nearest is 1\n"},
              {XHPL_NODES, "9999999", "; the nearest is 1048576\n"},
              {XHPL_RANKS_PER_NODE, "99999999999", "nearest is 1048576\n"}};

    for (size_t i = 0; i < COUNT_OF(of); i++)
        assert_refused(of[i].limit, of[i].text, of[i].text, of[i].end);
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

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        xhpl_plan_options_t asked = {.nodes = of[i].nodes,
                                     .ranks_per_node = of[i].ranks};
        xhpl_extent_t extent = xhpl_plan_option_extent(&asked, &started);

        assert_int_equal(extent.nodes, of[i].extent.nodes);
        assert_int_equal(extent.ranks_per_node, of[i].extent.ranks_per_node);
        assert_true(extent.processes == of[i].extent.processes);
    }
}
