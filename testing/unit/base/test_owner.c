/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/owner.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "testing/unit/unit.h"

enum { STRANGER = 4321 };

typedef struct {
    mode_t mode, of_program;
    const char *why; /* NULL: it is trusted */
} case_t;

/* A file, open, that is removed already if path_p is NULL. */
static int make_file(mode_t mode, char *path_p)
{
    char path[] = "/tmp/test_owner_XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, mode), 0);
    if (path_p != NULL)
        strcpy(path_p, path);
    else
        unlink(path);
    return fd;
}

static void assert_trust(int fd, const char *program, const char *expected)
{
    char why[XH_OWNER_WHY] = "";
    bool trusted = xh_owner_is_trusted(fd, program, why);

    assert_int_equal(trusted, expected == NULL);
    if (expected != NULL && strstr(why, expected) == NULL)
        fail_msg("\"%s\" is not in: %s", expected, why);
}

TEST(who_may_write_a_file_decides)
{
    static const case_t cases[] = {
        {0600, 0, NULL},    {0755, 0755, NULL},    {0606, 0777, "everybody"},
        {0775, 0, "group"}, {0775, 0755, "group"}, {0775, 0775, NULL},
    };
    bool is_root = geteuid() == 0; /* who may give a file to any group */
    char program[64];
    int fd, other;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        fd = make_file(cases[i].mode, NULL);
        other = make_file(cases[i].of_program, program);
        if (is_root &&
            (fchown(fd, 0, STRANGER) != 0 || fchown(other, 0, STRANGER) != 0))
            fail_msg("cannot give files to a group");
        if (is_root) { /* which takes bits away */
            fchmod(fd, cases[i].mode);
            fchmod(other, cases[i].of_program);
        }
        assert_trust(fd, cases[i].of_program != 0 ? program : NULL,
                     cases[i].why);
        unlink(program);
        close(other);
        close(fd);
    }
}

/* Only root can give files away. */
TEST(a_strangers_file_is_not_trusted_unless_the_program_is_his)
{
    char program[64];
    int fd = make_file(0644, NULL), other = make_file(0755, program);

    if (fchown(fd, STRANGER, STRANGER) == 0) {
        assert_trust(fd, NULL, "user 4321");
        assert_trust(fd, program, "user 4321");
        assert_int_equal(fchown(other, STRANGER, STRANGER), 0);
        assert_trust(fd, program, NULL);
    }
    unlink(program);
    close(other);
    close(fd);
}

/* The user's own group, of the same number and name. */
TEST(a_group_of_one_user_is_trusted)
{
    int fd = make_file(0664, NULL);

    if (geteuid() == 0 && fchown(fd, 0, 0) == 0)
        assert_trust(fd, NULL, NULL);
    close(fd);
}

static void assert_refused(const char *path, const char *expected)
{
    char why[XH_OWNER_WHY] = "";
    FILE *file = NULL;

    assert_int_equal(xh_trusted_open(path, NULL, &file, why), XH_ERR_INPUT);
    assert_null(file);
    if (strstr(why, expected) == NULL)
        fail_msg("\"%s\" is not in: %s", expected, why);
}

TEST(what_is_opened_is_a_file_of_ours_and_nothing_that_waits)
{
    char path[64], link[80], why[XH_OWNER_WHY];
    int fd = make_file(0644, path);
    FILE *file = NULL;

    snprintf(link, sizeof(link), "%s.link", path);
    assert_int_equal(symlink(path, link), 0);
    assert_ok(xh_trusted_open(path, NULL, &file, why));
    fclose(file);
    assert_ok(xh_trusted_open(link, NULL, &file, why));
    fclose(file);
    file = NULL;
    if (lchown(link, STRANGER, STRANGER) == 0)
        assert_refused(link, "a link of user 4321");
    unlink(link);
    if (fchown(fd, STRANGER, STRANGER) == 0)
        assert_refused(path, "belongs to user 4321");
    unlink(path);
    close(fd);
    assert_int_equal(xh_trusted_open(path, NULL, &file, why), XH_ERR_IO);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, "not a regular file");
    unlink(path);
    assert_refused("/tmp", "not a regular file");
}
