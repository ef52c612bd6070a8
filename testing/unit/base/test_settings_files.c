/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings read from a file, and printed as one. */
#include "testing/unit/base/settings_fixture.h"

#include <unistd.h>

enum { FILE_NAME = 64 };

/* Read a file that holds text; its name is gone afterwards. */
static xh_status_t read_text(const char *text, char name_p[FILE_NAME])
{
    xh_status_t status;
    FILE *out;

    snprintf(name_p, FILE_NAME, "/tmp/test_settings.%d", (int)getpid());
    out = fopen(name_p, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    status = xh_settings_read_file(name_p);
    remove(name_p);
    return status;
}

TEST_FRESH(lines_of_a_file_apply)
{
    char name[FILE_NAME], source[FILE_NAME + 8];

    assert_ok(read_text("# mine\n\n"
                        "blas_threads = 3 # as many as needed\n"
                        "\tmessage_chunk=100\r\n"
                        "plugin_dir = /a b#c \n"
                        "split = fixed:0.5",
                        name));
    assert_int_equal(xh_settings_int("blas_threads"), 3);
    assert_int_equal(xh_settings_int("message_chunk"), 100);
    assert_string_equal(xh_settings_text("plugin_dir"), "/a b#c");
    assert_string_equal(xh_settings_text("split"), "fixed:0.5");
    snprintf(source, sizeof(source), "%s:3", name);
    assert_string_equal(xh_settings_source("blas_threads"), source);
    assert_string_equal(xh_settings_source("threads"), "default");
}

TEST_FRESH(every_bad_line_is_named_and_the_good_ones_apply)
{
    char name[FILE_NAME];
    xh_status_t status;
    const char *said;

    said = heard(status = read_text("blas_thraeds = 2\n"
                                    "tile = 7\n"
                                    "progress\n"
                                    "progress = offf\n"
                                    "= 5\n",
                                    name));
    assert_int_equal(status, XH_ERR_INPUT);
    assert_in(said, ":1: blas_thraeds: no such setting; the nearest is "
                    "blas_threads\n");
    assert_in(said, ":3: 'progress' is no setting; allowed: name = value\n");
    assert_in(said,
              ":4: progress=offf: allowed is auto, on, off, live; the nearest "
              "is off\n");
    assert_in(said, ":5: : no such setting");
    assert_in(said, name);
    assert_null(strstr(said, ":2:"));
    assert_int_equal(xh_settings_int("tile"), 7);
}

TEST_FRESH(a_file_that_cannot_be_read_is_named)
{
    xh_status_t status;
    const char *said;

    said = heard(status = xh_settings_read_file("/no/such/file"));
    assert_int_equal(status, XH_ERR_INPUT);
    assert_in(said, "/no/such/file: No such file");
    said = heard(status = xh_settings_read_file("/"));
    assert_int_equal(status, XH_ERR_INPUT);
    assert_in(said, "in /: Is a directory");
}
