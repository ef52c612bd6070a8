/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/settings_fixture.h"

/* What is said when assignment is refused; fails when it is not. */
static const char *refusal(const char *assignment)
{
    xh_status_t status;
    const char *text;
    int writes;

    capture_begin();
    status = xh_settings_assign(assignment);
    text = capture_end(&writes);
    assert_int_equal(status, XH_ERR_INPUT);
    assert_int_equal(writes, 1);
    return text;
}

/* First and last valid value of a row, as text. */
static void extremes(const xh_setting_t *row, char *first_p, char *last_p,
                     size_t size)
{
    if (row->type == XH_SETTING_CHOICE) {
        snprintf(first_p, size, "%.*s", (int)strcspn(row->choices, "|"),
                 row->choices);
        snprintf(last_p, size, "%s", strrchr(row->choices, '|') + 1);
    } else {
        snprintf(first_p, size, "%.15g", row->least);
        snprintf(last_p, size, "%.15g", row->most);
    }
}

TEST_FRESH(every_default_is_a_valid_value)
{
    char assignment[256];
    int i;

    for (i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);

        snprintf(assignment, sizeof(assignment), "%s=%s", row->name,
                 row->initial);
        assert_ok(xh_settings_assign(assignment));
        assert_false(xh_settings_changed(row->name));
        assert_string_equal(xh_settings_text(row->name), row->initial);
    }
}

TEST_FRESH(every_row_is_complete_and_unique)
{
    int i, j;

    assert_true(xh_settings_count() > 0);
    for (i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);

        assert_true(strlen(row->name) > 0 && strlen(row->help) > 0);
        assert_true(row->help[strlen(row->help) - 1] != '.');
        assert_int_equal(row->choices != NULL, row->type == XH_SETTING_CHOICE);
        for (j = 0; j < i; j++)
            assert_string_not_equal(row->name, xh_settings_row(j)->name);
    }
}

TEST_FRESH(both_ends_of_every_range_are_accepted)
{
    char ends[2][64], assignment[256];
    int i, end;

    for (i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);

        if (row->type == XH_SETTING_TEXT)
            continue;
        extremes(row, ends[0], ends[1], sizeof(ends[0]));
        for (end = 0; end < 2; end++) {
            snprintf(assignment, sizeof(assignment), "%s=%s", row->name,
                     ends[end]);
            assert_ok(xh_settings_assign(assignment));
            assert_string_equal(xh_settings_text(row->name), ends[end]);
        }
    }
}

TEST_FRESH(values_are_read_in_their_type)
{
    assert_ok(xh_settings_assign("blas_threads=12"));
    assert_int_equal(xh_settings_int("blas_threads"), 12);
    assert_ok(xh_settings_assign("ceiling_seconds=1.5e-1"));
    assert_true(xh_settings_real("ceiling_seconds") == 0.15);
    assert_ok(xh_settings_assign("progress=off"));
    assert_int_equal(xh_settings_int("progress"), 2);
    assert_ok(xh_settings_assign("progress=on"));
    assert_int_equal(xh_settings_int("progress"), 1);
}

TEST_FRESH(changed_compares_values_and_not_spellings)
{
    assert_ok(xh_settings_assign("blas_threads=01"));
    assert_false(xh_settings_changed("blas_threads"));
    assert_ok(xh_settings_assign("blas_threads=2"));
    assert_true(xh_settings_changed("blas_threads"));
    assert_ok(xh_settings_assign("ceiling_seconds=2e-1"));
    assert_false(xh_settings_changed("ceiling_seconds"));
}

TEST_FRESH(the_last_of_default_environment_and_set_wins)
{
    assert_int_equal(xh_settings_int("blas_threads"), 1);
    setenv("XHPL_BLAS_THREADS", "3", 1);
    assert_int_equal(xh_settings_int("blas_threads"), 1);
    assert_ok(xh_settings_load());
    assert_int_equal(xh_settings_int("blas_threads"), 3);
    assert_ok(xh_settings_assign("blas_threads=4"));
    assert_int_equal(xh_settings_int("blas_threads"), 4);
    assert_ok(xh_settings_load());
    assert_int_equal(xh_settings_int("blas_threads"), 3);
    unsetenv("XHPL_BLAS_THREADS");
    assert_ok(xh_settings_load());
    assert_int_equal(xh_settings_int("blas_threads"), 1);
}

