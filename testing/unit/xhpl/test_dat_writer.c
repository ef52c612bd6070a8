/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/dat_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "testing/unit/base/capture.h"
#include "testing/unit/hpl/reference_file.h"
#include "testing/unit/unit.h"

static xhpl_parameters_t parameters, again;

/* What is read of written parameters is the same again. */
static void assert_same(void)
{
    xhpl_dat_error_t error;
    xhpl_dat_notes_t notes;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    xhpl_dat_write(out, &parameters);
    fclose(out);
    assert_ok(xhpl_dat_parse(text, size, &again, &notes, &error));
    free(text);
    assert_true(reference_file_is_same(&again, &parameters));
}

TEST(what_is_written_is_read_again)
{
    xhpl_parameters_default(&parameters);
    assert_same();
    parameters.threshold = 0.1;
    parameters.list[XHPL_DEVICE].value[0] = 8;
    strcpy(parameters.output, "other.out");
    assert_same();
    parameters = reference_file_parameters("upstream-variants.HPL.dat");
    assert_same();
}

/* Scripts find lines by their comments: from line 3 on a file of upstream's
 * parameters is upstream's, byte by byte, but for the spelling of numbers. */
TEST(lines_have_the_comments_of_upstream)
{
    char *text = NULL, *theirs;
    char *line, *their_line, *rest, *their_rest;
    size_t size, length;
    FILE *out = open_memstream(&text, &size);

    theirs = reference_file_read("upstream-default.HPL.dat", &length);
    parameters = reference_file_parameters("upstream-default.HPL.dat");
    xhpl_dat_write(out, &parameters);
    fclose(out);
    line = strtok_r(text, "\n", &rest);
    their_line = strtok_r(theirs, "\n", &their_rest);
    for (int number = 1; number <= XHPL_DAT_LINES; number++) {
        assert_non_null(line);
        if (number == 13) /* 16 and 16.0 */
            assert_string_equal(line + 12, their_line + 12);
        else if (number > 2)
            assert_string_equal(line, their_line);
        line = strtok_r(NULL, "\n", &rest);
        their_line = strtok_r(NULL, "\n", &their_rest);
    }
    assert_null(line);
    free(theirs);
    free(text);
}

/* ---- the file of --write ------------------------------------------------- */

static char folder[64], name[96], missing[96];

UNIT_STEP(setup)
{
    strcpy(folder, "/tmp/xhpl-new-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof(name), "%s/HPL.dat", folder);
    snprintf(missing, sizeof(missing), "%s/none/HPL.dat", folder);
}

UNIT_STEP(teardown)
{
    unlink(name);
    assert_int_equal(rmdir(folder), 0); /* nothing else is in it */
}

static int files(void)
{
    DIR *entries = opendir(folder);
    int count = -2; /* . and .. */

    assert_non_null(entries);
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count;
}

/* The file holds the default with N = n. */
static void assert_holds(int n)
{
    assert_ok(xhpl_dat_read(name, &again));
    assert_int_equal(again.list[XHPL_N].value[0], n);
}

static xh_status_t create(const char *path, int n)
{
    xhpl_parameters_default(&parameters);
    parameters.list[XHPL_N].value[0] = n;
    return xhpl_dat_create(path, &parameters);
}

/* There can be no file at path, as words say, now or later. */
static void assert_refused(const char *path, const char *words)
{
    assert_said(xhpl_dat_try(path), XH_ERR_INPUT, words);
    assert_said(create(path, 8), XH_ERR_INPUT, words);
}

#define TEST_IN_FOLDER(name) TEST_WITH(name, setup, teardown)

TEST_IN_FOLDER(what_is_written_is_all_there_and_alone)
{
    mode_t mask = umask(022);
    struct stat about;

    assert_ok(xhpl_dat_try(name));
    assert_int_equal(files(), 0); /* a check leaves nothing behind */
    assert_ok(create(name, 7));
    umask(mask);
    assert_holds(7);
    assert_int_equal(files(), 1);
    assert_int_equal(stat(name, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0644);
    assert_int_equal(about.st_nlink, 1);
}

TEST_IN_FOLDER(a_file_that_came_meanwhile_is_left_as_it_is)
{
    assert_ok(create(name, 7));
    assert_refused(name, "HPL.dat exists, and is not replaced");
    assert_holds(7);
    assert_int_equal(files(), 1);
    unlink(name);
    assert_int_equal(symlink(missing, name), 0); /* a link to nowhere */
    assert_refused(name, "exists");
    assert_int_equal(files(), 1);
    assert_refused(missing, "none/HPL.dat cannot be written: No such");
}
