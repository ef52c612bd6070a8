/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pgesv/progress.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"

enum { N = 1000, STEP = 10 };

static const HPL_T_grid first = {.iam = 0}, second = {.iam = 1};

static double model_time;

static double model_clock(void *context)
{
    (void)context;
    return model_time;
}

/* What a factorization of seconds says, on one of the grid's processes. */
static const char *said(const char *setting, const HPL_T_grid *grid,
                        double seconds)
{
    hpl_progress_t progress;
    double share;
    const char *text;

    assert_ok(xh_settings_assign(setting));
    model_time = 100.0;
    xh_clock_install(model_clock, NULL);
    capture_begin();
    progress = hpl_progress_begin(grid, N);
    for (int left = N; left >= 0; left -= STEP) {
        share = 1.0 - (double)left * left * left / ((double)N * N * N);
        model_time = 100.0 + seconds * share;
        hpl_progress_say(&progress, left);
    }
    text = capture_end(NULL);
    xh_clock_install(NULL, NULL);
    return text;
}

static const char *line_of(const hpl_progress_t *progress, int64_t left,
                           hpl_progress_mark_t at)
{
    static char line[160];

    hpl_progress_text(progress, left, at, line, sizeof(line));
    return line;
}

TEST(a_line_tells_share_columns_time_rates_and_prediction)
{
    hpl_progress_t p = {.n = 30000,
                        .expected.seconds = 210.0,
                        .mark = {{84.0, 0.39}, {84.0, 0.39}}};
    hpl_progress_mark_t at = {90.0, 0.42};

    assert_string_equal(line_of(&p, 13824, at),
                        "42.0% done, 13824 columns, 2:04 left, 90 Gflops, "
                        "mean 84, 98% of plan");
    p.n = 400000;
    at.time = 5360.0;
    assert_in(line_of(&p, 123456, at), "columns, 2h03 left");
    assert_in(line_of(&p, 123456, at), "mean 3343, ");
    at.time = 53600.0; /* on a terminal as wide as terminals mostly are */
    assert_true(strlen(line_of(&p, 123456, at)) < 80);
}

/* How busy devices are is told where there is room; of several tests number and
 * time of the job are. */
TEST(devices_and_several_tests_are_told)
{
    hpl_progress_t p = {.n = 30000,
                        .devices = 2,
                        .at_work = 90.0,
                        .mark = {{84.0, 0.39}, {84.0, 0.39}}};
    hpl_progress_mark_t at = {90.0, 0.42};

    assert_string_equal(line_of(&p, 13824, at),
                        "42.0% done, 13824 columns, 2:04 left, 90 Gflops, "
                        "mean 84, devices 50%");
    p.expected =
        (hpl_expected_t){.test = 3, .tests = 4, .flop_after = 84e9 * 3600};
    assert_string_equal(line_of(&p, 13824, at),
                        "test 3 of 4: 42.0% done, 13824 columns, 2:04 left, "
                        "job 1h02, 90 Gflops, mean 84");
    p.expected.flop_after = 0.0; /* the last one */
    assert_null(strstr(line_of(&p, 13824, at), "job"));
}

TEST(what_is_not_known_is_left_out)
{
    hpl_progress_t p = {.n = N};

    assert_string_equal(line_of(&p, 500, (hpl_progress_mark_t){0.0, 0.0}),
                        "0.0% done, 500 columns left, 0 Gflops, mean 0");
    assert_null(
        strstr(line_of(&p, 500, (hpl_progress_mark_t){1.0, 1e-300}), ":"));
}

TEST(a_long_run_says_few_lines_in_a_file)
{
    const char *text;

    text = said("progress=auto", &first, 3600.0);
    assert_in_range(capture_lines(text), 20, 51);
    assert_in(text, "\nxhpl: progress: 100.0% done, 0 columns, "
                    "0:00 left, ");
    assert_in_range(capture_lines(said("progress=auto", &first, 61.0)), 3, 7);
}

/* All in one line that goes away. */
TEST(live_is_a_live_line_in_a_pipe_too)
{
    const char *text;
    size_t length;

    text = said("progress=live", &first, 100.0);
    length = strlen(text);
    assert_int_equal(capture_lines(text), 0);
    assert_int_equal(text[0], '\r');
    assert_in(text, "\r50.7% done, ");
    assert_in(text, "\r100.0% done, 0 columns, 0:00 left, ");
    assert_true(length > 2 && strcmp(text + length - 2, " \r") == 0);
}

/* What a process says while it factors, and behind that. */
static const char *warned_meanwhile(const char *setting, const HPL_T_grid *grid)
{
    hpl_progress_t progress;

    assert_ok(xh_settings_assign(setting));
    capture_begin();
    progress = hpl_progress_begin(grid, N);
    xh_log_warning("meanwhile");
    hpl_progress_say(&progress, 0);
    xh_log_warning("behind");
    return capture_end(NULL);
}

TEST(others_go_past_the_live_line_while_it_may_be_there)
{
    static const char lines[] = "xhpl: warning: meanwhile\n"
                                "xhpl: warning: behind\n";
    char expected[160];

    snprintf(expected, sizeof(expected), "\r%79s\r%s", "", lines);
    assert_string_equal(warned_meanwhile("progress=live", &second), expected);
    assert_string_equal(warned_meanwhile("progress=off", &second), lines);
    assert_string_equal(warned_meanwhile("progress=auto", &second), lines);
}

/* For one factorization; more than it predicts has a reason. */
TEST(a_prediction_is_told)
{
    static const struct {
        hpl_expected_t expected;
        const char *words, *others;
    } of[] = {{{.seconds = 500.0}, ", 50% of plan\n", "ahead"},
              {{.seconds = 1400.0}, ", ahead of plan\n", "% of plan"},
              {{.seconds = 1400.0, .disturbed = true},
               ", planned under load\n",
               "of plan"}};

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        const char *text;

        hpl_progress_expect(&of[i].expected);
        text = said("progress=on", &first, 1000.0);
        assert_in(text, of[i].words);
        assert_null(strstr(text, of[i].others));
    }
    assert_null(strstr(said("progress=on", &first, 1000.0), "plan"));
}

TEST(the_rate_now_is_that_of_the_last_seconds)
{
    hpl_progress_t progress;
    double now, overall;
    const char *text;

    assert_ok(xh_settings_assign("progress=on"));
    model_time = 0.0;
    xh_clock_install(model_clock, NULL);
    capture_begin();
    progress = hpl_progress_begin(&first, N);
    for (int left = N; left >= 500; left -= STEP) {
        model_time += left > 800 ? 1.0 : 100.0; /* much slower from here */
        hpl_progress_say(&progress, left);
    }
    text = capture_end(NULL);
    xh_clock_install(NULL, NULL);
    text = strrchr(text, ':');
    assert_non_null(text);
    text = strstr(text, "left, ");
    assert_int_equal(sscanf(text, "left, %lf Gflops, mean %lf", &now, &overall),
                     2);
    assert_true(now > 0.0 && now < overall / 2.0);
}
