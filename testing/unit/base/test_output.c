/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"

enum { STRANGER = 4321 };

static char folder[] = "/tmp/test_output_XXXXXX", path[64], other[64];

UNIT_STEP(set_up)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/run.txt", folder);
    snprintf(other, sizeof(other), "%s/other", folder);
}

UNIT_STEP(teardown)
{
    unlink(path);
    unlink(other);
    assert_int_equal(rmdir(folder), 0); /* nothing is left beside them */
}

#define TEST_SET_UP(name) TEST_WITH(name, set_up, teardown)

static void put(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void assert_has(const char *name, const char *text)
{
    char found[64] = "";
    FILE *in = fopen(name, "r");

    assert_non_null(in);
    found[fread(found, 1, sizeof(found) - 1, in)] = '\0';
    fclose(in);
    assert_string_equal(found, text);
}

/* Write text as the file `name` whose mark is "mark". */
static void write_text(const char *name, const char *text)
{
    xh_output_t output;
    FILE *out;

    assert_ok(xh_output_open("--file", name, "mark", &output));
    out = xh_output_begin(&output);
    assert_non_null(out);
    fputs(text, out);
    assert_true(xh_output_end(&output, out, true));
    assert_true(xh_output_close(&output));
}

static void assert_refused(const char *name, const char *why)
{
    xh_output_t output;
    xh_status_t status;
    const char *said =
        heard(status = xh_output_open("--file", name, "mark", &output));

    assert_int_equal(status, XH_ERR_INPUT);
    assert_in(said, "--file: cannot write");
    assert_in(said, why);
}

TEST_SET_UP(a_new_file_is_there_when_it_is_whole)
{
    xh_output_t output;
    FILE *out;

    assert_ok(xh_output_open("--file", path, "mark", &output));
    assert_int_not_equal(access(path, F_OK), 0);
    out = xh_output_begin(&output);
    fputs("mark", out);
    fflush(out);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(xh_output_end(&output, out, true));
    assert_has(path, "mark");
    assert_true(xh_output_close(&output));
}

TEST_SET_UP(a_file_of_the_same_option_is_replaced_and_keeps_its_mode)
{
    struct stat about;

    put(path, "a mark of old");
    assert_int_equal(chmod(path, 0640), 0);
    write_text(path, "a new mark");
    assert_has(path, "a new mark");
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    put(path, "");
    write_text(path, "after an empty file");
    assert_has(path, "after an empty file");
}

TEST_SET_UP(any_other_file_stays)
{
    xh_output_t output;

    put(path, "results of last week");
    assert_refused(path, "holds something else");
    assert_has(path, "results of last week");
    assert_ok(xh_output_open("--file", path, NULL, &output)); /* by force */
    assert_true(xh_output_end(&output, xh_output_begin(&output), true));
    xh_output_close(&output);
    assert_has(path, "");
}

TEST_SET_UP(a_text_that_is_dropped_leaves_the_file_before)
{
    xh_output_t output;
    FILE *out;

    put(path, "mark");
    assert_ok(xh_output_open("--file", path, "mark", &output));
    assert_true(output.exists);
    out = xh_output_begin(&output);
    fputs("half", out);
    assert_false(xh_output_end(&output, out, false));
    assert_false(xh_output_end(&output, NULL, true));
    xh_output_close(&output);
    assert_has(path, "mark");
}

TEST_SET_UP(a_link_of_this_user_stays_one_and_a_strangers_is_refused)
{
    struct stat about;

    assert_int_equal(symlink("other", path), 0);
    write_text(path, "mark");
    assert_has(other, "mark");
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    if (lchown(path, STRANGER, STRANGER) != 0)
        return; /* only root can */
    assert_refused(path, "is a link of user 4321");
    assert_has(other, "mark");
}

TEST_SET_UP(what_cannot_be_written_is_refused_at_open)
{
    assert_refused("", "its name is empty");
    assert_refused("/no/such/folder/x", strerror(ENOENT));
    assert_refused(folder, strerror(EISDIR));
    assert_int_equal(symlink("other", path), 0);
    assert_int_equal(symlink("run.txt", other), 0);
    assert_refused(path, strerror(ELOOP));
}

TEST_SET_UP(a_device_gets_its_text_in_place)
{
    xh_output_t output;
    FILE *out;

    write_text("/dev/null", "mark");
    if (access("/dev/full", W_OK) != 0)
        return;
    assert_ok(xh_output_open("--file", "/dev/full", "mark", &output));
    assert_true(output.once);
    out = xh_output_begin(&output);
    fputs("mark", out);
    assert_false(xh_output_end(&output, out, true));
    assert_int_equal(errno, ENOSPC);
    xh_output_close(&output);
}

TEST_SET_UP(a_stream_is_emptied_when_it_is_opened)
{
    FILE *out;

    put(path, "mark of old");
    assert_ok(xh_output_stream("--file", path, "mark", &out));
    fputs("mark", out);
    fflush(out);
    assert_has(path, "mark");
    fclose(out);
    put(path, "something else");
    assert_int_equal(xh_output_stream("--file", path, "mark", &out),
                     XH_ERR_INPUT);
    assert_has(path, "something else");
}