TEST_FRESH(an_unknown_name_gets_the_nearest_one)
{
    settings_assert_says(refusal("blas_thread=2"),
                         "the nearest is blas_threads\n");
    settings_assert_says(refusal("mesage_chunk=2"),
                         "the nearest is message_chunk\n");
    settings_assert_says(refusal("BLAS_THREADS=2"),
                         "the nearest is blas_threads\n");
    settings_assert_says(refusal("progres"), "the nearest is progress\n");
    settings_assert_says(refusal("=on"), "no such setting");
    settings_assert_says(refusal(""), "no such setting");
}

TEST_FRESH(a_value_out_of_range_gets_range_and_nearest)
{
    settings_assert_says(refusal("blas_threads=0"),
                         "--set blas_threads=0: allowed is 1 to 4096; "
                         "the nearest is 1\n");
    settings_assert_says(refusal("blas_threads=-4"), "the nearest is 1\n");
    settings_assert_says(refusal("blas_threads=4097"), "the nearest is 4096\n");
    settings_assert_says(
        refusal("message_chunk=99999999999999999999999"),
        "allowed is 1 to 134217728; the nearest is 134217728\n");
    settings_assert_says(refusal("ceiling_seconds=0.001"),
                         "allowed is 0.01 to 60; the nearest is 0.01\n");
    settings_assert_says(refusal("ceiling_seconds=inf"), "the nearest is 60\n");
}

TEST_FRESH(the_nearest_leaves_off_a_unit_or_a_fraction)
{
    settings_assert_says(refusal("watchdog=30s"), "the nearest is 30\n");
    settings_assert_says(refusal("watchdog=0.25h"), "the nearest is 0.25\n");
    settings_assert_says(refusal("watchdog=-1m"), "the nearest is 0\n");
    settings_assert_says(refusal("watchdog=1e9s"), "the nearest is 86400\n");
    settings_assert_says(refusal("watchdog= 30"), "the nearest is 30\n");
    settings_assert_says(refusal("watchdog=s"), "the nearest is 300\n");
    settings_assert_says(refusal("watchdog=nan"), "the nearest is 300\n");
    settings_assert_says(refusal("threads=5.4"), "the nearest is 5\n");
    settings_assert_says(refusal("threads=5.5"), "the nearest is 6\n");
    settings_assert_says(refusal("blas_threads=0.1"), "the nearest is 1\n");
    settings_assert_says(refusal("blas_threads=4096.9"),
                         "the nearest is 4096\n");
}

TEST_FRESH(yes_and_no_are_on_and_off)
{
    static const char *const yes[] = {"1", "yes", "true", "y", "YES"};
    static const char *const no[] = {"0", "no", "false", "n", "False"};
    char assignment[64];
    size_t i;

    for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        snprintf(assignment, sizeof(assignment), "diagnosis=%s", yes[i]);
        settings_assert_says(refusal(assignment), "the nearest is on\n");
        snprintf(assignment, sizeof(assignment), "progress=%s", no[i]);
        settings_assert_says(refusal(assignment), "the nearest is off\n");
    }
    settings_assert_says(refusal("solver=no"), "allowed is hybrid, reference");
}

TEST_FRESH(a_word_that_is_no_choice_gets_the_nearest)
{
    settings_assert_says(refusal("progress=onn"),
                         "allowed is auto, on, off, live; "
                         "the nearest is on\n");
    settings_assert_says(refusal("progress=OFF"), "the nearest is off\n");
    settings_assert_says(refusal("progress=on|off"),
                         "allowed is auto, on, off, live");
    settings_assert_says(refusal("progress="),
                         "allowed is auto, on, off, live");
}

