/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/base/settings_fixture.h"

/* What is said when assignment is refused; fails when it is not. */
static const char *refusal(const char *assignment)
{
    xh_status_t status;
    const char *text = heard(status = xh_settings_assign(assignment));

    assert_int_equal(status, XH_ERR_INPUT);
    assert_int_equal(capture_lines(text), 1);
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

    for (int i = 0; i < xh_settings_count(); i++) {
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
    assert_true(xh_settings_count() > 0);
    for (int i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);

        assert_true(strlen(row->name) > 0 && strlen(row->help) > 0);
        assert_true(row->help[strlen(row->help) - 1] != '.');
        assert_int_equal(row->choices != NULL, row->type == XH_SETTING_CHOICE);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(row->name, xh_settings_row(j)->name);
    }
}

TEST_FRESH(both_ends_of_every_range_are_accepted)
{
    char ends[2][64], assignment[256];

    for (int i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);

        if (row->type == XH_SETTING_TEXT)
            continue;
        extremes(row, ends[0], ends[1], sizeof(ends[0]));
        for (int end = 0; end < 2; end++) {
            snprintf(assignment, sizeof(assignment), "%s=%s", row->name,
                     ends[end]);
            assert_ok(xh_settings_assign(assignment));
            assert_string_equal(xh_settings_text(row->name), ends[end]);
        }
    }
}

/* Whether one has changed is a matter of values and not of spellings. */
TEST_FRESH(values_are_read_in_their_type)
{
    assert_ok(xh_settings_assign("blas_threads=01"));
    assert_false(xh_settings_changed("blas_threads"));
    assert_ok(xh_settings_assign("blas_threads=12"));
    assert_int_equal(xh_settings_int("blas_threads"), 12);
    assert_true(xh_settings_changed("blas_threads"));
    assert_ok(xh_settings_assign("plan_seconds=1.5e-1"));
    assert_true(xh_settings_real("plan_seconds") == 0.15);
    assert_ok(xh_settings_assign("progress=off"));
    assert_int_equal(xh_settings_int("progress"), 2);
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

/* Each assignment is refused, with these words. */
#define TEST_REFUSED(sentence, ...)                                            \
    TEST_FRESH(sentence)                                                       \
    {                                                                          \
        static const char *const cases[][2] = {__VA_ARGS__};                   \
                                                                               \
        for (size_t i = 0; i < COUNT_OF(cases); i++)                           \
            assert_in(refusal(cases[i][0]), cases[i][1]);                      \
    }

TEST_REFUSED(an_unknown_name_gets_the_nearest_one,
             {"blas_thread=2", "the nearest is blas_threads\n"},
             {"BLAS_THREADS=2", "the nearest is blas_threads\n"},
             {"progres", "the nearest is progress\n"},
             {"=on", "no such setting"}, {"", "no such setting"})

TEST_REFUSED(a_value_out_of_range_gets_range_and_nearest,
             {"blas_threads=0", "--set blas_threads=0: allowed is 1 to 4096; "
                                "the nearest is 1\n"},
             {"blas_threads=4097", "the nearest is 4096\n"},
             {"message_chunk=99999999999999999999999",
              "allowed is 1 to 134217728; the nearest is 134217728\n"},
             {"plan_seconds=0.001",
              "allowed is 0.01 to 60; the nearest is 0.01\n"},
             {"hang=-2", "allowed is -1 to 8640000; the nearest is -1\n"},
             {"plan_seconds=inf", "the nearest is 60\n"})

TEST_REFUSED(the_nearest_leaves_off_a_unit_or_a_fraction,
             {"watchdog=0.25h", "is 0.25\n"}, {"watchdog=-1m", "is 0\n"},
             {"watchdog=1e9s", "is 86400\n"}, {"watchdog= 30", "is 30\n"},
             {"watchdog=s", "is 0 to 86400\n"},
             {"watchdog=nan", "is 0 to 86400\n"}, {"threads=1k", "is 1000\n"},
             {"threads=5.4", "is 5\n"}, {"threads=5.5", "is 6\n"},
             {"blas_threads=0.1", "is 1\n"},
             {"blas_threads=4096.9", "is 4096\n"})

TEST_REFUSED(a_word_that_is_no_choice_gets_the_nearest,
             {"diagnosis=1", "is on\n"}, {"diagnosis=yes", "is on\n"},
             {"diagnosis=true", "is on\n"}, {"diagnosis=YES", "is on\n"},
             {"progress=0", "is off\n"}, {"progress=n", "is off\n"},
             {"progress=False", "is off\n"},
             {"solver=no", "allowed is hybrid, reference"},
             {"progress=onn",
              "allowed is auto, on, off, live; the nearest is on\n"},
             {"progress=sometimes", "allowed is auto, on, off, live\n"},
             {"progress=OFF", "the nearest is off\n"},
             {"progress=on|off", "allowed is auto, on, off, live"},
             {"progress=", "allowed is auto, on, off, live"},
             {"progress", "allowed is auto, on, off, live\n"})

TEST_REFUSED(
    what_is_no_number_is_refused, {"blas_threads=", "allowed is "},
    {"blas_threads=two", "allowed is "}, {"blas_threads=2 ", "allowed is "},
    {"blas_threads=1e1", "allowed is "}, {"blas_threads=2.0", "allowed is "},
    {"blas_threads=0x10", "allowed is "}, {"blas_threads=--2", "allowed is "},
    {"plan_seconds=", "allowed is "}, {"plan_seconds=1s", "allowed is "})

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
    assert_in(refusal(assignment), "allowed is 1 to 4096");
    memset(assignment, 'b', 4000);
    assert_in(refusal(assignment), "no such setting");
}

