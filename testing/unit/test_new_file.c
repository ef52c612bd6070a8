/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/new_file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include "testing/unit/capture.h"
#include "testing/unit/unit.h"

static const char text[] = "a text\n";
static char folder[64], name[96], missing[96];

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/xhpl-new-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(name, sizeof(name), "%s/HPL.dat", folder);
    snprintf(missing, sizeof(missing), "%s/none/HPL.dat", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(name);
    return rmdir(folder); /* nothing else is in it */
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

static void assert_holds(const char *expected)
{
    char found[64] = "";
    FILE *file = fopen(name, "r");

    assert_non_null(file);
    found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, expected);
}

#define TEST_IN_FOLDER(name) TEST_WITH(name, setup, teardown)

TEST_IN_FOLDER(a_check_leaves_nothing_behind)
{
    assert_ok(xhpl_new_file_check(name));
    assert_int_equal(files(), 0);
}

TEST_IN_FOLDER(what_is_written_is_all_there_and_alone)
{
    mode_t mask = umask(022);
    struct stat about;

    assert_ok(xhpl_new_file_write(name, text, strlen(text)));
    umask(mask);
    assert_holds(text);
    assert_int_equal(files(), 1);
    assert_int_equal(stat(name, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0644);
    assert_int_equal(about.st_nlink, 1);
}

TEST_IN_FOLDER(a_file_that_came_meanwhile_is_left_as_it_is)
{
    const char *said;

    assert_ok(xhpl_new_file_write(name, "mine", 4));
    capture_begin();
    assert_int_equal(xhpl_new_file_check(name), XH_ERR_INPUT);
    assert_int_equal(xhpl_new_file_write(name, text, 7), XH_ERR_INPUT);
    said = capture_end(NULL);
    assert_non_null(strstr(said, "HPL.dat exists, and is left as it is"));
    assert_holds("mine");
    assert_int_equal(files(), 1);
}

TEST_IN_FOLDER(a_link_to_nowhere_is_a_file_that_exists)
{
    assert_int_equal(symlink(missing, name), 0);
    capture_begin();
    assert_int_equal(xhpl_new_file_check(name), XH_ERR_INPUT);
    assert_int_equal(xhpl_new_file_write(name, text, 7), XH_ERR_INPUT);
    capture_end(NULL);
    assert_int_equal(files(), 1);
}

TEST_IN_FOLDER(a_folder_that_is_not_there_is_told)
{
    const char *said;

    capture_begin();
    assert_int_equal(xhpl_new_file_check(missing), XH_ERR_INPUT);
    assert_int_equal(xhpl_new_file_write(missing, text, 7), XH_ERR_INPUT);
    said = capture_end(NULL);
    assert_non_null(strstr(said, "none/HPL.dat cannot be written: No such"));
}

TEST_MAIN()