TEST_FRESH(what_is_no_number_is_refused)
{
    static const char *const assignments[] = {
        "blas_threads=",     "blas_threads=two",    "blas_threads=2 ",
        "blas_threads= 2",   "blas_threads=2x",     "blas_threads=1e1",
        "blas_threads=2.0",  "blas_threads=0x10",   "blas_threads=--2",
        "ceiling_seconds=",  "ceiling_seconds=nan", "ceiling_seconds= 1",
        "ceiling_seconds=1s"};
    size_t i;

    for (i = 0; i < sizeof(assignments) / sizeof(assignments[0]); i++)
        settings_assert_says(refusal(assignments[i]), "allowed is ");
}

TEST_FRESH(a_name_without_a_value_gets_what_is_allowed)
{
    settings_assert_says(refusal("progress"),
                         "allowed is auto, on, off, live\n");
}

TEST_FRESH(a_refused_value_leaves_the_old_one)
{
    assert_ok(xh_settings_assign("blas_threads=7"));
    refusal("blas_threads=0");
    refusal("blas_threads=x");
    refusal("blas_threads");
    assert_int_equal(xh_settings_int("blas_threads"), 7);
}

TEST_FRESH(a_very_long_value_is_refused)
{
    char assignment[5000] = "blas_threads=";

    memset(assignment + strlen(assignment), '0', 4000);
    settings_assert_says(refusal(assignment), "allowed is 1 to 4096");
    memset(assignment, 'b', 4000);
    settings_assert_says(refusal(assignment), "no such setting");
}

/* Load with name=value in the environment, which must be refused. */
static const char *load_refusal(const char *name, const char *value)
{
    xh_status_t status;
    const char *text;

    setenv(name, value, 1);
    capture_begin();
    status = xh_settings_load();
    text = capture_end(NULL);
    unsetenv(name);
    assert_int_equal(status, XH_ERR_INPUT);
    return text;
}

TEST_FRESH(an_unknown_variable_gets_the_nearest_one)
{
    settings_assert_says(
        load_refusal("XHPL_BLAS_THREAD", "2"),
        "XHPL_BLAS_THREAD in the environment names no setting: unset it; "
        "the nearest is XHPL_BLAS_THREADS\n");
    settings_assert_says(load_refusal("XHPL_progress", "on"),
                         "the nearest is XHPL_PROGRESS\n");
    settings_assert_says(load_refusal("XHPL_", ""), "names no setting");
}

TEST_FRESH(a_bad_value_in_a_variable_names_the_variable)
{
    settings_assert_says(load_refusal("XHPL_BLAS_THREADS", "5000"),
                         "XHPL_BLAS_THREADS=5000: allowed is 1 to 4096; "
                         "the nearest is 4096\n");
    assert_int_equal(xh_settings_int("blas_threads"), 1);
}

TEST_FRESH(every_bad_variable_is_named_and_the_good_ones_apply)
{
    const char *text;

    setenv("XHPL_MEMORY_RESERVE", "5", 1);
    setenv("XHPL_PROGRESS", "maybe", 1);
    text = load_refusal("XHPL_NOTHING", "5");
    settings_assert_says(text, "XHPL_PROGRESS=maybe");
    settings_assert_says(text, "XHPL_NOTHING");
    assert_int_equal(xh_settings_int("memory_reserve"), 5);
}

TEST_FRESH(variables_of_others_are_left_alone)
{
    setenv("XHPLX_BLAS_THREADS", "0", 1);
    setenv("MY_XHPL_BLAS_THREADS", "0", 1);
    assert_ok(xh_settings_load());
    unsetenv("XHPLX_BLAS_THREADS");
    unsetenv("MY_XHPL_BLAS_THREADS");
}

TEST_FRESH(the_help_names_every_setting_default_and_meaning)
{
    char *text = settings_printed(xh_settings_print_help);
    char expected[128];
    int i;

    for (i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);

        snprintf(expected, sizeof(expected), "  %s=VALUE  ", row->name);
        settings_assert_says(text, expected);
        snprintf(expected, sizeof(expected), "(default %s)\n", row->initial);
        settings_assert_says(text, expected);
        settings_assert_says(text, row->help);
    }
    free(text);
}

TEST_MAIN()