/* Load with name=value in the environment, which must be refused. */
static const char *load_refusal(const char *name, const char *value)
{
    xh_status_t status;
    const char *text;

    setenv(name, value, 1);
    text = heard(status = xh_settings_load());
    unsetenv(name);
    assert_int_equal(status, XH_ERR_INPUT);
    return text;
}

TEST_FRESH(an_unknown_variable_gets_the_nearest_one)
{
    assert_in(load_refusal("XHPL_BLAS_THREAD", "2"),
              "XHPL_BLAS_THREAD in the environment names no setting: unset it; "
              "the nearest is XHPL_BLAS_THREADS\n");
    assert_in(load_refusal("XHPL_progress", "on"),
              "the nearest is XHPL_PROGRESS\n");
    assert_in(load_refusal("XHPL_", ""), "names no setting");
}

TEST_FRESH(every_bad_variable_is_named_and_the_good_ones_apply)
{
    const char *text;

    setenv("XHPL_MEMORY_RESERVE", "5", 1);
    setenv("XHPL_PROGRESS", "maybe", 1);
    text = load_refusal("XHPL_NOTHING", "5");
    assert_in(text, "XHPL_PROGRESS=maybe");
    assert_in(text, "XHPL_NOTHING");
    assert_int_equal(xh_settings_int("memory_reserve"), 5);
}

TEST_FRESH(what_modules_set_stops_nothing_but_near_misses_do)
{
    static const char *const of_modules[][2] = {{"XHPL_ROOT", "/opt/xhpl"},
                                                {"XHPL_HOME", "/opt/xhpl"},
                                                {"XHPL_DIR", "1"},
                                                {"XHPL_VERSION", "2.3"}};

    for (size_t i = 0; i < COUNT_OF(of_modules); i++)
        setenv(of_modules[i][0], of_modules[i][1], 1);
    assert_ok(xh_settings_load());
    assert_string_equal(xh_settings_text("home"), "auto");
    for (size_t i = 0; i < COUNT_OF(of_modules); i++)
        unsetenv(of_modules[i][0]);
    assert_in(load_refusal("XHPL_HOME", "hots"),
              "XHPL_HOME=hots: allowed is host, device, auto");
    assert_in(load_refusal("XHPL_ROOTS", "/opt"), "names no setting");
    assert_in(load_refusal("XHPL_PLUGINS_DIR", "/opt"),
              "the nearest is XHPL_PLUGIN_DIR");
}

TEST_FRESH(changed_settings_are_listed_by_folder)
{
    char list[64] = "";

    assert_ok(xh_settings_assign("threads=3"));
    assert_ok(xh_settings_assign("pipeline=4")); /* its default */
    assert_ok(xh_settings_assign("emu_memory=4"));
    assert_ok(xh_settings_assign("blas_threads=2"));
    xh_settings_list_changed("hybrid/", list, sizeof(list));
    assert_string_equal(list, "threads, emu_memory");
    xh_settings_list_changed("testing/ptest", list, sizeof(list));
    assert_string_equal(list, "threads, emu_memory, blas_threads");
}
